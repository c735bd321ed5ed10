/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the processes of a training saw of themselves, and how much of it the plan speaks about. They leave files in the
 * run's folder ranks/ (python/mindxtrain_plan/launch_hook.py):
 *
 *   witness-PID.json     what computed attention in a process (witnesses.h)
 *   part-RANK-PID.json   a recording of some steps of the node's first rank (time_share.h)
 */
#ifndef MXT_LAUNCH_COVERAGE_H
#define MXT_LAUNCH_COVERAGE_H

#include <jansson.h>
#include <stdbool.h>

#include "compiler.h"

struct mxt_error;
struct mxt_plan;

/* How many steps are recorded, after one that is not. */
#define MXT_COVERAGE_STEPS 2

struct mxt_run_proof {
	json_t *coverage;  /* owned: see mxt_time_share(), or {"unknown": why} */
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
 * Object of strings, new reference: what the command's environment needs so that its Pythons leave these files, and
 * set what the plan needs of torch beside its variables (plan_settings.h). `ranks`: absolute path of the folder.
 *
 *   PYTHONPATH               the hook's folder and that of our package, before what the caller has
 *   MXT_LAUNCH_DIR           `ranks`
 *   MXT_LAUNCH_STEPS         MXT_COVERAGE_STEPS, with `records` only
 *   MXT_LAUNCH_SDPA          the kernels that torch's dispatcher is turned to; only where the plan needs it
 *   MXT_LAUNCH_DETERMINISTIC 1: torch.use_deterministic_algorithms(True); only where the plan was made for it
 *
 * Those that the caller has from a run around this one, and that are not needed here, are set to nothing.
 * MXT_E_PYTHON_FILES when our Python files are not there.
 */
int mxt_coverage_environment(char *const *caller, const struct mxt_plan *plan, const char *ranks, bool records,
			     json_t **ret_environment, struct mxt_error *err) MXT_WUR;

/* Reads the folder, as untrusted. Fails for memory only: what cannot be told is said to be unknown. */
int mxt_run_proof_read(const char *ranks, const struct mxt_plan *plan, struct mxt_run_proof *ret_proof,
		       struct mxt_error *err) MXT_WUR;

#endif
