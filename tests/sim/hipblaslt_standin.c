/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for hipBLASLt (hipblaslt.h and hipblaslt-ext.hpp of ROCm 6.0 to 7.2). SIM_HIPBLASLT_VERSION is
 * major * 100000 + minor * 100 + patch; SIM_RESULT_BYTES the size of a heuristic result, 56 as far as headers are
 * known. Statuses are hipblasStatus_t.
 */
#include "sim_rocm_blas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_lt.h"
#include "sim_number.h"
#include "sim_override.h"
#include "sim_runtime.h"

#ifndef SIM_RESULT_BYTES
#define SIM_RESULT_BYTES 56
#endif
#define HAS_FULL_LIST (SIM_HIPBLASLT_VERSION >= 800) /* else only what the heuristic names */
#define FEW_RESULTS   8

enum {
	SUCCESS = 0,
	NOT_INITIALIZED = 1,
	ALLOC_FAILED = 2,
	INVALID_VALUE = 3,
	EXECUTION_FAILED = 5,
	NOT_SUPPORTED = 7,
	HANDLE_IS_NULLPTR = 9
};

#define REVISION_BYTES 128
enum { PREFERENCE_WORKSPACE = 1, COMPUTE_32F = 2, COMPUTE_32F_FAST_TF32 = 6 };

static const struct mxt_sim_lt_dialect dialect = {
    .transa = 0,
    .transb = 1,
    .epilogue = 2,
    .bias_pointer = 3,
    .type = 2,
    .rows = 4,
    .cols = 5,
    .ld = 6,
    .batch_count = 0,
    .batch_stride = 1,
    .not_transposed = 111,
    .with_bias = 4,
    .alloc_failed = ALLOC_FAILED,
    .invalid = INVALID_VALUE,
    .not_supported = NOT_SUPPORTED,
};

struct handle {
	int sound;
};

struct algorithm {
	unsigned char data[16]; /* the index first, then a mark */
	size_t max_workspace_bytes;
};

struct heuristic_result {
	struct algorithm algorithm;
	size_t workspace_bytes;
	int state;
	float waves;
	int reserved[4];
#if SIM_RESULT_BYTES > 56
	unsigned char more[SIM_RESULT_BYTES - 56]; /* what a library of later years might add */
#endif
};
_Static_assert(sizeof(struct heuristic_result) == SIM_RESULT_BYTES, "as the header declares it");

static const unsigned char mark[8] = "sim-algo";

typedef struct mxt_sim_lt *lt;

MXT_SIM_EXPORT int hipblasLtCreate(struct handle **ret);
MXT_SIM_EXPORT int hipblasLtDestroy(struct handle *handle);
MXT_SIM_EXPORT int hipblasLtGetArchName(char **name);
MXT_SIM_EXPORT int hipblasLtMatmulDescCreate(lt *ret, int compute_type, int scale_type);
MXT_SIM_EXPORT int hipblasLtMatmulAlgoGetHeuristic(struct handle *handle, lt desc, lt a, lt b, lt c, lt d,
						   lt preference, int wanted, struct heuristic_result *results,
						   int *ret_count);
MXT_SIM_EXPORT int hipblasLtMatmul(struct handle *handle, lt desc, const void *alpha, const void *a, lt a_layout,
				   const void *b, lt b_layout, const void *beta, const void *c, lt c_layout, void *d,
				   lt d_layout, const struct algorithm *algorithm, void *workspace,
				   size_t workspace_bytes, void *stream);
/* hipblaslt_ext::getIndexFromAlgo: C has no names like its. */
MXT_SIM_EXPORT int index_from_algorithm(struct algorithm *algorithm) __asm__("_ZN13hipblaslt_ext16getIndexFromAlgoER22_"
									     "hipblasLtMatmulAlgo_t");

__attribute__((constructor)) static void load(void)
{
	(void)mxt_sim_enter("load.hipblaslt");
}

int hipblasLtCreate(struct handle **ret)
{
	if (mxt_sim_device_status())
		return NOT_INITIALIZED;
	*ret = calloc(1, sizeof **ret);
	return *ret ? SUCCESS : ALLOC_FAILED;
}

int hipblasLtDestroy(struct handle *handle)
{
	free(handle);
	return handle ? SUCCESS : HANDLE_IS_NULLPTR;
}

