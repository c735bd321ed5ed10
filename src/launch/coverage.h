/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the processes of a training saw of themselves, and how much of it the plan speaks about. They leave files in the
 * run's folder ranks/ (python/mindxtrain_plan/launch_hook.py): witnesses of what computed attention, and a recording of
 * two steps.
 */
#ifndef MXT_LAUNCH_COVERAGE_H
#define MXT_LAUNCH_COVERAGE_H

#include <jansson.h>
#include <stdbool.h>

#include "compiler.h"

struct mxt_error;
struct mxt_plan;

struct mxt_run_proof {
	json_t
	    *coverage; /* owned: {"share_ppm", "gemm_ppm", "attention_ppm", "basis": "measured times" or "operations",
			  "largest_unplanned": [...], "pins": {"hits", "misses"}}, or {"unknown": why} */
	json_t *witnesses; /* owned: [{"rank", "what": "sdpa", "saw": "cudnn", "planned": "cudnn"}] */
	bool contradicted; /* a witness saw something else than the plan says */
};
void mxt_run_proof_finish(struct mxt_run_proof *proof);

/* Object of strings: what the command's environment needs so that its Pythons leave these files. `ranks`: folder. */
int mxt_coverage_environment(char *const *caller, const struct mxt_plan *plan, const char *ranks, bool records,
			     json_t **ret_environment, struct mxt_error *err) MXT_WUR;

/* Reads the folder, as untrusted. Fails for memory only: what cannot be told is said to be unknown. */
int mxt_run_proof_read(const char *ranks, const struct mxt_plan *plan, struct mxt_run_proof *ret_proof,
		       struct mxt_error *err) MXT_WUR;

#endif
