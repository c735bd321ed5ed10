/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A number that a machine may or may not report: "not reported" is never 0.
 */
#ifndef MXT_BASE_READING_H
#define MXT_BASE_READING_H

#include <stdbool.h>
#include <stdint.h>

struct mxt_reading {
	uint64_t value; /* meaningless unless reported */
	bool reported;
};

static inline struct mxt_reading mxt_reading_of(uint64_t value)
{
	return (struct mxt_reading){value, true};
}

/* True when the reading is there and equals `value`. */
static inline bool mxt_reading_is(struct mxt_reading reading, uint64_t value)
{
	return reading.reported && reading.value == value;
}

#endif
