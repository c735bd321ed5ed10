/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of the self-test: the clock behind HIP's events ticks as the host's does. A copy of known size is timed by both.
 */
#ifndef MXT_HIP_CLOCK_TEST_H
#define MXT_HIP_CLOCK_TEST_H

#include <stdint.h>

#include "compiler.h"

struct mxt_clock;
struct mxt_error;
struct mxt_gpu_runtime;

/* One measurement: the events lie inside what the host measured. */
struct mxt_clock_reading {
	uint64_t device_ns, host_ns;
	uint64_t bytes; /* read and written meanwhile */
};

/*
 * 0 when the two may be of one clock. MXT_E_FIRST_CONTACT (-EIO): the events span more time than the host did, less
 * than a quarter of it, or so little that no memory could have moved the bytes.
 */
int mxt_clock_test_judge(const struct mxt_clock_reading *reading, struct mxt_error *err) MXT_WUR;

/* Others may use the device and the host meanwhile: it is tried several times. */
int mxt_clock_test(const struct mxt_gpu_runtime *runtime, const struct mxt_clock *clock, struct mxt_error *err) MXT_WUR;

#endif
