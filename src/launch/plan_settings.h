/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a plan needs of torch that no environment variable can set. The hook in the command's Pythons
 * (python/mindxtrain_plan/launch_hook.py) sets it, and so does the Axolotl plugin.
 */
#ifndef MXT_LAUNCH_PLAN_SETTINGS_H
#define MXT_LAUNCH_PLAN_SETTINGS_H

#include <stdbool.h>

#include "compiler.h"

struct mxt_error;
struct mxt_plan;

struct mxt_plan_settings {
	/*
	 * The kernels that torch's dispatcher has to be turned to, as decision.attention names them; borrowed from the
	 * plan. NULL: the environment alone leads there (a candidate of the device does, or the plan's own evidence saw
	 * it happen under what it exports), or torch's dispatcher is not what the plan asks for.
	 */
	const char *sdpa;
	bool deterministic; /* torch.use_deterministic_algorithms(True): the plan was made for such a job */
};

/* Fails for memory only. */
int mxt_plan_settings(const struct mxt_plan *plan, struct mxt_plan_settings *ret_settings,
		      struct mxt_error *err) MXT_WUR;

/* Is there anything to be set? Then a config for Axolotl gets MXT_PLAN_PLUGIN under `plugins:`, and else nothing. */
bool mxt_plan_needs_plugin(const struct mxt_plan_settings *settings);
#define MXT_PLAN_PLUGIN "mindxtrain_plan.axolotl_plugin.PlanPlugin"

/* Is this one of the kernels that torch's dispatcher chooses from? */
bool mxt_sdpa_has(const char *backend);

/* The candidate that a plan ships in a probe, as its evidence says it; "": it says nothing. */
const char *mxt_plan_winner(const struct mxt_plan *plan, const char *probe);

#endif
