/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Environments of candidates: NULL-ended arrays of NAME=value, owned as a whole.
 */
#ifndef MXT_TUNE_ENVIRONMENT_H
#define MXT_TUNE_ENVIRONMENT_H

#include <jansson.h>
#include <stdbool.h>

struct mxt_error;

/* `caller` without the selectors of any stack, to be released with mxt_environment_destroy(). 0 or -ENOMEM. */
int mxt_environment_bare(char *const *caller, char ***ret_bare, struct mxt_error *err);

/*
 * Objects of strings, new references, NULL when memory ran out: the variables of `names` (NULL-ended) that `caller`
 * sets; and, as an array, the names that `env` does not set.
 */
json_t *mxt_environment_pick(char *const *caller, const char *const *names);
json_t *mxt_environment_rest(const json_t *env, const char *const *names);

/* Is `name` one of `names` (NULL-ended)? */
bool mxt_environment_lists(const char *const *names, const char *name);

/* `base` with the variables of the object `env` (strings) set on top; released and failing as above. */
int mxt_environment_with(char *const *base, const json_t *env, char ***ret_environment, struct mxt_error *err);

/* Releases the array and its strings; NULL-tolerant. */
void mxt_environment_destroy(char **environment);

static inline void mxt_environment_cleanup(char ***environment)
{
	mxt_environment_destroy(*environment);
}

#endif
