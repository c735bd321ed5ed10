/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How one time is taken, in the worker: untimed launches until two agree, then timed ones. Only the device's own time
 * is looked at, so the same code runs on simulated time.
 */
#ifndef MXT_WORKER_MEASURE_H
#define MXT_WORKER_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "device_ops.h"
#include "worker.h"

struct mxt_measure {
	const struct mxt_device_ops *ops;
	struct mxt_device *device;
	const struct mxt_step *steps; /* borrowed, as all pointers here */
	size_t n_steps;
	uint64_t max_warm_ns; /* of the device's time, for warming up; 0: none */
	uint64_t target_ns;   /* of the same, for timed launches */
};

/*
 * A launch runs the sequence so often that it spans at least 1 ms (`repeats`, adapted while warming up and after a
 * launch that fell short, which then does not count). Warm-up ends when two launches in a row agree within 5 %, or
 * after max_warm_ns; there is none when that is 0. Timed launches follow until they sum up to target_ns; at least one.
 * Statuses are the device's; -EIO when its clock stands still.
 */
int mxt_measure(const struct mxt_measure *measure, struct mxt_timing *ret_timing, struct mxt_error *err);

#endif
