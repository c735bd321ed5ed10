/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hipblaslt.def and hipblaslt_numbers.def against hipblaslt.h of ROCm 6.0 and later, which only C++ can read: members
 * of its structs have initialisers.
 */
#include <cstddef>
#include <type_traits>

#include <hipblaslt/hipblaslt.h> /* after what it forgets to include */

#define MXT_LT_SYMBOL(member, symbol, required, since) static_assert(sizeof(&symbol) == sizeof(void *), #symbol);
#include "hipblaslt.def"

#define MXT_LT_NUMBER(member, value, name) static_assert((long long)(name) == (value), #name);
#include "hipblaslt_numbers.def"

/* As lt_calls.def has them; enums are ints, and handles pointers. */
#define MXT_PROTOTYPE(symbol, ...)                                                                                     \
	static_assert(std::is_same<decltype(&symbol), hipblasStatus_t (*)(__VA_ARGS__)>::value, #symbol)
MXT_PROTOTYPE(hipblasLtGetVersion, hipblasLtHandle_t, int *);
MXT_PROTOTYPE(hipblasLtGetGitRevision, hipblasLtHandle_t, char *);
MXT_PROTOTYPE(hipblasLtCreate, hipblasLtHandle_t *);
MXT_PROTOTYPE(hipblasLtDestroy, hipblasLtHandle_t);
MXT_PROTOTYPE(hipblasLtMatmulDescCreate, hipblasLtMatmulDesc_t *, hipblasComputeType_t, hipDataType);
MXT_PROTOTYPE(hipblasLtMatmulDescSetAttribute, hipblasLtMatmulDesc_t, hipblasLtMatmulDescAttributes_t, const void *,
	      size_t);
MXT_PROTOTYPE(hipblasLtMatmulDescDestroy, hipblasLtMatmulDesc_t);
MXT_PROTOTYPE(hipblasLtMatrixLayoutCreate, hipblasLtMatrixLayout_t *, hipDataType, uint64_t, uint64_t, int64_t);
MXT_PROTOTYPE(hipblasLtMatrixLayoutDestroy, hipblasLtMatrixLayout_t);
MXT_PROTOTYPE(hipblasLtMatmulPreferenceCreate, hipblasLtMatmulPreference_t *);
MXT_PROTOTYPE(hipblasLtMatmulPreferenceSetAttribute, hipblasLtMatmulPreference_t, hipblasLtMatmulPreferenceAttributes_t,
	      const void *, size_t);
MXT_PROTOTYPE(hipblasLtMatmulPreferenceDestroy, hipblasLtMatmulPreference_t);
MXT_PROTOTYPE(hipblasLtMatmulAlgoGetHeuristic, hipblasLtHandle_t, hipblasLtMatmulDesc_t, hipblasLtMatrixLayout_t,
	      hipblasLtMatrixLayout_t, hipblasLtMatrixLayout_t, hipblasLtMatrixLayout_t, hipblasLtMatmulPreference_t,
	      int, hipblasLtMatmulHeuristicResult_t *, int *);
MXT_PROTOTYPE(hipblasLtMatmul, hipblasLtHandle_t, hipblasLtMatmulDesc_t, const void *, const void *,
	      hipblasLtMatrixLayout_t, const void *, hipblasLtMatrixLayout_t, const void *, const void *,
	      hipblasLtMatrixLayout_t, void *, hipblasLtMatrixLayout_t, const hipblasLtMatmulAlgo_t *, void *, size_t,
	      hipStream_t);

static_assert(HIPBLAS_STATUS_SUCCESS == 0, "success");
static_assert(sizeof(hipblasLtHandle_t) == sizeof(void *), "handle");
static_assert(offsetof(hipblasLtMatmulHeuristicResult_t, algo) == 0, "algorithm");

int main()
{
	return 0;
}
