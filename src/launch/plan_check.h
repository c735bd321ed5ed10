/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a plan the right one here: for this use, this machine and stack, this config and this number of nodes? What is not
 * right becomes a remark for each.
 */
#ifndef MXT_LAUNCH_PLAN_CHECK_H
#define MXT_LAUNCH_PLAN_CHECK_H

#include <jansson.h>
#include <mindxtrain/mindxtrain.h>
#include <stdint.h>

#include "compiler.h"

struct mxt_error;
struct mxt_plan_machine;
struct mxt_python_packages;
struct mxt_remarks;

/* All borrowed. */
struct mxt_plan_check_request {
	const struct mxt_plan *plan;
	enum mxt_plan_use use;
	const struct mxt_plan_machine *machine;
	const char *config; /* Axolotl YAML; NULL: `run`, whose workload cannot be told */
	/* Of the Python that trains: they decide what the config's attention comes to. NULL: not known. */
	const struct mxt_python_packages *packages;
	const char *torch; /* its version; NULL: not known */
	int64_t nodes;     /* that take part */
	json_t *here;      /* an object that gets "platform" and "stack" as they are here; NULL: not asked */
};

/*
 * Simulated (MXT_ALLOW_SIMULATED) and self-test plans, platform, stack and contract (MXT_E_PLAN_MISMATCH,
 * MXT_ALLOW_MISMATCH), the workload field by field with the line of the config that says otherwise where one does, the
 * number of GPUs and of nodes (MXT_E_GPU_COUNT, MXT_E_LAUNCH_PLAN_NODES, never allowed). A config whose model is not
 * here cannot be compared: that is a mismatch, too. Fails for memory only.
 */
int mxt_plan_check(const struct mxt_plan_check_request *request, struct mxt_remarks *remarks,
		   struct mxt_error *err) MXT_WUR;

#endif
