/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the processes of a training saw of themselves, and how much of it the plan speaks about. They leave files in the
 * run's folder ranks/ (python/mindxtrain_plan/launch_hook.py):
 *
 *   witness-PID.json     what computed attention in a process (witnesses.h)
 *   part-RANK-PID.json   a recording of some steps of the node's first rank (time_share.h)
 */
#ifndef MXT_LAUNCH_RUN_PROOF_H
#define MXT_LAUNCH_RUN_PROOF_H

#include <jansson.h>
#include <stdbool.h>

#include "compiler.h"

struct mxt_error;
struct mxt_plan;

struct mxt_run_proof {
	json_t *coverage;  /* owned: see mxt_time_share(), or {"unknown": why}; NULL: nothing was to be recorded */
	json_t *witnesses; /* owned: see struct mxt_witnesses */
	bool contradicted; /* a witness saw something else than the plan says */
};
#define MXT_RUN_PROOF_INIT                                                                                             \
	{                                                                                                              \
		NULL, NULL, false                                                                                      \
	}
#define MXT_CLEANUP_RUN_PROOF MXT_CLEANUP(mxt_run_proof_finish)
void mxt_run_proof_finish(struct mxt_run_proof *proof);

/*
 * Reads the folder, as untrusted. `records`: a recording was asked for. Fails for memory only: what cannot be told is
 * said to be unknown.
 */
int mxt_run_proof_read(const char *ranks, const struct mxt_plan *plan, bool records, struct mxt_run_proof *ret_proof,
		       struct mxt_error *err) MXT_WUR;

#endif
