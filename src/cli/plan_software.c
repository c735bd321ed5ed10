/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_software.h"

#include <stdlib.h>

#include "nvidia_ask.h"
#include "pick_device.h"
#include "plan.h"
#include "plan_fit.h"
#include "platform_gpu.h"
#include "sysroot.h"

void mxt_plan_software_finish(struct mxt_plan_software *software)
{
	mxt_python_finish(&software->python);
	free(software->torch);
	json_decref(software->nvidia);
	*software = (struct mxt_plan_software)MXT_PLAN_SOFTWARE_INIT;
}

int mxt_plan_software_find(const struct mxt_sysroot *root, char *const *environment, const char *named,
			   struct mxt_plan_software *software, struct mxt_error *err)
{
	int rc = mxt_python_find(root, environment, named, &software->python, err);
	if (rc == 0)
		rc = mxt_python_packages_find(root, &software->python, &software->packages, err);
	return rc < 0 ? rc : mxt_torch_of_python(root, &software->python, &software->torch, &software->version, err);
}

static int ask_driver(struct mxt_plan_software *software, struct mxt_plan_machine *machine, struct mxt_error *err)
{
	int rc = mxt_sysroot_is_live(machine->root) ? mxt_nvidia_ask(machine->environment, &software->nvidia, err)
						    : mxt_nvidia_recall(machine->root, &software->nvidia, err);
	if (rc < 0)
		return rc;
	mxt_nvidia_answer_parse(software->nvidia, &software->answer);
	machine->nvidia = software->answer.state == MXT_NVIDIA_TOLD ? software->answer.facts : NULL;
	return 0;
}

int mxt_plan_software_lend(struct mxt_plan_software *software, const struct mxt_plan *plan,
			   struct mxt_plan_machine *machine, struct mxt_error *err)
{
	if (mxt_plan_is_self_test(plan) || mxt_plan_is_simulated(plan))
		return 0;
	machine->target.torch = software->torch;
	machine->packages = &software->packages;
	bool nvidia = mxt_platform_has_gpu(json_object_get(mxt_plan_decision(plan), "platform"), "nvidia");
	return nvidia ? ask_driver(software, machine, err) : 0;
}
