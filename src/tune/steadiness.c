/* SPDX-License-Identifier: Apache-2.0 */
#include "steadiness.h"

#define MAX_MOVED_PPM 1e9

void mxt_steadiness_add(struct mxt_steadiness *steadiness, uint64_t run_ns)
{
	if (steadiness->count == 0)
		steadiness->first_ns = run_ns;
	steadiness->last_ns[steadiness->count++ % MXT_STEADY_READINGS] = run_ns;
}

bool mxt_steadiness_reached(const struct mxt_steadiness *steadiness)
{
	uint64_t least = UINT64_MAX, most = 0;
	if (steadiness->count < MXT_STEADY_READINGS)
		return false;
	for (size_t i = 0; i < MXT_STEADY_READINGS; i++) {
		uint64_t ns = steadiness->last_ns[i];
		least = ns < least ? ns : least;
		most = ns > most ? ns : most;
	}
	return (double)(most - least) * 1e6 <= (double)most * MXT_STEADY_PPM;
}

int32_t mxt_steadiness_moved_ppm(const struct mxt_steadiness *steadiness)
{
	if (steadiness->count == 0)
		return 0;
	uint64_t last = steadiness->last_ns[(steadiness->count - 1) % MXT_STEADY_READINGS];
	double ppm = last > 0 ? ((double)steadiness->first_ns / (double)last - 1) * 1e6 : 0;
	return (int32_t)(ppm < MAX_MOVED_PPM ? ppm : MAX_MOVED_PPM);
}
