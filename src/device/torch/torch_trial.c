/* SPDX-License-Identifier: Apache-2.0 */
#include "torch_trial.h"

#include <string.h>

#include "torch_device.h"

static const struct mxt_problem problems[] = {
    {.kind = MXT_PROBLEM_GEMM,
     .as.gemm = {.m = 128, .n = 128, .k = 128, .lda = 128, .ldb = 128, .ldc = 128, .dtype = MXT_DTYPE_BF16}},
    {.kind = MXT_PROBLEM_ATTENTION,
     .as.attention = {.batch = 1,
		      .seq = 128,
		      .heads = 8,
		      .kv_heads = 8,
		      .head_dim = 128,
		      .causal = true,
		      .dtype = MXT_DTYPE_BF16,
		      .direction = MXT_BACKWARD}},
};

static void call_once(struct mxt_device *device, const struct mxt_problem *problem)
{
	struct mxt_task *task = NULL;
	uint64_t ns = 0;
	if (mxt_torch_device_prepare(device, problem, &task, NULL) < 0)
		return;
	const struct mxt_step step = {task, 0};
	(void)mxt_torch_device_time(device, &step, 1, 1, &ns, NULL);
	mxt_torch_device_release(device, task);
}

static bool is_wanted(const struct mxt_device_target *target, const struct mxt_problem *problem)
{
	const char *probe = mxt_problem_kind_name(problem->kind);
	return target->probe && (strcmp(target->probe, probe) == 0 || strcmp(target->probe, "layer") == 0);
}

void mxt_torch_device_warm_up(struct mxt_device *device, const struct mxt_device_target *target)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(problems); i++)
		if (is_wanted(target, &problems[i]))
			call_once(device, &problems[i]);
}

static bool check_once(struct mxt_device *device, const struct mxt_problem *problem, struct mxt_check *ret_check)
{
	struct mxt_task *task = NULL;
	if (mxt_torch_device_prepare(device, problem, &task, NULL) < 0)
		return false;
	int rc = mxt_torch_device_check(device, task, ret_check, NULL);
	mxt_torch_device_release(device, task);
	return rc == 0;
}

bool mxt_torch_device_try(struct mxt_device *device, const struct mxt_device_target *target, enum mxt_problem_kind kind,
			  struct mxt_check *ret_check)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(problems); i++)
		if (problems[i].kind == kind && is_wanted(target, &problems[i]))
			return check_once(device, &problems[i], ret_check);
	return false;
}
