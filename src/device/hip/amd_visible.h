/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which GPUs the variables *_VISIBLE_DEVICES leave to a job, and in which order. ROCm's lowest layer obeys
 * ROCR_VISIBLE_DEVICES; HIP numbers what that leaves and obeys HIP_VISIBLE_DEVICES or, where that is not set,
 * CUDA_VISIBLE_DEVICES. A variable that is set and empty leaves nothing. The layers differ in details; both stop at the
 * first entry that they do not understand. Sources: rocr-runtime's amd_filter_device.cpp, clr's rocdevice.cpp.
 */
#ifndef MXT_HIP_AMD_VISIBLE_H
#define MXT_HIP_AMD_VISIBLE_H

#include <stddef.h>
#include <stdint.h>

#define MXT_AMD_MAX_GPUS 256 /* as many as there may be nodes */

/* GPUs to choose from, or chosen: indices into a list of unique ids. */
struct mxt_amd_choice {
	uint32_t items[MXT_AMD_MAX_GPUS];
	size_t count;
};

/*
 * Both layers, on `n` GPUs (at most MXT_AMD_MAX_GPUS) under an environment; NULL: nothing is set. Returns the name of
 * the last variable that hides one, or NULL.
 */
const char *mxt_amd_visible(char *const *environment, const uint64_t *ids, size_t n, struct mxt_amd_choice *ret_choice);

#endif
