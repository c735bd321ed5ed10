/* SPDX-License-Identifier: Apache-2.0 */
#include "job_tuning.h"

#include <string.h>

#include "compiler.h"
#include "environ.h"
#include "words.h"

static const struct mxt_job_tuning rows[] = {
#define MXT_JOB_TUNING(name, form, words, still, still_value, off, what)                                               \
	{name, MXT_TUNING_##form, words, still, still_value, off, what},
#include "job_tuning.def"
#undef MXT_JOB_TUNING
};

size_t mxt_job_tuning_count(void)
{
	return MXT_ARRAY_LEN(rows);
}

const struct mxt_job_tuning *mxt_job_tuning_at(size_t i)
{
	return &rows[i];
}

const struct mxt_job_tuning *mxt_job_tuning_find(const char *name)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

bool mxt_job_tuning_asked(const struct mxt_job_tuning *row, char *const *environment)
{
	const char *value = mxt_environ_get(environment, row->name);
	const char *still = row->still[0] ? mxt_environ_get(environment, row->still) : NULL;
	bool any_case = row->form == MXT_TUNING_ANY_CASE || row->form == MXT_TUNING_BUT_ANY_CASE;
	bool but = row->form == MXT_TUNING_BUT || row->form == MXT_TUNING_BUT_ANY_CASE;
	if (!value || (still && strcmp(still, row->still_value) == 0))
		return false;
	return (mxt_words_index(row->words, value, strlen(value), any_case) >= 0) != but;
}
