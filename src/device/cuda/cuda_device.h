/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One NVIDIA GPU, computing through an installed torch for CUDA.
 */
#ifndef MXT_CUDA_DEVICE_H
#define MXT_CUDA_DEVICE_H

#include "device_ops.h"

extern const struct mxt_device_ops mxt_cuda_device;

#endif
