/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pace of the simulated card: slower while it is cold, and slower as it drifts. Its age is device time of this
 * process, or of all processes that share a file, or wall time.
 */
#ifndef MXT_SIM_CLOCK_H
#define MXT_SIM_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>

struct mxt_sim_scenario;

/* What processes share. */
struct mxt_sim_ages {
	_Atomic uint64_t device_ns;
	_Atomic uint64_t began_ns; /* monotonic; 0: not yet */
};

struct mxt_sim_pace {
	struct mxt_sim_ages own, *ages; /* `ages` points to `own`, or to a shared mapping that stays with the process */
};

/* Ends the process when the shared file cannot be had. Not to be copied afterwards. */
void mxt_sim_pace_init(struct mxt_sim_pace *pace, const struct mxt_sim_scenario *scenario);

/* What times are multiplied by now. */
double mxt_sim_pace_factor(const struct mxt_sim_pace *pace, const struct mxt_sim_scenario *scenario);
void mxt_sim_pace_advance(struct mxt_sim_pace *pace, double ns);

#endif
