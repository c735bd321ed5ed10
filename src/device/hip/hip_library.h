/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which libamdhip64 is used: the one that torch brought, which is loaded by the time that anybody asks; without a torch
 * the newest that the loader finds.
 */
#ifndef MXT_HIP_LIBRARY_H
#define MXT_HIP_LIBRARY_H

#include "compiler.h"
#include "gpu_runtime.h"

/* Loads it and takes the device: statuses of mxt_gpu_runtime_open(). */
int mxt_hip_library_open(int device, struct mxt_gpu_runtime *ret_runtime, struct mxt_error *err) MXT_WUR;

#endif