int hipblasLtGetVersion(void *handle, int *version)
{
	(void)handle;
	*version = SIM_HIPBLASLT_VERSION;
	return SUCCESS;
}

int hipblasLtGetGitRevision(void *handle, char *revision)
{
	(void)handle;
	if (!revision)
		return INVALID_VALUE;
	(void)snprintf(revision, REVISION_BYTES, "%s", SIM_REVISION);
	return SUCCESS;
}

/* As many bytes as the name has: the real one also leaves its end out. */
int hipblasLtGetArchName(char **name)
{
	const char *arch = mxt_sim_scenario()->device.arch;
	size_t len = strcspn(arch, ":");
	*name = malloc(len + 1);
	if (!*name)
		return ALLOC_FAILED;
	memcpy(*name, arch, len);
	(*name)[len] = '?';
	return SUCCESS;
}

int hipblasLtMatmulDescCreate(lt *ret, int compute_type, int scale_type)
{
	if (compute_type < COMPUTE_32F || compute_type > COMPUTE_32F_FAST_TF32 || scale_type != 0)
		return NOT_SUPPORTED;
	*ret = mxt_sim_lt_new();
	return *ret ? SUCCESS : ALLOC_FAILED;
}

MXT_SIM_LT_OBJECTS(hipblasLt, SUCCESS, INVALID_VALUE, ALLOC_FAILED)

/* What a file pins for the problem; false: nothing that there is. */
static bool pinned(const struct mxt_sim_gemm *gemm, int32_t output, struct mxt_sim_solution *ret_solution)
{
	enum mxt_sim_override_form form = SIM_HIPBLASLT_VERSION >= 100000 ? MXT_SIM_OVERRIDE_NAMED
					  : SIM_HIPBLASLT_VERSION >= 1200 ? MXT_SIM_OVERRIDE_STRICT
									  : MXT_SIM_OVERRIDE_NONE;
	const char *path = getenv("HIPBLASLT_TUNING_OVERRIDE_FILE");
	int number;
	return path && mxt_sim_override_find(form, path, SIM_REVISION, gemm, output, &number) &&
	       mxt_sim_solution_find(MXT_SIM_CUBLASLT, gemm, number, ret_solution);
}

struct mxt_sim_solution mxt_sim_hipblaslt_first(const struct mxt_sim_gemm *gemm, int32_t output)
{
	struct mxt_sim_solution solution;
	return pinned(gemm, output, &solution) ? solution : mxt_sim_solution_at(MXT_SIM_CUBLASLT, gemm, 0);
}

/* An index that was named before and is to be gone is not named again. */
static bool is_gone(int index)
{
	static bool named; /* in this process */
	if (index != mxt_sim_scenario()->solutions[MXT_SIM_CUBLASLT].vanish)
		return false;
	bool gone = named;
	named = true;
	return gone;
}

static void put(struct heuristic_result *result, const struct mxt_sim_solution *solution, size_t max_workspace_bytes)
{
	int32_t index = solution->index;
	memset(result, 0, sizeof *result);
	memcpy(result->algorithm.data, &index, sizeof index);
	memcpy(result->algorithm.data + 8, mark, sizeof mark);
	result->algorithm.max_workspace_bytes = max_workspace_bytes;
	result->workspace_bytes = (size_t)solution->workspace_bytes;
	result->waves = 1;
}

/* What the file pins, then the heuristic's order; how many. Places that are left say that they hold nothing. */
static int list(const struct mxt_sim_gemm *gemm, int32_t output, int64_t max_workspace_bytes, int wanted,
		struct heuristic_result *results)
{
	struct mxt_sim_solution first, solution;
	bool is_pinned = pinned(gemm, output, &first);
	int count = 0, known = mxt_sim_solution_count(MXT_SIM_CUBLASLT);
	if (!HAS_FULL_LIST && known > FEW_RESULTS)
		known = FEW_RESULTS;
	if (is_pinned)
		put(&results[count++], &first, (size_t)max_workspace_bytes);
	for (int rank = 0; rank < known && count < wanted; rank++) {
		solution = mxt_sim_solution_at(MXT_SIM_CUBLASLT, gemm, rank);
		if (solution.workspace_bytes <= max_workspace_bytes && !(is_pinned && solution.index == first.index) &&
		    !is_gone(solution.index))
			put(&results[count++], &solution, (size_t)max_workspace_bytes);
	}
	for (int i = count; i < wanted; i++)
		results[i].state = INVALID_VALUE;
	return count;
}

