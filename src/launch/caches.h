/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where libraries keep what they tuned or compiled at run time (caches.def): Triton, Inductor, MIOpen, TunableOp,
 * AITER, CUDA, hipBLASLt. What appears there during a run says that something was tuned or compiled in it, by the run
 * or by a job beside it that shares the place.
 */
#ifndef MXT_LAUNCH_CACHES_H
#define MXT_LAUNCH_CACHES_H

#include <jansson.h>

#include "compiler.h"

struct mxt_error;
struct mxt_caches;

/*
 * Where they are under this environment (NULL-ended), and the time from which on a change counts: by the time of the
 * last change that the file system keeps for each file, so that nothing large is read now. A file server's clock is
 * taken to agree with this host's.
 */
int mxt_caches_create(char *const *environment, struct mxt_caches **ret_caches, struct mxt_error *err) MXT_WUR;
void mxt_caches_destroy(struct mxt_caches *caches);

/* One more folder: what no variable names, such as .../site-packages/aiter/jit for "aiter" (a row's name, static). */
int mxt_caches_add(struct mxt_caches *caches, const char *cache, const char *folder, struct mxt_error *err) MXT_WUR;

/*
 * What has appeared or changed since: [{"cache": "triton", "path", "new": N, "tuned": N (files that hold choices),
 * "examples": [names, those with choices first]}], new reference, empty when nothing has. Bounded in number and time: a
 * folder too large to be looked at whole is named with "partly": true.
 */
int mxt_caches_changes(const struct mxt_caches *caches, json_t **ret_changes, struct mxt_error *err) MXT_WUR;

static inline void mxt_caches_cleanup_(struct mxt_caches **caches)
{
	mxt_caches_destroy(*caches);
}
#define MXT_CLEANUP_CACHES MXT_CLEANUP(mxt_caches_cleanup_)

#endif
