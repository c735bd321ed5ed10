/* SPDX-License-Identifier: Apache-2.0 */
#include "pick_attention.h"

#include <string.h>

#include "device_ops.h"
#include "environ.h"
#include "python_env.h"
#include "python_packages.h"
#include "recorded_machine.h"
#include "sysroot.h"
#include "torch_install.h"

static const char *version_of(const struct mxt_python_packages *packages, const char *name)
{
	return mxt_python_package_version(packages, name);
}

/* A Python without torch is not the one that trains: nothing follows from what it lacks. */
static struct mxt_attention_stack stack_of(char *const *environment, const struct mxt_python_packages *packages,
					   const struct mxt_torch_list *torches, const struct mxt_device_ops *ops)
{
	const char *triton = mxt_environ_get(environment, "FLASH_ATTENTION_TRITON_AMD_ENABLE");
	bool trains = torches->count > 0;
	return (struct mxt_attention_stack){
	    .known = trains,
	    .axolotl = version_of(packages, "axolotl"),
	    .torch = trains ? torches->items[0].files.version : NULL,
	    .transformers = version_of(packages, "transformers"),
	    .kernels = version_of(packages, "kernels"),
	    .flash_attn = version_of(packages, "flash_attn"),
	    .flash_attn_3 = version_of(packages, "flash_attn_3"),
	    .flash_attn_4 = version_of(packages, "flash_attn_4"),
	    .xformers = version_of(packages, "xformers"),
	    .sageattention = version_of(packages, "sageattention"),
	    .cuda = ops->vendor && strcmp(ops->vendor, "nvidia") == 0,
	    .rocm = ops->vendor && strcmp(ops->vendor, "amd") == 0,
	    .flash_triton = triton && strcmp(triton, "TRUE") == 0,
	};
}

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
	const struct mxt_attention_stack stack = stack_of(machine->environment, &packages, &torches, ops);
	mxt_today_resolve(workload, &stack, ret_today);
	return mxt_attention_today_apply(&ret_today->yours, workload, err);
}
