/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heuristic check: is the algorithm that a library takes by itself the fastest of those that it offers?
 *
 * All are timed in turn, in an order drawn anew for every round, the library's own choice twice (its twin gives the
 * noise). The one that looks fastest, and computes right, then meets the library's choice in fresh rounds: what these
 * show is the gain, so that the luckiest of many equal algorithms gains nothing.
 */
#ifndef MXT_DEVICE_ALGORITHM_RACE_H
#define MXT_DEVICE_ALGORITHM_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "rng.h"

struct mxt_clock;
struct mxt_error;
struct mxt_ranking;

#define MXT_ALGORITHM_RACE_MAX 200

/* All pointers are borrowed for the race. */
struct mxt_algorithm_race {
	size_t count; /* 1 to MXT_ALGORITHM_RACE_MAX; number 0 is the library's own choice */
	void *context;
	/*
	 * One call's device time from one launch, ns, above 0. -ENOTSUP: the algorithm cannot run and leaves the race;
	 * for number 0 that ends it.
	 */
	int (*time)(void *context, size_t algorithm, double *ret_ns, struct mxt_error *err);
	/* Whether its result is right. -ENOTSUP as above. */
	int (*check)(void *context, size_t algorithm, bool *ret_right, struct mxt_error *err);
	const struct mxt_clock *clock;
	uint64_t end_ns; /* on that clock: no round starts that would not end by then */
	uint64_t seed;
};

/* Fills all of *ret_ranking but `library`. -ENOTSUP when the least number of rounds did not fit. */
int mxt_algorithm_race(const struct mxt_algorithm_race *race, struct mxt_ranking *ret_ranking,
		       struct mxt_error *err) MXT_WUR;

#endif
