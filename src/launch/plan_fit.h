/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does a plan fit this machine?
 */
#ifndef MXT_LAUNCH_PLAN_FIT_H
#define MXT_LAUNCH_PLAN_FIT_H

#include <jansson.h>
#include <stdbool.h>

#include "compiler.h"
#include "device_ops.h"

struct mxt_error;
struct mxt_plan;
struct mxt_python_packages;
struct mxt_sysroot;

/* What the plan is held against. All borrowed. */
struct mxt_plan_machine {
	const struct mxt_sysroot *root;
	char *const *environment; /* NULL: not known */
	struct mxt_device_target target;
	const struct mxt_python_packages *packages; /* of the Python that trains; NULL: not known */
	const char *recorded;                       /* digest of the recording that is to be trained; NULL: not asked */
	const json_t *nvidia;                       /* facts of NVIDIA's surveyor; NULL: there are none */
};

/* In the order in which they are compared. */
enum mxt_plan_part {
	MXT_PLAN_PART_MACHINE,
	MXT_PLAN_PART_CONTRACT,
	MXT_PLAN_PART_RECORDING,
	MXT_PLAN_PART_CONFIG, /* by the caller: see workload_check.h */
};

struct mxt_plan_fit {
	const char *device;      /* the device that fits best: its name */
	json_t *here;            /* owned: {"platform", "stack"} of it, in the plan's form */
	json_t *differences;     /* owned: mxt_plan_diff() of all parts; left the plan, right here */
	enum mxt_plan_part part; /* of the first difference */
};
#define MXT_PLAN_FIT_INIT                                                                                              \
	{                                                                                                              \
		NULL, NULL, NULL, MXT_PLAN_PART_MACHINE                                                                \
	}

/*
 * Compares platform and stack with the GPUs that are here, or, where there are none of the plan's maker, with the host;
 * simulated plans with simulated devices, self-test plans with the built-in provider, others with real ones.
 * MXT_E_PLAN_NO_DEVICE when there is none to compare with. Then
 * compares the contract with the environment (unless that is not known), in which what the plan itself exports may be
 * in force already. Then the recording, if there is one.
 */
int mxt_plan_fit(const struct mxt_plan *plan, const struct mxt_plan_machine *machine, struct mxt_plan_fit *ret_fit,
		 struct mxt_error *err) MXT_WUR;
void mxt_plan_fit_finish(struct mxt_plan_fit *fit);

/*
 * Could the plan's job have as many devices here? 0, or why not as the device says it (MXT_E_GPU_COUNT, or that none
 * can be used).
 */
int mxt_plan_fit_count(const struct mxt_plan_fit *fit, const struct mxt_plan *plan,
		       const struct mxt_plan_machine *machine, struct mxt_error *err) MXT_WUR;

/* MXT_E_PLAN_MISMATCH naming every field that differs; 0 when none does. */
int mxt_plan_fit_verdict(const struct mxt_plan_fit *fit, struct mxt_error *err);

#endif
