/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hand-off files for workers: a plan is raced with the files that the job will get, from a private folder that goes
 * when the session does. Internal to src/tune.
 */
#ifndef MXT_TUNE_HANDOFF_FOLDER_H
#define MXT_TUNE_HANDOFF_FOLDER_H

#include <jansson.h>

struct mxt_error;
struct mxt_session;

/*
 * *ret_env (new reference) is `env` (NULL: nothing) as a worker gets it: what names hand-offs names files, which are
 * written as `decision` says. Without any, no folder is made.
 */
int mxt_handoff_folder_export(struct mxt_session *session, const json_t *decision, const json_t *env, json_t **ret_env,
			      struct mxt_error *err);

/* Removes the folder and the files in it; NULL-tolerant. */
void mxt_handoff_folder_remove(const char *path);

#endif
