/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_fit.h"

#include <errno.h>

#include "buf.h"
#include "device_ops.h"
#include "error.h"
#include "json.h"
#include "plan.h"
#include "plan_diff.h"

void mxt_plan_fit_finish(struct mxt_plan_fit *fit)
{
	json_decref(fit->differences);
	*fit = (struct mxt_plan_fit)MXT_PLAN_FIT_INIT;
}

static int compare(const struct mxt_plan *plan, const struct mxt_inventory *inventory, json_t **ret_differences,
		   struct mxt_error *err)
{
	const json_t *decision = mxt_plan_decision(plan);
	MXT_CLEANUP_JSON json_t *platform = NULL;
	MXT_CLEANUP_JSON json_t *stack = NULL;
	int rc = mxt_plan_diff("platform", json_object_get(decision, "platform"), inventory->platform, &platform, err);
	if (rc == 0)
		rc = mxt_plan_diff("stack", json_object_get(decision, "stack"), inventory->stack, &stack, err);
	if (rc == 0 && json_array_extend(platform, stack) < 0)
		rc = mxt_error_oom(err);
	if (rc == 0)
		*ret_differences = json_incref(platform);
	return rc;
}

/* Takes the device into the fit when it fits better than what is there. */
static int try_device(const struct mxt_plan *plan, const struct mxt_device_ops *ops, const struct mxt_sysroot *root,
		      struct mxt_plan_fit *fit, struct mxt_error *err)
{
	MXT_CLEANUP(mxt_inventory_finish) struct mxt_inventory inventory = {.platform = NULL};
	MXT_CLEANUP_JSON json_t *differences = NULL;
	const struct mxt_device_target none = {.torch = NULL};
	int rc = ops->inventory(root, &none, NULL, &inventory, err);
	if (rc == 0)
		rc = compare(plan, &inventory, &differences, err);
	if (rc < 0)
		return rc;
	if (!fit->differences || json_array_size(differences) < json_array_size(fit->differences)) {
		json_decref(fit->differences);
		*fit = (struct mxt_plan_fit){ops->name, json_incref(differences)};
	}
	return 0;
}

int mxt_plan_fit(const struct mxt_plan *plan, const struct mxt_sysroot *root, struct mxt_plan_fit *ret_fit,
		 struct mxt_error *err)
{
	struct mxt_plan_fit fit = MXT_PLAN_FIT_INIT;
	MXT_CLEANUP_ERROR struct mxt_error cause = MXT_ERROR_INIT;
	for (const struct mxt_device_ops *const *ops = mxt_devices; *ops; ops++)
		if ((*ops)->simulated == mxt_plan_is_simulated(plan))
			(void)try_device(plan, *ops, root, &fit, &cause);
	if (fit.differences) {
		*ret_fit = fit;
		return 0;
	}
	if (cause.id == MXT_E_NO_MEMORY)
		return mxt_error_oom(err);
	return mxt_error_set(err, -ENODEV, MXT_E_PLAN_NO_DEVICE,
			     "the plan is sound, but nothing here can be compared "
			     "with it: %s; see mindxtrain doctor",
			     cause.id ? mxt_error_text(&cause) : "there is no device of its kind");
}

int mxt_plan_fit_verdict(const struct mxt_plan_fit *fit, struct mxt_error *err)
{
	if (json_array_size(fit->differences) == 0)
		return 0;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_plan_differences_text(fit->differences, "here", "; ", &text);
	return mxt_error_set(err, -ENOTSUP, MXT_E_PLAN_MISMATCH,
			     "the plan does not fit this machine: %s; make a plan here, or confirm this one with "
			     "mindxtrain autotune --against",
			     mxt_buf_text(&text));
}
