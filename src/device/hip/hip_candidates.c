/* SPDX-License-Identifier: Apache-2.0 */
#include "hip_candidates.h"

#include <string.h>

#include "error.h"

/* What torch's ROCm kernels and the libraries below them read. */
const char *const mxt_hip_selectors[] = {
    "DISABLE_ADDMM_CUDA_LT",
    "HIPBLASLT_TUNING_MODE",
    "HIPBLASLT_TUNING_OVERRIDE_FILE",
    "HIPBLASLT_TUNING_USER_MAX_WORKSPACE",
    "PYTORCH_TUNABLEOP_ENABLED",
    "PYTORCH_TUNABLEOP_FILENAME",
    "PYTORCH_TUNABLEOP_HIPBLASLT_ENABLED",
    "PYTORCH_TUNABLEOP_RECORD_UNTUNED",
    "PYTORCH_TUNABLEOP_ROCBLAS_ENABLED",
    "PYTORCH_TUNABLEOP_TUNING",
    "ROCBLAS_USE_HIPBLASLT",
    "TORCH_BLAS_PREFER_HIPBLASLT",
    "TORCH_ROCM_FA_PREFER_CK",
    NULL,
};

int mxt_hip_candidates(const struct mxt_sysroot *root, const struct mxt_inventory *inventory,
		       enum mxt_problem_kind probe, char *const *environment, struct mxt_candidate_list *ret_list,
		       struct mxt_error *err)
{
	(void)root, (void)inventory, (void)environment;
	struct mxt_candidate_list list = {.bare_choice = strdup(probe == MXT_PROBLEM_GEMM ? "hipblaslt" : "aotriton")};
	if (!list.bare_choice)
		return mxt_error_oom(err);
	*ret_list = list;
	return 0;
}
