/* SPDX-License-Identifier: Apache-2.0 */
#include "pick_attention.h"

#include "attention_stack.h"
#include "device_ops.h"
#include "python_env.h"
#include "python_packages.h"
#include "recorded_machine.h"
#include "torch_install.h"

int mxt_attention_pick(const struct mxt_machine *machine, const char *python, const struct mxt_device_ops *ops,
		       struct mxt_workload *workload, struct mxt_today *ret_today, struct mxt_error *err)
{
	MXT_CLEANUP_PYTHON struct mxt_python found = MXT_PYTHON_INIT;
	MXT_CLEANUP_TORCH struct mxt_torch_list torches = MXT_TORCH_LIST_INIT;
	struct mxt_python_packages packages = {.versions = {""}};
	int rc = mxt_python_find(&machine->root, machine->environment, python, &found, err);
	if (rc == 0 && found.interpreter)
		rc = mxt_torch_find(&machine->root, &found, &torches, err);
	if (rc == 0 && torches.count > 0)
		rc = mxt_python_packages_find(&machine->root, &found, &packages, err);
	if (rc < 0)
		return rc;
	const char *torch = torches.count > 0 ? torches.items[0].files.version : NULL;
	const struct mxt_attention_stack stack =
	    mxt_attention_stack_of(machine->environment, &packages, torch, ops->vendor);
	mxt_today_resolve(workload, &stack, ret_today);
	return mxt_attention_today_apply(&ret_today->yours, workload, err);
}
