/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_calls.def as hip.def names it, the values of gpu_runtime.h, the numbers of the HIP dialect and hip_layout.def
 * against hip_runtime_api.h. Headers of ROCm 5 have the old layout of a device's properties, later ones the new one: a
 * header checks the column that is its own.
 */
#include <hip/hip_runtime_api.h>

#include <stddef.h>

#include "gpu_runtime.h"
#include "hip_identity.h"

_Static_assert((int)MXT_GPU_SUCCESS == hipSuccess, "status");
_Static_assert((int)MXT_GPU_OUT_OF_MEMORY == hipErrorOutOfMemory, "status");
_Static_assert((int)MXT_GPU_TO_DEVICE == hipMemcpyHostToDevice, "copy");
_Static_assert((int)MXT_GPU_TO_HOST == hipMemcpyDeviceToHost, "copy");
_Static_assert((int)MXT_GPU_ON_DEVICE == hipMemcpyDeviceToDevice, "copy");
_Static_assert(MXT_HIP_UNITS == hipDeviceAttributeMultiprocessorCount, "attribute");
_Static_assert(MXT_HIP_L2_BYTES == hipDeviceAttributeL2CacheSize, "attribute");
_Static_assert(MXT_HIP_COMPUTE_MAJOR == hipDeviceAttributeComputeCapabilityMajor, "attribute");

/* ---- the properties ---- */

#ifdef hipGetDeviceProperties /* since ROCm 6 a macro for the function that fills the new layout */
#define CHECK_OFFSET(new_offset, old_offset, name) (offsetof(struct hipDeviceProp_tR0600, name) == (new_offset))
_Static_assert(sizeof(struct hipDeviceProp_tR0600) == 1472, "size of the new layout");
#define mxt_hip_properties_new hipDeviceProp_tR0600
#define mxt_hip_properties_old hipDeviceProp_tR0600
#else
#define CHECK_OFFSET(new_offset, old_offset, name) (offsetof(hipDeviceProp_t, name) == (old_offset))
_Static_assert(sizeof(hipDeviceProp_t) <= 792, "size of the old layout");
#define mxt_hip_properties_old                     hipDeviceProp_t
hipError_t hipGetDevicePropertiesR0600(struct mxt_hip_properties_new *properties, int device);
#endif

#define MXT_HIP_FIELD(member, bytes, new_offset, old_offset, header_name)                                              \
	_Static_assert(CHECK_OFFSET(new_offset, old_offset, header_name), #header_name);                               \
	_Static_assert(sizeof(((hipDeviceProp_t *)0)->header_name) == (bytes), #header_name);                          \
	_Static_assert(sizeof(((struct mxt_hip_identity *)0)->member) == (bytes), #member);
#include "hip_layout.def"

/* ---- the functions ---- */

/* The header's names for our types. */
#define mxt_gpu_status    hipError_t
#define mxt_gpu_copy      hipMemcpyKind
#define mxt_gpu_event     ihipEvent_t
#define mxt_gpu_stream    ihipStream_t
#define mxt_gpu_attribute hipDeviceAttribute_t

#define MXT_GPU_CALL(type, member, arguments) typedef type(*abi_##member) arguments;
#include "gpu_calls.def"

#define MXT_GPU_SYMBOL(member, symbol, required, since)                                                                \
	_Static_assert(_Generic(&symbol, abi_##member : 1, default : 0), #symbol);
#include "hip.def"

int main(void)
{
	return 0;
}
