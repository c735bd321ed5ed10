/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a new length costs: the first calls on shapes that a process has not seen, over the steady time of the same
 * shapes. Internal to src/tune.
 *
 * Attention is asked for lengths of its own, a little below the job's. What a process pays once (loading libraries) is
 * not in it: workers do that when they open the device. Matrix products are not charged: a new shape costs them a
 * question to the library's heuristic (0.2 ms on an H200), and what their first calls take beyond that is the loading
 * of kernels, once in a process, which a few calls cannot tell from a cost that recurs.
 */
#ifndef MXT_TUNE_FIRST_CALLS_H
#define MXT_TUNE_FIRST_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "choose.h"
#include "problem.h"

struct mxt_entry;
struct mxt_error;
struct mxt_field;

#define MXT_NEW_LENGTHS 6

struct mxt_first_calls {
	bool known;
	uint32_t shapes;                       /* new lengths */
	uint64_t call_ns[MXT_DIRECTION_COUNT]; /* medians of one call */
	struct mxt_charge cost;                /* of one new length: one step's worth of new shapes */
};

/*
 * An estimate that costs nothing, from the problems that were prepared and timed at least once: what their first calls
 * took beyond a steady one, ns of one new length. It tells whether it is worth to look closer.
 */
double mxt_first_calls_glance(const struct mxt_field *field, const struct mxt_entry *entry);

/*
 * Measures the cost of entry `entry`, which has been prepared and timed, into its `first`. What fails on the way drops
 * the entry. `multiple`: lengths that the job meets are multiples of it. Returns as mxt_field_start().
 */
int mxt_first_calls_measure(struct mxt_field *field, size_t entry, int32_t multiple, struct mxt_error *err);

#endif
