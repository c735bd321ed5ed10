/* SPDX-License-Identifier: Apache-2.0 */
/* cudart.def and the values of cuda_runtime.h against cuda_runtime_api.h. */
#include <cuda_runtime_api.h>

#include "cuda_runtime.h"

_Static_assert((int)MXT_CUDART_SUCCESS == cudaSuccess, "status");
_Static_assert((int)MXT_CUDART_OUT_OF_MEMORY == cudaErrorMemoryAllocation, "status");
_Static_assert((int)MXT_CUDART_TO_HOST == cudaMemcpyDeviceToHost, "copy");
_Static_assert((int)MXT_CUDA_L2_BYTES == cudaDevAttrL2CacheSize, "attribute");
_Static_assert((int)MXT_CUDA_COMPUTE_MAJOR == cudaDevAttrComputeCapabilityMajor, "attribute");

/* The header's names for our types. */
#define mxt_cudart_status  cudaError
#define mxt_cudart_copy    cudaMemcpyKind
#define mxt_cudart_event   CUevent_st
#define mxt_cudart_stream  CUstream_st
#define mxt_cuda_attribute cudaDeviceAttr

#define MXT_CUDART_SYMBOL(type, symbol, arguments, required, since)                                                    \
	_Static_assert(_Generic(&symbol, type(*) arguments : 1, default : 0), #symbol);
#include "cudart.def"

int main(void)
{
	return 0;
}
