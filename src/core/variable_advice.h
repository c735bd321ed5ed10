/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of variables that do not do what they seem to: read by no version or not by this one, spelt otherwise, known to
 * nobody.
 */
#ifndef MXT_CORE_VARIABLE_ADVICE_H
#define MXT_CORE_VARIABLE_ADVICE_H

#include <stdbool.h>

struct mxt_advice_sink;
struct mxt_variable;

/* Versions of those who read; NULL or "": not known. */
struct mxt_reader_versions {
	const char *torch, *nccl, *rccl;
};

/* Is the reader that is here too old or too new to read the variable? False where that is not known. */
bool mxt_variable_unread(const struct mxt_variable *row, const struct mxt_reader_versions *versions);

/*
 * Looks at every name of `environment` (NULL-ended). Names of no known family are left alone: most of an environment is
 * about something else.
 */
void mxt_variable_advise(char *const *environment, const struct mxt_reader_versions *versions,
			 const struct mxt_advice_sink *sink);

#endif
