/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which GPUs the variables *_VISIBLE_DEVICES leave to a job, as far as their text tells: what contradicts itself, and
 * how many they leave. Which GPUs these are on this machine is the business of those who can see it (amd_visible.h).
 *
 * ROCm's lowest layer obeys ROCR_VISIBLE_DEVICES; HIP numbers what that leaves and obeys HIP_VISIBLE_DEVICES or, where
 * that is not set, CUDA_VISIBLE_DEVICES. CUDA knows its own only. Each list ends at the first entry that is -1, and a
 * variable that is set and empty leaves nothing. Sources: rocr-runtime, amd_filter_device.cpp; clr, rocdevice.cpp; CUDA
 * C++ Programming Guide, "CUDA Environment Variables".
 */
#ifndef MXT_CORE_VISIBLE_DEVICES_H
#define MXT_CORE_VISIBLE_DEVICES_H

#include <stdint.h>

struct mxt_advice_sink;

enum mxt_gpu_stack { MXT_STACK_NONE, MXT_STACK_ROCM, MXT_STACK_CUDA };

/* Of a plan's platform.arch: "gfx942", "sm_90", "x86_64-v4". */
enum mxt_gpu_stack mxt_gpu_stack_of(const char *arch);

/* `needed`: GPUs that the job has on this node; 0: nobody asks for a number. */
void mxt_visible_devices_advise(char *const *environment, enum mxt_gpu_stack stack, int64_t needed,
				const struct mxt_advice_sink *sink);

#endif
