/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AMD GPUs through a torch that is built for ROCm.
 */
#ifndef MXT_HIP_DEVICE_H
#define MXT_HIP_DEVICE_H

#include "device_ops.h"

extern const struct mxt_device_ops mxt_hip_device;

#endif
