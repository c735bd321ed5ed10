/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_candidates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "number.h"

/* What torch's CUDA kernels and the libraries below them read. */
const char *const mxt_cuda_selectors[] = {
    "CUBLASLT_HEURISTICS_CACHE_CAPACITY",
    "CUBLASLT_WORKSPACE_SIZE",
    "DISABLE_ADDMM_CUDA_LT",
    "PYTORCH_TUNABLEOP_ENABLED",
    "PYTORCH_TUNABLEOP_FILENAME",
    "PYTORCH_TUNABLEOP_TUNING",
    "TORCH_BLAS_PREFER_CUBLASLT",
    "TORCH_CUDNN_SDPA_AVOID_RECOMPILE",
    "TORCH_CUDNN_SDPA_DEPRIORITIZED",
    "TORCH_CUDNN_SDPA_PREFERRED",
    NULL,
};

/*
 * A switch and the versions of torch that read it (facts of the releases' sources; every one of them is witnessed again
 * where it runs). until: the last one; 0: still.
 */
struct switch_row {
	enum mxt_problem_kind probe;
	const char *name, *choice; /* of the candidate, and what the decision calls it */
	const char *variable;
	unsigned since, until; /* minor of torch 2 */
	bool deterministic;
	bool first_calls; /* see struct mxt_candidate */
};

static const struct switch_row switches[] = {
    {MXT_PROBLEM_ATTENTION, "flash", "flash", "TORCH_CUDNN_SDPA_DEPRIORITIZED", 11, 0, false, false},
    {MXT_PROBLEM_ATTENTION, "cudnn", "cudnn", "TORCH_CUDNN_SDPA_PREFERRED", 9, 10, false, false},
    /*
     * One plan for all lengths up to the next power of two, where it acts: without a mask, and for tensors stored
     * [batch, sequence, heads, head_dim]. Before 2.11 cuDNN is not what torch takes by itself.
     */
    {MXT_PROBLEM_ATTENTION, "cudnn-avoid-recompile", "cudnn", "TORCH_CUDNN_SDPA_AVOID_RECOMPILE", 11, 0, false, true},
    {MXT_PROBLEM_GEMM, "cublaslt", "cublaslt", "TORCH_BLAS_PREFER_CUBLASLT", 3, 0, true, false},
};

static unsigned torch_minor(const struct mxt_inventory *inventory)
{
	const char *version = json_string_value(json_object_get(inventory->stack, "torch"));
	uint64_t minor = 0;
	if (!version || strncmp(version, "2.", 2) != 0 || mxt_parse_u64(version + 2, &version, &minor) < 0)
		return 0;
	return (unsigned)minor;
}

static int add(struct mxt_candidate_list *list, const struct switch_row *row)
{
	struct mxt_candidate *item = &list->items[list->count++];
	*item = (struct mxt_candidate){.name = strdup(row->name),
				       .env = json_pack("{s:s}", row->variable, "1"),
				       .choice = strdup(row->choice),
				       .deterministic = row->deterministic,
				       .first_calls = row->first_calls};
	return item->name && item->env && item->choice ? 0 : -ENOMEM;
}

int mxt_cuda_candidates(const struct mxt_sysroot *root, const struct mxt_inventory *inventory,
			enum mxt_problem_kind probe, char *const *environment, struct mxt_candidate_list *ret_list,
			struct mxt_error *err)
{
	(void)root;
	(void)environment;
	unsigned minor = torch_minor(inventory);
	struct mxt_candidate_list list = {.items = calloc(MXT_ARRAY_LEN(switches), sizeof *list.items),
					  .bare_choice = strdup(probe == MXT_PROBLEM_GEMM ? "cublas" : "default")};
	int rc = list.items && list.bare_choice ? 0 : -ENOMEM;
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(switches); i++) {
		const struct switch_row *row = &switches[i];
		if (row->probe == probe && minor >= row->since && (row->until == 0 || minor <= row->until))
			rc = add(&list, row);
	}
	if (rc < 0) {
		mxt_candidate_list_finish(&list);
		return mxt_error_oom(err);
	}
	*ret_list = list;
	return 0;
}
