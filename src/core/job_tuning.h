/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tunes while a job runs because an environment variable says so (job_tuning.def). A plan is made ahead of time:
 * what is tuned inside the job is neither measured nor the same on all ranks.
 */
#ifndef MXT_CORE_JOB_TUNING_H
#define MXT_CORE_JOB_TUNING_H

#include <stdbool.h>
#include <stddef.h>

/* Which values make it tune. */
enum mxt_tuning_form { MXT_TUNING_ONLY, MXT_TUNING_ANY_CASE, MXT_TUNING_BUT, MXT_TUNING_BUT_ANY_CASE };

struct mxt_job_tuning {
	const char *name;
	enum mxt_tuning_form form;
	const char *words; /* separated by blanks */
	const char *still; /* another variable that makes it harmless; "": none does */
	const char *still_value;
	const char *off;  /* the value that stops it where torch.compile does it unasked; "": nobody does it unasked */
	const char *what; /* a sentence without an end */
};

size_t mxt_job_tuning_count(void);
const struct mxt_job_tuning *mxt_job_tuning_at(size_t i);

/* The row of a name; NULL when there is none. */
const struct mxt_job_tuning *mxt_job_tuning_find(const char *name);

/* Does the variable in `environment` (NULL-ended) make something tune? */
bool mxt_job_tuning_asked(const struct mxt_job_tuning *row, char *const *environment);

#endif
