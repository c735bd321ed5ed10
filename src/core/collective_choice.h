/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be chosen for the collectives of 8 GPUs that xGMI joins: the rows of collective_choices.def. All of it is
 * from documents and sources; a row that is marked as documented may be shipped without a measurement, and says so.
 */
#ifndef MXT_CORE_COLLECTIVE_CHOICE_H
#define MXT_CORE_COLLECTIVE_CHOICE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

/* A release of ROCm, as far as rules depend on it. */
struct mxt_rocm_release {
	unsigned major, minor;
};

struct mxt_collective_setting {
	const char *name, *value;
};

struct mxt_collective_choice {
	const char *name; /* "announced" */
	struct mxt_collective_setting settings[2];
	struct mxt_rocm_release since, until; /* for which they are known to act as meant */
	bool documented;                      /* what ships where nothing is measured */
	const char *source;                   /* who says that they help, as a phrase */
};

size_t mxt_collective_choice_count(void);
const struct mxt_collective_choice *mxt_collective_choice_at(size_t i);

/* What ships where nothing is measured. */
const struct mxt_collective_choice *mxt_collective_choice_documented(void);

/* The variables of all rows, ascending, ended by NULL: a plan for such GPUs decides on every one of them. */
extern const char *const mxt_collective_variables[];

/* The settings as an object of strings: new reference; NULL when memory ran out. */
json_t *mxt_collective_choice_env(const struct mxt_collective_choice *choice);

/* Appends "NAME=value NAME=value"; and "ROCm 6.2 to 7.2". */
void mxt_collective_choice_settings(const struct mxt_collective_choice *choice, struct mxt_buf *buf);
void mxt_collective_choice_versions(const struct mxt_collective_choice *choice, struct mxt_buf *buf);

/*
 * Is the row meant for these GPUs? `platform` and `stack` are those of a decision. Where it is not, false, with the
 * reason appended to `why`, as a phrase.
 */
bool mxt_collective_choice_applies(const struct mxt_collective_choice *choice, const json_t *platform,
				   const json_t *stack, struct mxt_buf *why);

#endif
