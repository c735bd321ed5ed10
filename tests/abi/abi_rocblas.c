/* SPDX-License-Identifier: Apache-2.0 */
/* rocblas.def and the numbers of rocblas_api.h against rocblas.h of ROCm 5.6 and later. */
#define ROCBLAS_BETA_FEATURES_API
#define ROCBLAS_NO_DEPRECATED_WARNINGS
#include <rocblas/rocblas.h>

#include "rocblas_api.h"

#undef rocblas_gemm_ex /* a macro that drops arguments of old */

#define MXT_ROCBLAS_SYMBOL(type, symbol, arguments, required, since)                                                   \
	_Static_assert(sizeof(&symbol) == sizeof(void *), #symbol);
#include "rocblas.def"

#define MXT_PROTOTYPE(symbol, arguments)                                                                               \
	_Static_assert(_Generic(&symbol, rocblas_status(*) arguments : 1, default : 0), #symbol)
MXT_PROTOTYPE(rocblas_create_handle, (rocblas_handle *));
MXT_PROTOTYPE(rocblas_get_version_string, (char *, size_t));
MXT_PROTOTYPE(rocblas_set_atomics_mode, (rocblas_handle, rocblas_atomics_mode));
MXT_PROTOTYPE(rocblas_set_workspace, (rocblas_handle, void *, size_t));
MXT_PROTOTYPE(rocblas_gemm_ex, (rocblas_handle, rocblas_operation, rocblas_operation, int32_t, int32_t, int32_t,
				const void *, const void *, rocblas_datatype, int32_t, const void *, rocblas_datatype,
				int32_t, const void *, const void *, rocblas_datatype, int32_t, void *,
				rocblas_datatype, int32_t, rocblas_datatype, rocblas_gemm_algo, int32_t, uint32_t));
MXT_PROTOTYPE(rocblas_gemm_ex_get_solutions,
	      (rocblas_handle, rocblas_operation, rocblas_operation, int32_t, int32_t, int32_t, const void *,
	       const void *, rocblas_datatype, int32_t, const void *, rocblas_datatype, int32_t, const void *,
	       const void *, rocblas_datatype, int32_t, void *, rocblas_datatype, int32_t, rocblas_datatype,
	       rocblas_gemm_algo, uint32_t, int32_t *, int32_t *));

_Static_assert((int)MXT_ROCBLAS_PLAIN == rocblas_operation_none, "operation");
_Static_assert((int)MXT_ROCBLAS_TRANSPOSED == rocblas_operation_transpose, "operation");
_Static_assert((int)MXT_ROCBLAS_F16 == rocblas_datatype_f16_r, "type");
_Static_assert((int)MXT_ROCBLAS_F32 == rocblas_datatype_f32_r, "type");
_Static_assert((int)MXT_ROCBLAS_BF16 == rocblas_datatype_bf16_r, "type");
_Static_assert((int)MXT_ROCBLAS_STANDARD == rocblas_gemm_algo_standard, "algorithm");
_Static_assert((int)MXT_ROCBLAS_SOLUTION == rocblas_gemm_algo_solution_index, "algorithm");
_Static_assert((int)MXT_ROCBLAS_NO_ATOMICS == rocblas_atomics_not_allowed, "atomics");
_Static_assert((int)MXT_ROCBLAS_ATOMICS == rocblas_atomics_allowed, "atomics");
_Static_assert(rocblas_status_success == 0, "status");

int main(void)
{
	return 0;
}
