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

int64_t mxt_real_time_ns(void)
{
	struct timespec ts = {0, 0};
	(void)clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * (int64_t)MXT_NS_PER_S + ts.tv_nsec;
}

int mxt_poll_ms(uint64_t deadline_ns, uint64_t now_ns)
{
	if (deadline_ns == 0)
		return -1;
	uint64_t ms = deadline_ns > now_ns ? (deadline_ns - now_ns) / MXT_NS_PER_MS + 1 : 0;
	return ms < INT32_MAX ? (int)ms : INT32_MAX;
}
