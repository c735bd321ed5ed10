/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gain of one candidate over another from paired blocks, on the log scale: positive is faster, 0 equal.
 */
#ifndef MXT_CORE_GAIN_H
#define MXT_CORE_GAIN_H

#include <stddef.h>
#include <stdint.h>

#define MXT_LOOKS      4  /* after 4, 8, 16 and 32 blocks */
#define MXT_LOOK_FIRST 4  /* blocks */
#define MXT_LOOK_LAST  32 /* blocks */

/* The largest look that `blocks` reach: 32, 16, 8, 4, or 0 before the first. */
uint32_t mxt_look_of(size_t blocks);

/* A location and its standard error. A bound is center -+ mxt_gain_quantile() * error. */
struct mxt_gain {
	double center;
	double error;
};

/*
 * The trimmed mean of `fresh` and its error. Both arrays are used up (sorted in place). `all` holds the fresh gains and
 * those of the screen before them: the noise is the larger of what the two show, because four fresh blocks that agree
 * say little when the same pair did not agree in the four before.
 */
struct mxt_gain mxt_gain_estimate(double *fresh, size_t n_fresh, double *all, size_t n_all);

/* How many errors a one-sided bound at the level `tail` lies from a center that `n_fresh` blocks gave. */
double mxt_gain_quantile(double tail, size_t n_fresh);

/* 1 - time ratio in ppm, rounded, and back. */
int32_t mxt_gain_ppm(double gain);
double mxt_gain_from_ppm(uint32_t gain_ppm);

#endif
