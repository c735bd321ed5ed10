/* SPDX-License-Identifier: Apache-2.0 */
#include "hip_candidates.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

/* What torch's ROCm kernels, those of the Python worker and the libraries below them read. */
const char *const mxt_hip_selectors[] = {
    "AITER_ONLINE_TUNE",
    "AITER_REBUILD",
    "AITER_TUNE_GEMM",
    "DISABLE_ADDMM_CUDA_LT",
    "FLASH_ATTENTION_TRITON_AMD_AUTOTUNE",
    "FLASH_ATTENTION_TRITON_AMD_ENABLE",
    "GPU_MAX_HW_QUEUES",
    "HIPBLASLT_TUNING_MODE",
    "HIPBLASLT_TUNING_OVERRIDE_FILE",
    "HIPBLASLT_TUNING_USER_MAX_WORKSPACE",
    "HIP_FORCE_DEV_KERNARG",
    "HSA_ENABLE_SDMA",
    "HSA_NO_SCRATCH_RECLAIM",
    "MIOPEN_FIND_ENFORCE",
    "MIOPEN_FIND_MODE",
    "PYTORCH_TUNABLEOP_ENABLED",
    "PYTORCH_TUNABLEOP_FILENAME",
    "PYTORCH_TUNABLEOP_HIPBLASLT_ENABLED",
    "PYTORCH_TUNABLEOP_NUMERICAL_CHECK",
    "PYTORCH_TUNABLEOP_RECORD_UNTUNED",
    "PYTORCH_TUNABLEOP_ROCBLAS_ENABLED",
    "PYTORCH_TUNABLEOP_TUNING",
    "ROCBLAS_TENSILE_GEMM_OVERRIDE_PATH",
    "ROCBLAS_USE_HIPBLASLT",
    "ROCM_ALLOW_GROUP_GEMM_CK",
    "TENSILE_SOLUTION_SELECTION_METHOD",
    "TORCH_BLAS_PREFER_CUBLASLT",
    "TORCH_BLAS_PREFER_HIPBLASLT",
    "TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL",
    "TORCH_ROCM_FA_PREFER_CK",
    NULL,
};

#define MAX_SETTINGS 3

/*
 * What makes torch take something else. Which versions heed it is not asked here: AMD's own builds differ from those
 * of the PyTorch project, and the witness says what was taken. Sources: ATen/Context.h and Context.cpp, torch 2.8 to
 * 2.15; rocBLAS, docs/how-to/what-is-rocblas.rst.
 */
struct switch_row {
	enum mxt_problem_kind probe;
	const char *name, *choice; /* of the candidate, and what the decision calls it */
	struct mxt_setting settings[MAX_SETTINGS];
	const char *capability;    /* of the stack, that it needs; NULL: none */
	const char *missing;       /* what to say where the stack has it not */
	const char *ignored;       /* follows "torch VERSION"; NULL: nothing is known of versions that ignore it */
	bool witnessed, bits_tell; /* as in struct mxt_candidate */
};

static const struct switch_row switches[] = {
    {MXT_PROBLEM_ATTENTION,
     "ck",
     "ck",
     {{"TORCH_ROCM_FA_PREFER_CK", "1"}},
     MXT_HIP_CK_ATTENTION,
     "this torch has no CK attention (the PyTorch project's wheels have it from 2.13 on, AMD's own builds from 2.9 on)",
     NULL,
     true,
     true},
    {MXT_PROBLEM_GEMM,
     "rocblas",
     "rocblas",
     {{"TORCH_BLAS_PREFER_HIPBLASLT", "0"}, {"ROCBLAS_USE_HIPBLASLT", "0"}, {"DISABLE_ADDMM_CUDA_LT", "1"}},
     NULL,
     NULL,
     "ignores TORCH_BLAS_PREFER_HIPBLASLT=0 on this GPU: it still takes hipBLASLt (acts from 2.12 on)",
     true,
     false},
};

static bool has_capability(const struct mxt_inventory *inventory, const char *name)
{
	size_t i;
	json_t *capability;
	json_array_foreach(json_object_get(inventory->stack, "capabilities"), i, capability)
	{
		const char *text = json_string_value(capability);
		if (text && strcmp(text, name) == 0)
			return true;
	}
	return false;
}

static json_t *settings_json(const struct switch_row *row)
{
	json_t *env = json_object();
	for (size_t i = 0; env && i < MAX_SETTINGS && row->settings[i].name; i++)
		if (json_object_set_new(env, row->settings[i].name, json_string(row->settings[i].value)) < 0) {
			json_decref(env);
			return NULL;
		}
	return env;
}

static int add(struct mxt_candidate_list *list, const struct switch_row *row, const struct mxt_inventory *inventory)
{
	const char *torch = json_string_value(json_object_get(inventory->stack, "torch"));
	struct mxt_candidate *item = &list->items[list->count++];
	*item = (struct mxt_candidate){.name = strdup(row->name),
				       .env = settings_json(row),
				       .choice = strdup(row->choice),
				       .witnessed = row->witnessed,
				       .bits_tell = row->bits_tell};
	if (!item->name || !item->env || !item->choice)
		return -ENOMEM;
	if (row->capability && !has_capability(inventory, row->capability)) {
		item->skip = strdup(row->missing);
		return item->skip ? 0 : -ENOMEM;
	}
	if (row->ignored && asprintf(&item->ignored, "torch %s %s", torch ? torch : "", row->ignored) < 0) {
		item->ignored = NULL;
		return -ENOMEM;
	}
	return 0;
}

int mxt_hip_candidates(const struct mxt_sysroot *root, const struct mxt_inventory *inventory,
		       enum mxt_problem_kind probe, char *const *environment, struct mxt_candidate_list *ret_list,
		       struct mxt_error *err)
{
	(void)root, (void)environment;
	struct mxt_candidate_list list = {.items = calloc(MXT_ARRAY_LEN(switches), sizeof *list.items),
					  .bare_choice = strdup(probe == MXT_PROBLEM_GEMM ? "hipblaslt" : "aotriton")};
	int rc = list.items && list.bare_choice ? 0 : -ENOMEM;
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(switches); i++)
		if (switches[i].probe == probe)
			rc = add(&list, &switches[i], inventory);
	if (rc < 0) {
		mxt_candidate_list_finish(&list);
		return mxt_error_oom(err);
	}
	*ret_list = list;
	return 0;
}
