/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_calls.def as hip.def names it, the values of gpu_runtime.h, the numbers of the HIP dialect and hip_layout.def
 * against hip_runtime_api.h. Headers of ROCm 5 have the old layout of a device's properties only, later ones both.
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
#include <hip/hip_deprecated.h>
_Static_assert(sizeof(struct hipDeviceProp_tR0600) == 1472, "size of the new layout");
#define CHECK_NEW(name, offset) (offsetof(struct hipDeviceProp_tR0600, name) == (offset))
#define mxt_hip_properties_new  hipDeviceProp_tR0600
#define mxt_hip_properties_old  hipDeviceProp_tR0600 /* what the macro makes of the plain function's name */
typedef hipDeviceProp_tR0000 old_layout;
#else
#define CHECK_NEW(name, offset) 1
#define mxt_hip_properties_old  hipDeviceProp_t
typedef hipDeviceProp_t old_layout;
hipError_t hipGetDevicePropertiesR0600(struct mxt_hip_properties_new *properties, int device);
#endif
_Static_assert(sizeof(old_layout) <= 792, "size of the old layout"); /* it has grown at its end */

#define MXT_HIP_FIELD(member, bytes, new_offset, old_offset, header_name)                                              \
	_Static_assert(CHECK_NEW(header_name, new_offset), #header_name);                                              \
	_Static_assert(offsetof(old_layout, header_name) == (old_offset), #header_name);                               \
	_Static_assert(sizeof(((old_layout *)0)->header_name) == (bytes), #header_name);                               \
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
