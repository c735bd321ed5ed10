/* SPDX-License-Identifier: Apache-2.0 */
/* cublaslt.def and the numbers of the dialect against cublasLt.h, whose handles are pointers of other names. */
#include <cublasLt.h>
#include <stddef.h>
#include <stdio.h>

#include "abi_number.h"
#include "lt_dialect.h"

#define MXT_LT_SYMBOL(member, symbol, required, since) _Static_assert(sizeof(&symbol) == sizeof(void *), #symbol);
#include "cublaslt.def"

_Static_assert(_Generic(&cublasLtGetVersion, size_t (*)(void) : 1, default : 0), "version");
_Static_assert(sizeof(cublasLtMatmulHeuristicResult_t) <= MXT_LT_SLOT_BYTES, "slot");

int main(void)
{
	const struct mxt_lt_dialect *lt = &mxt_cublaslt;
	const struct abi_number numbers[] = {
	    {"type of float32", lt->types[MXT_DTYPE_F32], CUDA_R_32F},
	    {"type of float16", lt->types[MXT_DTYPE_F16], CUDA_R_16F},
	    {"type of bfloat16", lt->types[MXT_DTYPE_BF16], CUDA_R_16BF},
	    {"type of scales", lt->scale_f32, CUDA_R_32F},
	    {"compute type", lt->compute_f32, CUBLAS_COMPUTE_32F},
	    {"transposed", lt->transposed, CUBLAS_OP_T},
	    {"bias", lt->epilogue_bias, CUBLASLT_EPILOGUE_BIAS},
	    {"transpose a", lt->transpose_a, CUBLASLT_MATMUL_DESC_TRANSA},
	    {"transpose b", lt->transpose_b, CUBLASLT_MATMUL_DESC_TRANSB},
	    {"epilogue", lt->epilogue, CUBLASLT_MATMUL_DESC_EPILOGUE},
	    {"bias pointer", lt->bias_pointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER},
	    {"workspace", lt->workspace, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES},
	    {"bytes of a result", (long long)lt->result.bytes, sizeof(cublasLtMatmulHeuristicResult_t)},
	    {"workspace of a result", (long long)lt->result.workspace_at,
	     offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize)},
	    {"status of a result", (long long)lt->result.status_at, offsetof(cublasLtMatmulHeuristicResult_t, state)},
	};
	return abi_numbers_agree(numbers, sizeof numbers / sizeof *numbers) ? 0 : 1;
}
