/* SPDX-License-Identifier: Apache-2.0 */
/* cublaslt.def and the numbers and layouts of cublaslt.h against cublasLt.h, whose handles are pointers of other names.
 */
#include <cublasLt.h>
#include <stddef.h>

#include "cublaslt.h"

#define MXT_CUBLASLT_SYMBOL(type, symbol, arguments, required, since)                                                  \
	_Static_assert(sizeof(&symbol) == sizeof(void *), #symbol);
#include "cublaslt.def"

_Static_assert(_Generic(&cublasLtGetVersion, size_t (*)(void) : 1, default : 0), "version");
_Static_assert((int)MXT_LT_R_32F == CUDA_R_32F, "type");
_Static_assert((int)MXT_LT_R_16F == CUDA_R_16F, "type");
_Static_assert((int)MXT_LT_R_16BF == CUDA_R_16BF, "type");
_Static_assert((int)MXT_LT_COMPUTE_32F == CUBLAS_COMPUTE_32F, "compute type");
_Static_assert((int)MXT_LT_TRANSPOSED == CUBLAS_OP_T, "operation");
_Static_assert((int)MXT_LT_EPILOGUE_BIAS == CUBLASLT_EPILOGUE_BIAS, "epilogue");
_Static_assert((int)MXT_LT_DESC_TRANSA == CUBLASLT_MATMUL_DESC_TRANSA, "attribute");
_Static_assert((int)MXT_LT_DESC_TRANSB == CUBLASLT_MATMUL_DESC_TRANSB, "attribute");
_Static_assert((int)MXT_LT_DESC_EPILOGUE == CUBLASLT_MATMUL_DESC_EPILOGUE, "attribute");
_Static_assert((int)MXT_LT_DESC_BIAS_POINTER == CUBLASLT_MATMUL_DESC_BIAS_POINTER, "attribute");
_Static_assert((int)MXT_LT_PREF_MAX_WORKSPACE_BYTES == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, "preference");
_Static_assert(sizeof(struct mxt_lt_algorithm) == sizeof(cublasLtMatmulAlgo_t), "algorithm");
_Static_assert(sizeof(struct mxt_lt_choice) == sizeof(cublasLtMatmulHeuristicResult_t), "choice");
_Static_assert(offsetof(struct mxt_lt_choice, workspace_bytes) ==
		   offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize),
	       "workspace");
_Static_assert(offsetof(struct mxt_lt_choice, status) == offsetof(cublasLtMatmulHeuristicResult_t, state), "status");

int main(void)
{
	return 0;
}
