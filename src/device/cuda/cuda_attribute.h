/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of a device that the CUDA driver and the CUDA runtime tell alike: CUdevice_attribute of cuda.h and
 * cudaDeviceAttr of driver_types.h (CUDA 13.0) have the same values, which are part of both interfaces.
 */
#ifndef MXT_CUDA_CUDA_ATTRIBUTE_H
#define MXT_CUDA_CUDA_ATTRIBUTE_H

enum mxt_cuda_attribute {
	MXT_CUDA_MULTIPROCESSOR_COUNT = 16,
	MXT_CUDA_MEMORY_BUS_BITS = 37, /* CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH */
	MXT_CUDA_L2_BYTES = 38,        /* CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE */
	MXT_CUDA_COMPUTE_MAJOR = 75,   /* CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR */
};

#endif
