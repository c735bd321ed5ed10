/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which revision of its source a folder holds, as git(1) says.
 */
#ifndef MXT_WORKER_GIT_STATE_H
#define MXT_WORKER_GIT_STATE_H

#include <jansson.h>

#include "compiler.h"

struct mxt_error;

/*
 * New reference:
 *
 *   {"revision": of HEAD, left out before the first commit, "branch": left out when none is checked out,
 *    "changed": how many tracked files are not as in the revision, "untracked": how many files and folders git neither
 *    tracks nor ignores}
 *   {"unknown": why: no repository, no git, a repository of somebody else ...}
 *
 * git runs with `environment` but for variables that lead it elsewhere, has a few seconds, writes nothing, and runs
 * nothing of the repository. Only memory that runs out is an error. Call from the main thread only.
 */
int mxt_git_state(const char *folder, char *const *environment, json_t **ret_state, struct mxt_error *err) MXT_WUR;

/* The same from what `git status --porcelain=v2 --branch` printed. */
int mxt_git_state_parse(const char *text, json_t **ret_state, struct mxt_error *err) MXT_WUR;

#endif
