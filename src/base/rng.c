/* SPDX-License-Identifier: Apache-2.0 */
#include "rng.h"

#include <math.h>

double mxt_rng_normal(struct mxt_rng *rng)
{
	const double two_pi = 6.283185307179586;
	double radius = sqrt(-2.0 * log(1.0 - mxt_rng_unit(rng)));
	return radius * cos(two_pi * mxt_rng_unit(rng));
}

void mxt_rng_shuffle(struct mxt_rng *rng, uint32_t *items, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t j = mxt_rng_below(rng, (uint32_t)i);
		uint32_t held = items[i - 1];
		items[i - 1] = items[j];
		items[j] = held;
	}
}
