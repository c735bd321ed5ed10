/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_calls.def as cudart.def names it, and the values of gpu_runtime.h, against cuda_runtime_api.h. */
#include <cuda_runtime_api.h>

#include "cuda_attribute.h"
#include "gpu_runtime.h"

_Static_assert((int)MXT_GPU_SUCCESS == cudaSuccess, "status");
_Static_assert((int)MXT_GPU_OUT_OF_MEMORY == cudaErrorMemoryAllocation, "status");
_Static_assert((int)MXT_GPU_TO_DEVICE == cudaMemcpyHostToDevice, "copy");
_Static_assert((int)MXT_GPU_TO_HOST == cudaMemcpyDeviceToHost, "copy");
_Static_assert((int)MXT_GPU_ON_DEVICE == cudaMemcpyDeviceToDevice, "copy");
_Static_assert((int)MXT_CUDA_MULTIPROCESSOR_COUNT == cudaDevAttrMultiProcessorCount, "attribute");
_Static_assert((int)MXT_CUDA_L2_BYTES == cudaDevAttrL2CacheSize, "attribute");
_Static_assert((int)MXT_CUDA_COMPUTE_MAJOR == cudaDevAttrComputeCapabilityMajor, "attribute");

/* The header's names for our types. */
#define mxt_gpu_status    cudaError
#define mxt_gpu_copy      cudaMemcpyKind
#define mxt_gpu_event     CUevent_st
#define mxt_gpu_stream    CUstream_st
#define mxt_gpu_attribute cudaDeviceAttr

#define MXT_GPU_CALL(type, member, arguments) typedef type(*abi_##member) arguments;
#include "gpu_calls.def"

#define MXT_GPU_SYMBOL(member, symbol, required, since)                                                                \
	_Static_assert(_Generic(&symbol, abi_##member : 1, default : 0), #symbol);
#include "cudart.def"

int main(void)
{
	return 0;
}
