/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a card could compute at most. It bounds measurements (a faster time is a failed one) and gives the share of the
 * peak, so it errs on the high side.
 */
#ifndef MXT_CUDA_NVIDIA_PEAK_H
#define MXT_CUDA_NVIDIA_PEAK_H

#include <stdint.h>

/* Floating-point operations of one multiprocessor in one clock; a multiply-add counts as two. 0: none, or not known. */
struct mxt_nvidia_rate {
	uint32_t bf16; /* dense, on tensor cores, accumulated in float32 */
	uint32_t fp32; /* outside tensor cores */
};

/* By compute capability, 9.0 being (9, 0). */
struct mxt_nvidia_rate mxt_nvidia_rate(int major, int minor);

#endif
