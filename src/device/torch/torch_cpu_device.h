/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host, computing through an installed torch: what a training without a GPU would run.
 */
#ifndef MXT_TORCH_CPU_DEVICE_H
#define MXT_TORCH_CPU_DEVICE_H

#include "device_ops.h"

extern const struct mxt_device_ops mxt_torch_cpu_device;

#endif
