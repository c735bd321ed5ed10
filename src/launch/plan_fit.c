/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_fit.h"

#include <errno.h>
#include <string.h>

#include "buf.h"
#include "device_ops.h"
#include "error.h"
#include "json.h"
#include "plan.h"
#include "plan_diff.h"
#include "platform_gpu.h"
#include "python_packages.h"
#include "variables.h"

void mxt_plan_fit_finish(struct mxt_plan_fit *fit)
{
	json_decref(fit->here);
	json_decref(fit->differences);
	*fit = (struct mxt_plan_fit)MXT_PLAN_FIT_INIT;
}

/* The device's stack here, with the packages that the plan names; NULL when memory ran out. */
static json_t *stack_here(const json_t *planned, const struct mxt_inventory *inventory,
			  const struct mxt_python_packages *packages)
{
	json_t *stack = json_copy(inventory->stack);
	int rc = stack ? 0 : -1;
	for (size_t i = 0; rc == 0 && packages && i < mxt_python_package_count(); i++) {
		const char *name = mxt_python_package_name(i);
		const char *version = mxt_python_package_version(packages, name);
		if (version && json_object_get(planned, name))
			rc = json_object_set_new(stack, name, json_string(version));
	}
	if (rc == 0)
		return stack;
	json_decref(stack);
	return NULL;
}

static int compare(const struct mxt_plan *plan, const struct mxt_plan_machine *machine,
		   const struct mxt_inventory *inventory, struct mxt_plan_fit *ret_fit, struct mxt_error *err)
{
	const json_t *decision = mxt_plan_decision(plan);
	MXT_CLEANUP_JSON json_t *platform = NULL;
	MXT_CLEANUP_JSON json_t *stack = NULL;
	const json_t *planned = json_object_get(decision, "platform");
	const json_t *planned_stack = json_object_get(decision, "stack");
	MXT_CLEANUP_JSON json_t *software = stack_here(planned_stack, inventory, machine->packages);
	MXT_CLEANUP_JSON json_t *here = json_copy(inventory->platform);
	if (!here || !software ||
	    (json_object_get(planned, "link") && inventory->link &&
	     json_object_set_new(here, "link", json_string(inventory->link)) < 0))
		return mxt_error_oom(err);
	int rc = mxt_plan_diff("platform", planned, here, &platform, err);
	if (rc == 0)
		rc = mxt_plan_diff("stack", planned_stack, software, &stack, err);
	if (rc == 0 && json_array_extend(platform, stack) < 0)
		rc = mxt_error_oom(err);
	if (rc == 0)
		ret_fit->here = json_pack("{s:O, s:O}", "platform", here, "stack", software);
	if (rc == 0 && !ret_fit->here)
		rc = mxt_error_oom(err);
	if (rc == 0)
		ret_fit->differences = json_incref(platform);
	return rc;
}

/* Takes the device into the fit when it fits better than what is there. */
static int try_device(const struct mxt_plan *plan, const struct mxt_device_ops *ops,
		      const struct mxt_plan_machine *machine, struct mxt_plan_fit *fit, struct mxt_error *err)
{
	MXT_CLEANUP(mxt_inventory_finish) struct mxt_inventory inventory = {.platform = NULL};
	MXT_CLEANUP(mxt_plan_fit_finish) struct mxt_plan_fit tried = MXT_PLAN_FIT_INIT;
	int rc = ops->inventory(machine->root, &machine->target, machine->nvidia, &inventory, err);
	if (rc == 0)
		rc = compare(plan, machine, &inventory, &tried, err);
	if (rc < 0)
		return rc;
	tried.device = ops->name;
	if (!fit->differences || json_array_size(tried.differences) < json_array_size(fit->differences)) {
		const struct mxt_plan_fit better = tried;
		tried = *fit;
		*fit = better;
	}
	return 0;
}

/* Where nothing can be compared with the plan: why. */
static int no_device(const struct mxt_error *cause, struct mxt_error *err)
{
	if (cause->id == MXT_E_NO_MEMORY)
		return mxt_error_oom(err);
	return mxt_error_set(err, -ENODEV, MXT_E_PLAN_NO_DEVICE,
			     "the plan is sound, but nothing here can be compared with it: %s; see mindxtrain doctor",
			     cause->id ? mxt_error_text(cause) : "there is no device of its kind");
}

/* A variable that may be a contract or chosen is no contract where it has the value that the plan chose. */
static void forget_exported(json_t *here, const json_t *env)
{
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)env, name, value) /* jansson's iterators take no const; nothing is changed */
	{
		if (json_equal(json_object_get(here, name), value))
			(void)json_object_del(here, name);
	}
}

/* Appends where the plan's contract and this environment's differ, each variable by its name. */
static int compare_contract(const struct mxt_plan *plan, char *const *environment, json_t *differences,
			    struct mxt_error *err)
{
	const json_t *decision = mxt_plan_decision(plan);
	MXT_CLEANUP_JSON json_t *nothing = json_object();
	MXT_CLEANUP_JSON json_t *here = NULL;
	MXT_CLEANUP_JSON json_t *contract = NULL;
	const json_t *planned = json_object_get(decision, "contract");
	int rc = nothing ? mxt_variables_contract(environment, &here, err) : mxt_error_oom(err);
	if (rc < 0)
		return rc;
	forget_exported(here, json_object_get(decision, "env"));
	rc = mxt_plan_diff("contract", planned ? planned : nothing, here, &contract, err);
	if (rc == 0 && json_array_extend(differences, contract) < 0)
		rc = mxt_error_oom(err);
	return rc;
}

