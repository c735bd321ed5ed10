/* SPDX-License-Identifier: Apache-2.0 */
#include "hip_ranking.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "blas_workspace.h"
#include "torch_device.h"
#include "torch_settings.h"

static bool is_set_to(const char *name, const char *value)
{
	const char *is = getenv(name);
	return is && strcmp(is, value) == 0;
}

/* By what torch says; a torch that does not say is taken at its variable. */
static bool prefers_rocblas(const struct mxt_torch *torch)
{
	const char *library = mxt_torch_blas_library(torch);
	return library[0] ? strcmp(library, "rocblas") == 0 : is_set_to("TORCH_BLAS_PREFER_HIPBLASLT", "0");
}

/* A bias is added by hipBLASLt even where other products go to rocBLAS, unless that is switched off, too. */
static bool through_hipblaslt(const struct mxt_device *device, const struct mxt_task *task)
{
	if (!prefers_rocblas(&device->torch))
		return true;
	bool bias = task->problem.kind == MXT_PROBLEM_GEMM && task->problem.as.gemm.bias;
	return bias && !is_set_to("DISABLE_ADDMM_CUDA_LT", "1");
}

int mxt_hip_rank(struct mxt_hip_ranking *ranking, struct mxt_device *device, struct mxt_task *task, const char *arch,
		 uint64_t limit_ns, struct mxt_ranking *ret_ranking, struct mxt_error *err)
{
	const struct mxt_blas_stack stack = {mxt_blas_torch_minor(device->torch.version.version), 0, arch};
	bool lt = through_hipblaslt(device, task);
	size_t workspace_bytes = mxt_blas_workspace(&stack, lt);
	int rc = mxt_torch_reserve(device, task, err);
	if (rc == 0 && lt)
		rc = mxt_heuristic_check_open(&ranking->hipblaslt, &mxt_hipblaslt, err);
	if (rc < 0)
		return rc;
	if (lt)
		return mxt_heuristic_check_run(&ranking->hipblaslt, device, task, workspace_bytes, limit_ns,
					       ret_ranking, err);
	return mxt_rocblas_check_run(&ranking->rocblas, device, task, workspace_bytes, limit_ns, ret_ranking, err);
}

void mxt_hip_ranking_finish(struct mxt_hip_ranking *ranking, const struct mxt_device *device)
{
	mxt_heuristic_check_finish(&ranking->hipblaslt, device);
	mxt_rocblas_check_finish(&ranking->rocblas, device);
}
