/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which cards of the machine a ROCm process sees: ROCR_VISIBLE_DEVICES takes from the machine, HIP_VISIBLE_DEVICES (or,
 * without it, CUDA_VISIBLE_DEVICES) from what that left. Numbers only; as in HIP, what follows a number that there is
 * not is left out.
 */
#ifndef MXT_SIM_VISIBLE_H
#define MXT_SIM_VISIBLE_H

#define MXT_SIM_MAX_CARDS 64

struct mxt_sim_visible {
	int cards[MXT_SIM_MAX_CARDS]; /* number in the machine, by number in HIP */
	int count;
};

struct mxt_sim_visible mxt_sim_visible(int cards);

#endif
