/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hipblaslt.def and the numbers of the dialect against hipblaslt.h of ROCm 6.0 and later. The header includes some of
 * C++'s, which C does not need: tests/abi/c_only has empty ones.
 */
#include <hipblaslt/hipblaslt.h>
#include <stddef.h>

#include "abi_number.h"
#include "lt_dialect.h"

#define MXT_LT_SYMBOL(member, symbol, required, since) _Static_assert(sizeof(&symbol) == sizeof(void *), #symbol);
#include "hipblaslt.def"

#define MXT_PROTOTYPE(symbol, arguments)                                                                               \
	_Static_assert(_Generic(&symbol, hipblasStatus_t(*) arguments : 1, default : 0), #symbol)
MXT_PROTOTYPE(hipblasLtGetVersion, (hipblasLtHandle_t, int *));
MXT_PROTOTYPE(hipblasLtGetGitRevision, (hipblasLtHandle_t, char *));
MXT_PROTOTYPE(hipblasLtCreate, (hipblasLtHandle_t *));
MXT_PROTOTYPE(hipblasLtMatmulDescCreate, (hipblasLtMatmulDesc_t *, hipblasComputeType_t, hipDataType));
MXT_PROTOTYPE(hipblasLtMatmulDescSetAttribute,
	      (hipblasLtMatmulDesc_t, hipblasLtMatmulDescAttributes_t, const void *, size_t));
MXT_PROTOTYPE(hipblasLtMatrixLayoutCreate, (hipblasLtMatrixLayout_t *, hipDataType, uint64_t, uint64_t, int64_t));
MXT_PROTOTYPE(hipblasLtMatmulPreferenceCreate, (hipblasLtMatmulPreference_t *));
MXT_PROTOTYPE(hipblasLtMatmulPreferenceSetAttribute,
	      (hipblasLtMatmulPreference_t, hipblasLtMatmulPreferenceAttributes_t, const void *, size_t));
MXT_PROTOTYPE(hipblasLtMatmulAlgoGetHeuristic,
	      (hipblasLtHandle_t, hipblasLtMatmulDesc_t, hipblasLtMatrixLayout_t, hipblasLtMatrixLayout_t,
	       hipblasLtMatrixLayout_t, hipblasLtMatrixLayout_t, hipblasLtMatmulPreference_t, int,
	       hipblasLtMatmulHeuristicResult_t *, int *));
MXT_PROTOTYPE(hipblasLtMatmul,
	      (hipblasLtHandle_t, hipblasLtMatmulDesc_t, const void *, const void *, hipblasLtMatrixLayout_t,
	       const void *, hipblasLtMatrixLayout_t, const void *, const void *, hipblasLtMatrixLayout_t, void *,
	       hipblasLtMatrixLayout_t, const hipblasLtMatmulAlgo_t *, void *, size_t, hipStream_t));

_Static_assert(sizeof(hipblasLtHandle_t) == sizeof(void *), "handle");
_Static_assert(sizeof(hipblasLtMatmulHeuristicResult_t) <= MXT_LT_SLOT_BYTES, "slot");
_Static_assert(offsetof(hipblasLtMatmulHeuristicResult_t, algo) == 0, "algorithm");

int main(void)
{
	const struct mxt_lt_dialect *lt = &mxt_hipblaslt;
	const struct abi_number numbers[] = {
	    {"success", 0, HIPBLAS_STATUS_SUCCESS},
	    {"type of float32", lt->types[MXT_DTYPE_F32], HIP_R_32F},
	    {"type of float16", lt->types[MXT_DTYPE_F16], HIP_R_16F},
	    {"type of bfloat16", lt->types[MXT_DTYPE_BF16], HIP_R_16BF},
	    {"type of scales", lt->scale_f32, HIP_R_32F},
	    {"compute type", lt->compute_f32, HIPBLAS_COMPUTE_32F},
	    {"transposed", lt->transposed, HIPBLAS_OP_T},
	    {"bias", lt->epilogue_bias, HIPBLASLT_EPILOGUE_BIAS},
	    {"transpose a", lt->transpose_a, HIPBLASLT_MATMUL_DESC_TRANSA},
	    {"transpose b", lt->transpose_b, HIPBLASLT_MATMUL_DESC_TRANSB},
	    {"epilogue", lt->epilogue, HIPBLASLT_MATMUL_DESC_EPILOGUE},
	    {"bias pointer", lt->bias_pointer, HIPBLASLT_MATMUL_DESC_BIAS_POINTER},
	    {"workspace", lt->workspace, HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES},
	    {"bytes of a result", (long long)lt->result.bytes, sizeof(hipblasLtMatmulHeuristicResult_t)},
	    {"workspace of a result", (long long)lt->result.workspace_at,
	     offsetof(hipblasLtMatmulHeuristicResult_t, workspaceSize)},
	    {"status of a result", (long long)lt->result.status_at, offsetof(hipblasLtMatmulHeuristicResult_t, state)},
	};
	return abi_numbers_agree(numbers, sizeof numbers / sizeof *numbers) ? 0 : 1;
}