/* Appends where the plan was made of another recording, or of none. */
static int compare_recording(const struct mxt_plan *plan, const char *recorded, json_t *differences,
			     struct mxt_error *err)
{
	const json_t *workload = json_object_get(mxt_plan_decision(plan), "workload");
	json_t *digest = json_object_get(workload, "recorded");
	MXT_CLEANUP_JSON json_t *planned = json_pack("{s:O*}", "recorded", digest);
	MXT_CLEANUP_JSON json_t *here = json_pack("{s:s}", "recorded", recorded);
	MXT_CLEANUP_JSON json_t *recording = NULL;
	int rc = planned && here ? mxt_plan_diff("workload", planned, here, &recording, err) : mxt_error_oom(err);
	if (rc == 0 && json_array_extend(differences, recording) < 0)
		rc = mxt_error_oom(err);
	return rc;
}

/* Could the plan have been made on such a device? */
static bool comparable(const struct mxt_plan *plan, const struct mxt_device_ops *ops)
{
	const json_t *platform = json_object_get(mxt_plan_decision(plan), "platform");
	const json_t *vendor = json_object_get(platform, "vendor");
	bool amd_gpu = mxt_platform_has_gpu(platform, "amd");
	bool amd_here = ops->vendor && strcmp(ops->vendor, "amd") == 0;
	bool computes = ops->max_workers > 0;
	if (!computes || ops->simulated != mxt_plan_is_simulated(plan))
		return false;
	if (ops->vendor && strcmp(json_string_value(vendor), ops->vendor) != 0)
		return false;
	if (!ops->simulated && amd_gpu != amd_here)
		return false;
	return ops->simulated || ops->needs_torch != mxt_plan_is_self_test(plan);
}

/* GPUs, which have a vendor, or all else. A host takes longer to describe than a GPU that has been asked. */
static void try_devices(const struct mxt_plan *plan, const struct mxt_plan_machine *machine, bool gpus,
			struct mxt_plan_fit *fit, struct mxt_error *cause)
{
	for (const struct mxt_device_ops *const *ops = mxt_devices; *ops; ops++)
		if (((*ops)->vendor != NULL) == gpus && comparable(plan, *ops))
			(void)try_device(plan, *ops, machine, fit, cause);
}

int mxt_plan_fit(const struct mxt_plan *plan, const struct mxt_plan_machine *machine, struct mxt_plan_fit *ret_fit,
		 struct mxt_error *err)
{
	struct mxt_plan_fit fit = MXT_PLAN_FIT_INIT;
	MXT_CLEANUP_ERROR struct mxt_error cause = MXT_ERROR_INIT;
	try_devices(plan, machine, true, &fit, &cause);
	if (!fit.differences)
		try_devices(plan, machine, false, &fit, &cause);
	int rc = fit.differences ? 0 : no_device(&cause, err);
	if (json_array_size(fit.differences) == 0)
		fit.part = MXT_PLAN_PART_CONTRACT;
	if (rc == 0 && machine->environment)
		rc = compare_contract(plan, machine->environment, fit.differences, err);
	if (json_array_size(fit.differences) == 0)
		fit.part = MXT_PLAN_PART_RECORDING;
	if (rc == 0 && machine->recorded)
		rc = compare_recording(plan, machine->recorded, fit.differences, err);
	if (rc < 0)
		mxt_plan_fit_finish(&fit);
	else
		*ret_fit = fit;
	return rc;
}

int mxt_plan_fit_count(const struct mxt_plan_fit *fit, const struct mxt_plan *plan,
		       const struct mxt_plan_machine *machine, struct mxt_error *err)
{
	const json_t *workload = json_object_get(mxt_plan_decision(plan), "workload");
	int64_t gpus = mxt_json_integer(json_object_get(workload, "training"), "gpus");
	const struct mxt_device_ops *ops = mxt_device_find(fit->device);
	if (gpus <= 1)
		return 0;
	return ops->count(machine->root, machine->environment, (int32_t)gpus, err);
}

int mxt_plan_fit_verdict(const struct mxt_plan_fit *fit, struct mxt_error *err)
{
	static const struct {
		const char *whom, *remedy;
	} parts[] = {
	    [MXT_PLAN_PART_MACHINE] = {"machine", "make a plan here"},
	    [MXT_PLAN_PART_CONTRACT] = {"environment", "set these variables as the plan has them, or make a plan here"},
	    [MXT_PLAN_PART_RECORDING] = {"recording", "make a plan of it with autotune --shapes"},
	    [MXT_PLAN_PART_CONFIG] = {"config", "make a plan of it with autotune --config"},
	};
	if (json_array_size(fit->differences) == 0)
		return 0;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_plan_differences_text(fit->differences, "here", "; ", &text);
	return mxt_error_set(err, -ENOTSUP, MXT_E_PLAN_MISMATCH, "the plan does not fit this %s: %s; %s",
			     parts[fit->part].whom, mxt_buf_text(&text), parts[fit->part].remedy);
}
