/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does a config train what a plan is for?
 */
#ifndef MXT_LAUNCH_WORKLOAD_CHECK_H
#define MXT_LAUNCH_WORKLOAD_CHECK_H

#include <jansson.h>

#include "compiler.h"

struct mxt_error;
struct mxt_plan;
struct mxt_python_packages;
struct mxt_remarks;

/* All borrowed. */
struct mxt_workload_check_request {
	const struct mxt_plan *plan;
	const char *config;       /* Axolotl YAML */
	char *const *environment; /* where models are looked for; NULL-ended */
	/* Of the Python that trains: they decide what the config's attention comes to. NULL: not known. */
	const struct mxt_python_packages *packages;
	const char *torch; /* its version; NULL: not known */
};

/*
 * Makes the config's workload as autotune does, for as many GPUs and nodes as the plan has, and compares it with the
 * plan's. What a config cannot say is the plan's: how shapes were cut, what was recorded, that kernels must repeat
 * their results. *ret_differences (new reference): as from mxt_plan_diff(), each with a member "where" that names the
 * lines of the config that stand for the field: "run.yaml:3: sequence_len". MXT_E_PLAN_MISMATCH for a plan of a
 * recording alone, which nothing of a config can be compared with; errors of the config and of its model.
 */
int mxt_workload_differences(const struct mxt_workload_check_request *request, json_t **ret_differences,
			     struct mxt_error *err) MXT_WUR;

/*
 * The same as remarks, each refused under MXT_ALLOW_MISMATCH, and so is a config that cannot be compared; that a plan
 * is of a recording alone is a note. What arguments change behind the config is axolotl_policy.h's. Fails for memory
 * only.
 */
int mxt_workload_check(const struct mxt_workload_check_request *request, struct mxt_remarks *remarks,
		       struct mxt_error *err) MXT_WUR;

#endif
