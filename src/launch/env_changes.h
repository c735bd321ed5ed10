/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an environment gets and loses before a command is started under it. The first who wants something of a variable
 * gets it: the plan is asked first.
 */
#ifndef MXT_LAUNCH_ENV_CHANGES_H
#define MXT_LAUNCH_ENV_CHANGES_H

#include <jansson.h>
#include <stddef.h>

#include "compiler.h"

struct mxt_error;

struct mxt_env_change {
	char *name;     /* owned */
	char *to;       /* owned; NULL: removed */
	const char *by; /* MXT_ENV_BY_...; static */
};

struct mxt_env_changes {
	struct mxt_env_change *items; /* owned */
	size_t count, capacity;
};
#define MXT_ENV_CHANGES_INIT                                                                                           \
	{                                                                                                              \
		NULL, 0, 0                                                                                             \
	}
#define MXT_CLEANUP_ENV_CHANGES MXT_CLEANUP(mxt_env_changes_finish)

void mxt_env_changes_finish(struct mxt_env_changes *changes);

/* `to` NULL removes. Nothing is done where somebody wants something of `name` already. 0 or -ENOMEM. */
int mxt_env_changes_add(struct mxt_env_changes *changes, const char *name, const char *to, const char *by,
			struct mxt_error *err) MXT_WUR;

/* What is wanted of the variable whose name is the first `len` bytes; NULL: nothing. */
const struct mxt_env_change *mxt_env_changes_find(const struct mxt_env_changes *changes, const char *name, size_t len);

/*
 * `caller` with the changes made, to be released with mxt_environment_destroy(). Of a name that is there twice only the
 * first is kept: it is the one that programs see. 0 or -ENOMEM.
 */
int mxt_env_changes_apply(const struct mxt_env_changes *changes, char *const *caller, char ***ret_environment,
			  struct mxt_error *err) MXT_WUR;

/*
 * {NAME: {"from", "to", "by"}} of those that change something or set what is set already, new reference. "from" is
 * left out where nothing was set, and where the value is not one that may be shown (mxt_variable_shows()):
 * "from_hash", its BLAKE3, then stands for it. "to" is left out where the variable is removed.
 */
int mxt_env_changes_json(const struct mxt_env_changes *changes, char *const *caller, json_t **ret_json,
			 struct mxt_error *err) MXT_WUR;

#endif
