/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small seeded generator (SplitMix64: Steele, Lea, Flood 2014), so that orders and simulations repeat from a
 * recorded seed on every machine. Not for secrets.
 */
#ifndef MXT_BASE_RNG_H
#define MXT_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct mxt_rng {
	uint64_t state;
};

static inline uint64_t mxt_rng_u64(struct mxt_rng *rng)
{
	uint64_t z = (rng->state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static inline double mxt_rng_unit(struct mxt_rng *rng)
{
	return (double)(mxt_rng_u64(rng) >> 11) * 0x1p-53;
}

/* Uniform in [0, bound); bound > 0. The bias of the plain multiplication is below 2^-32 for the sizes used here. */
static inline uint32_t mxt_rng_below(struct mxt_rng *rng, uint32_t bound)
{
	return (uint32_t)(((mxt_rng_u64(rng) >> 32) * bound) >> 32);
}

/* Standard normal deviate. */
double mxt_rng_normal(struct mxt_rng *rng);

/* Fisher-Yates over `count` indices. */
void mxt_rng_shuffle(struct mxt_rng *rng, uint32_t *items, size_t count);

#endif
