/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What our hook in the Pythons of a command is told (python/mindxtrain_plan/launch_hook.py). It leaves the files that
 * run_proof.h reads.
 */
#ifndef MXT_LAUNCH_HOOK_ENVIRONMENT_H
#define MXT_LAUNCH_HOOK_ENVIRONMENT_H

#include <jansson.h>
#include <stdbool.h>

#include "compiler.h"

struct mxt_error;
struct mxt_plan;

/* How many steps are recorded, after one that is not. */
#define MXT_HOOK_STEPS 2

/*
 * Object of strings, new reference: what the command's environment needs so that its Pythons leave files in `ranks`,
 * and set what the plan needs of torch beside its variables (plan_settings.h). `ranks`: absolute path of the folder.
 *
 *   PYTHONPATH               the hook's folder and that of our package, before what the caller has
 *   MXT_LAUNCH_DIR           `ranks`
 *   MXT_LAUNCH_STEPS         MXT_HOOK_STEPS, with `records` only
 *   MXT_LAUNCH_SDPA          the kernels that torch's dispatcher is turned to; only where the plan needs it
 *   MXT_LAUNCH_DETERMINISTIC 1: torch.use_deterministic_algorithms(True); only where the plan was made for it
 *
 * Those that the caller has from a run around this one, and that are not needed here, are set to nothing.
 * MXT_E_PYTHON_FILES when our Python files are not there.
 */
int mxt_hook_environment(char *const *caller, const struct mxt_plan *plan, const char *ranks, bool records,
			 json_t **ret_environment, struct mxt_error *err) MXT_WUR;

#endif
