/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for cuBLASLt (cublasLt.h of CUDA 13.0): column-major products with the transposes, alpha, beta and bias of
 * the real one, and a heuristic that names the algorithms of the scenario. Statuses are cublasStatus_t.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim_lt.h"
#include "sim_runtime.h"
#include "sim_scenario.h"

#ifndef SIM_CUBLASLT_VERSION
#define SIM_CUBLASLT_VERSION 130100
#endif

enum status { SUCCESS = 0, ALLOC_FAILED = 3, INVALID_VALUE = 7, EXECUTION_FAILED = 13, NOT_SUPPORTED = 15 };

/* The numbers are those of cublasLt.h. */
static const struct mxt_sim_lt_dialect dialect = {
    .transa = 3,
    .transb = 4,
    .epilogue = 7,
    .bias_pointer = 8,
    .type = 0,
    .rows = 2,
    .cols = 3,
    .ld = 4,
    .batch_count = 5,
    .batch_stride = 6,
    .not_transposed = 0,
    .with_bias = 4,
    .alloc_failed = ALLOC_FAILED,
    .invalid = INVALID_VALUE,
    .not_supported = NOT_SUPPORTED,
};
enum { PREFERENCE_WORKSPACE = 1 };

struct lt_handle {
	int sound;
};

struct algorithm {
	uint64_t data[8];
};

#define ALGORITHM_MARK UINT64_C(0x6d78742d73696d00) /* in data[0]; its number is in data[1] */

struct heuristic_result {
	struct algorithm algorithm;
	size_t workspace_bytes;
	int state;
	float waves;
	int reserved[4];
};

typedef struct mxt_sim_lt *attributes;

MXT_SIM_EXPORT size_t cublasLtGetVersion(void);
MXT_SIM_EXPORT const char *cublasLtGetStatusString(int status);
MXT_SIM_EXPORT int cublasLtCreate(struct lt_handle **ret);
MXT_SIM_EXPORT int cublasLtDestroy(struct lt_handle *handle);
MXT_SIM_EXPORT int cublasLtMatmulDescCreate(attributes *ret, int compute_type, int scale_type);
MXT_SIM_EXPORT int cublasLtMatmulAlgoGetHeuristic(struct lt_handle *handle, attributes desc, attributes a, attributes b,
						  attributes c, attributes d, attributes preference, int wanted,
						  struct heuristic_result *results, int *ret_count);
MXT_SIM_EXPORT int cublasLtMatmul(struct lt_handle *handle, attributes desc, const void *alpha, const void *a,
				  attributes a_layout, const void *b, attributes b_layout, const void *beta,
				  const void *c, attributes c_layout, void *d, attributes d_layout,
				  const struct algorithm *algorithm, void *workspace, size_t workspace_bytes,
				  void *stream);

__attribute__((constructor)) static void load(void)
{
	(void)mxt_sim_enter("load.cublaslt");
}

size_t cublasLtGetVersion(void)
{
	return SIM_CUBLASLT_VERSION;
}

const char *cublasLtGetStatusString(int status)
{
	switch (status) {
	case SUCCESS:
		return "CUBLAS_STATUS_SUCCESS";
	case ALLOC_FAILED:
		return "CUBLAS_STATUS_ALLOC_FAILED";
	case INVALID_VALUE:
		return "CUBLAS_STATUS_INVALID_VALUE";
	case EXECUTION_FAILED:
		return "CUBLAS_STATUS_EXECUTION_FAILED";
	case NOT_SUPPORTED:
		return "CUBLAS_STATUS_NOT_SUPPORTED";
	default:
		return "unknown cublasLt status";
	}
}

static int failure(const struct mxt_sim_outcome *outcome, int otherwise)
{
	if (!(outcome->effects & MXT_SIM_FAIL))
		return SUCCESS;
	return outcome->code > 0 ? outcome->code : otherwise;
}

int cublasLtCreate(struct lt_handle **ret)
{
	if (mxt_sim_device_status())
		return 1; /* CUBLAS_STATUS_NOT_INITIALIZED */
	*ret = calloc(1, sizeof **ret);
	return *ret ? SUCCESS : ALLOC_FAILED;
}

int cublasLtDestroy(struct lt_handle *handle)
{
	free(handle);
	return SUCCESS;
}

int cublasLtMatmulDescCreate(attributes *ret, int compute_type, int scale_type)
{
	(void)compute_type;
	(void)scale_type;
	*ret = mxt_sim_lt_new();
	return *ret ? SUCCESS : ALLOC_FAILED;
}

