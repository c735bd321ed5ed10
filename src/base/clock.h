/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time is injected: everything that waits or measures takes a clock, so that tests run on a simulated one.
 */
#ifndef MXT_BASE_CLOCK_H
#define MXT_BASE_CLOCK_H

#include <stdint.h>

struct mxt_clock {
	uint64_t (*now_ns)(void *context); /* monotonic, nanoseconds */
	void *context;
};

/* CLOCK_MONOTONIC. */
extern const struct mxt_clock mxt_clock_monotonic;

static inline uint64_t mxt_now_ns(const struct mxt_clock *clock)
{
	return clock->now_ns(clock->context);
}

/* CLOCK_REALTIME: for what is held against the times of files. */
int64_t mxt_real_time_ns(void);

/* For poll(): milliseconds until `deadline_ns`, rounded up; -1 where there is none (0). */
int mxt_poll_ms(uint64_t deadline_ns, uint64_t now_ns);

#define MXT_NS_PER_MS UINT64_C(1000000)
#define MXT_NS_PER_S  UINT64_C(1000000000)

#endif