/* The type of D, of which bfloat16 operands can have two. */
static int32_t output_of(const struct mxt_sim_gemm *gemm, const struct mxt_sim_lt *d, const struct mxt_sim_lt *a)
{
	return mxt_sim_lt_get(d, dialect.type) == mxt_sim_lt_get(a, dialect.type) ? gemm->dtype : MXT_SIM_FLOAT32;
}

/* NOLINTNEXTLINE(readability-function-size): the interface is hipBLASLt's */
int hipblasLtMatmulAlgoGetHeuristic(struct handle *handle, lt desc, lt a, lt b, lt c, lt d, lt preference, int wanted,
				    struct heuristic_result *results, int *ret_count)
{
	const struct mxt_sim_lt_call call = {.desc = desc, .a_layout = a, .b_layout = b, .d_layout = d};
	struct mxt_sim_gemm gemm;
	if (!handle)
		return NOT_INITIALIZED;
	if (!desc || !a || !b || !c || !d || !preference || wanted <= 0)
		return INVALID_VALUE;
	struct mxt_sim_outcome outcome = mxt_sim_enter("hipblaslt.heuristic");
	if (outcome.effects & MXT_SIM_FAIL)
		return outcome.code > 0 ? outcome.code : NOT_SUPPORTED;
	int status = mxt_sim_lt_describe(&dialect, &call, &gemm);
	if (status)
		return status;
	*ret_count =
	    list(&gemm, output_of(&gemm, d, a), mxt_sim_lt_get(preference, PREFERENCE_WORKSPACE), wanted, results);
	return SUCCESS;
}

int index_from_algorithm(struct algorithm *algorithm)
{
	int32_t index;
	memcpy(&index, algorithm->data, sizeof index);
	return index;
}

/* The solution that an algorithm is; without one, the library's own choice. */
static int solution_of(const struct mxt_sim_gemm *gemm, int32_t output, const struct algorithm *algorithm,
		       struct mxt_sim_solution *ret_solution)
{
	int32_t index;
	if (!algorithm) {
		*ret_solution = mxt_sim_hipblaslt_first(gemm, output);
		return SUCCESS;
	}
	memcpy(&index, algorithm->data, sizeof index);
	if (memcmp(algorithm->data + 8, mark, sizeof mark) != 0 ||
	    !mxt_sim_solution_find(MXT_SIM_CUBLASLT, gemm, index, ret_solution))
		return INVALID_VALUE;
	return SUCCESS;
}

/* NOLINTNEXTLINE(readability-function-size): the interface is hipBLASLt's */
int hipblasLtMatmul(struct handle *handle, lt desc, const void *alpha, const void *a, lt a_layout, const void *b,
		    lt b_layout, const void *beta, const void *c, lt c_layout, void *d, lt d_layout,
		    const struct algorithm *algorithm, void *workspace, size_t workspace_bytes, void *stream)
{
	const struct mxt_sim_lt_call call = {desc, a_layout, b_layout, c_layout, d_layout, alpha, beta, a, b, c, d};
	struct mxt_sim_solution solution;
	struct mxt_sim_gemm gemm;
	(void)stream;
	if (!handle)
		return NOT_INITIALIZED;
	if (!desc || !a || !b || !d || !alpha || !beta || !a_layout || !b_layout || !d_layout)
		return INVALID_VALUE;
	int status = mxt_sim_lt_describe(&dialect, &call, &gemm);
	if (status == SUCCESS)
		status = solution_of(&gemm, output_of(&gemm, d_layout, a_layout), algorithm, &solution);
	if (status)
		return status;
	if (solution.workspace_bytes > 0 && (!workspace || (int64_t)workspace_bytes < solution.workspace_bytes))
		return INVALID_VALUE;
	if (mxt_sim_device_status())
		return EXECUTION_FAILED;
	struct mxt_sim_outcome outcome = mxt_sim_solution_launch(MXT_SIM_CUBLASLT, &gemm, &solution);
	if (outcome.effects & MXT_SIM_FAIL)
		return outcome.code > 0 ? outcome.code : EXECUTION_FAILED;
	return mxt_sim_lt_run(&dialect, &call, &gemm, outcome.effects);
}
