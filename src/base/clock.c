/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

#include <time.h>

static uint64_t monotonic_ns(void *context)
{
	(void)context;
	struct timespec ts = {0, 0};
	(void)clock_gettime(CLOCK_MONOTONIC, &ts); /* cannot fail with a valid clock and pointer */
	return (uint64_t)ts.tv_sec * MXT_NS_PER_S + (uint64_t)ts.tv_nsec;
}

const struct mxt_clock mxt_clock_monotonic = {monotonic_ns, 0};