MXT_SIM_LT_OBJECTS(cublasLt, SUCCESS, INVALID_VALUE, ALLOC_FAILED)

/* NOLINTNEXTLINE(readability-function-size): the interface is cuBLASLt's */
int cublasLtMatmulAlgoGetHeuristic(struct lt_handle *handle, attributes desc, attributes a, attributes b, attributes c,
				   attributes d, attributes preference, int wanted, struct heuristic_result *results,
				   int *ret_count)
{
	const struct mxt_sim_algorithms *algorithms = &mxt_sim_scenario()->algorithms;
	const struct mxt_sim_lt_call call = {.desc = desc, .a_layout = a, .b_layout = b, .d_layout = d};
	struct mxt_sim_gemm gemm;
	if (!handle || !desc || !a || !b || !c || !d || !preference || wanted <= 0)
		return INVALID_VALUE;
	struct mxt_sim_outcome outcome = mxt_sim_enter("cublaslt.heuristic");
	int status = failure(&outcome, NOT_SUPPORTED);
	if (status == SUCCESS)
		status = mxt_sim_lt_describe(&dialect, &call, &gemm);
	if (status)
		return status;
	int count = 0;
	for (size_t i = 0; i < algorithms->count && count < wanted; i++) {
		int64_t bytes = i == 0 ? 0 : algorithms->workspace_bytes;
		if (bytes > mxt_sim_lt_get(preference, PREFERENCE_WORKSPACE))
			continue;
		results[count++] = (struct heuristic_result){
		    .algorithm = {{ALGORITHM_MARK, i}}, .workspace_bytes = (size_t)bytes, .waves = 1};
	}
	*ret_count = count;
	return count > 0 ? SUCCESS : NOT_SUPPORTED;
}

static int launch(const struct mxt_sim_gemm *gemm, const struct algorithm *algorithm, unsigned *ret_effects)
{
	const struct mxt_sim_scenario *scenario = mxt_sim_scenario();
	uint64_t number = algorithm ? algorithm->data[1] : 0;
	if ((algorithm && algorithm->data[0] != ALGORITHM_MARK) || number >= scenario->algorithms.count)
		return INVALID_VALUE;
	char site[40]; /* "cublaslt.matmul.2": faults of one algorithm */
	(void)snprintf(site, sizeof site, "cublaslt.matmul.%u", (unsigned)number);
	struct mxt_sim_outcome outcome = mxt_sim_enter(site);
	int status = failure(&outcome, EXECUTION_FAILED);
	if (status)
		return status;
	struct mxt_sim_cost cost = scenario->mm[MXT_SIM_CUBLASLT];
	cost.fixed_ns *= scenario->algorithms.factors[number];
	cost.flops_per_s /= scenario->algorithms.factors[number];
	mxt_sim_launch(&cost, mxt_sim_gemm_flops(gemm), mxt_sim_gemm_bytes(gemm), mxt_sim_gemm_hash(gemm),
		       outcome.effects);
	*ret_effects = outcome.effects;
	return SUCCESS;
}

/* NOLINTNEXTLINE(readability-function-size): the interface is cuBLASLt's */
int cublasLtMatmul(struct lt_handle *handle, attributes desc, const void *alpha, const void *a, attributes a_layout,
		   const void *b, attributes b_layout, const void *beta, const void *c, attributes c_layout, void *d,
		   attributes d_layout, const struct algorithm *algorithm, void *workspace, size_t workspace_bytes,
		   void *stream)
{
	const struct mxt_sim_lt_call call = {desc, a_layout, b_layout, c_layout, d_layout, alpha, beta, a, b, c, d};
	struct mxt_sim_gemm gemm;
	unsigned effects;
	(void)stream;
	if (!handle || !desc || !a || !b || !d || !alpha || !beta || !a_layout || !b_layout || !d_layout)
		return INVALID_VALUE;
	int status = mxt_sim_lt_describe(&dialect, &call, &gemm);
	if (status == SUCCESS && algorithm && algorithm->data[1] > 0 &&
	    (!workspace || (int64_t)workspace_bytes < mxt_sim_scenario()->algorithms.workspace_bytes))
		status = INVALID_VALUE;
	if (status == SUCCESS)
		status = mxt_sim_device_status() ? EXECUTION_FAILED : launch(&gemm, algorithm, &effects);
	return status ? status : mxt_sim_lt_run(&dialect, &call, &gemm, effects);
}
