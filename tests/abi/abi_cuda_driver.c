/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_driver.def and the values of cuda_driver.h against cuda.h. */
/* Ours first: cuda.h makes cuDeviceGetUuid a macro for the newer function. */
#include "cuda_driver.h"

#include <cuda.h>

_Static_assert(sizeof(struct mxt_cuda_uuid) == sizeof(CUuuid), "UUID");
_Static_assert((int)MXT_CUDA_NO_DEVICE == CUDA_ERROR_NO_DEVICE, "status");
_Static_assert((int)MXT_CUDA_STUB_LIBRARY == CUDA_ERROR_STUB_LIBRARY, "status");
_Static_assert((int)MXT_CUDA_SYSTEM_NOT_READY == CUDA_ERROR_SYSTEM_NOT_READY, "status");
_Static_assert((int)MXT_CUDA_DRIVER_MISMATCH == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "status");
_Static_assert((int)MXT_CUDA_MULTIPROCESSOR_COUNT == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, "attribute");
_Static_assert((int)MXT_CUDA_MEMORY_BUS_BITS == CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, "attribute");
_Static_assert((int)MXT_CUDA_L2_BYTES == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, "attribute");
_Static_assert((int)MXT_CUDA_COMPUTE_MAJOR == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, "attribute");

/* The header's names for our types. */
#define mxt_cuda_status    cudaError_enum
#define mxt_cuda_attribute CUdevice_attribute_enum
#define mxt_cuda_uuid      CUuuid_st

#define MXT_DL_SYMBOL(type, symbol, arguments, required, since)                                                        \
	_Static_assert(_Generic(&symbol, type(*) arguments : 1, default : 0), #symbol);
#include "cuda_driver.def"

int main(void)
{
	return 0;
}
