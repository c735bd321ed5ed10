/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folders in which libraries keep what they tuned or compiled at run time: Triton, Inductor, MIOpen, TunableOp,
 * AITER, CUDA. What appears in them during a run says that something was tuned or compiled in it.
 */
#ifndef MXT_LAUNCH_CACHES_H
#define MXT_LAUNCH_CACHES_H

#include <jansson.h>
#include <stdint.h>

#include "compiler.h"

struct mxt_error;
struct mxt_caches;

/* Where they are under this environment (NULL-ended), and what is in them now: bounded in number and time. */
int mxt_caches_open(char *const *environment, struct mxt_caches **ret_caches, struct mxt_error *err) MXT_WUR;
void mxt_caches_close(struct mxt_caches *caches);

/*
 * What has appeared or changed since: [{"cache": "triton", "path", "new": N, "tuned": N (files that hold choices),
 * "examples": [names]}], new reference, empty when nothing has. A folder too large to be looked at whole is named with
 * "partly": true.
 */
int mxt_caches_changes(const struct mxt_caches *caches, json_t **ret_changes, struct mxt_error *err) MXT_WUR;

#endif
