/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who else uses an AMD GPU, and how it may run: files of amdgpu and of its compute driver. Sources: Linux
 * drivers/gpu/drm/amd, amdgpu_vram_mgr.c (mem_info_vram_used), amdgpu_pm.c (power1_cap, in microwatts),
 * amdkfd/kfd_process.c (proc/PID/vram_GPU).
 */
#ifndef MXT_HIP_AMD_USAGE_H
#define MXT_HIP_AMD_USAGE_H

#include "compiler.h"
#include "reading.h"

struct mxt_amd_gpu;
struct mxt_error;
struct mxt_sysroot;

struct mxt_amd_usage {
	struct mxt_reading memory_used_bytes;                 /* of the whole card */
	uint32_t processes;                                   /* that have memory of this GPU, of all users */
	struct mxt_reading power_cap_watts, power_most_watts; /* that it may draw, and that it could be allowed */
};

/* What no file tells is not reported. -ENOMEM is the only failure. */
int mxt_amd_usage_read(const struct mxt_sysroot *root, const struct mxt_amd_gpu *gpu, struct mxt_amd_usage *ret_usage,
		       struct mxt_error *err) MXT_WUR;

#endif
