/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The built-in provider of the CPU: matrix products by OpenBLAS or BLIS, attention by this program, in float32. It
 * shows and tests the whole way from a model to a plan on any host; it is not what trains, and plans say so.
 *
 * MINDXTRAIN_CPU_BLAS (openblas, blis) and MINDXTRAIN_CPU_ATTENTION (math, flash) choose; see docs/cpu.md.
 */
#ifndef MXT_CPU_DEVICE_H
#define MXT_CPU_DEVICE_H

#include "device_ops.h"

extern const struct mxt_device_ops mxt_cpu_device;

#endif
