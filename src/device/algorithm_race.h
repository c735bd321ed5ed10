/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heuristic check: is the algorithm that a library takes by itself the fastest of those that it offers?
 *
 * Successive halving, so that a list of thousands fits in the time there is. The library's own choice (number 0) and
 * its twin are in every block. The first stage takes the best-ranked algorithms and a spread over the rest, as many as
 * leave time for all stages; each stage keeps the faster half and repeats twice as often. The fastest of the last stage
 * that computes right meets the library's own choice in fresh blocks, and only these give the gain and its bound, so
 * that the luckiest of many equal algorithms gains nothing. One that is not surely faster is not called the fastest.
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

#define MXT_ALGORITHM_RACE_MAX 8192

/* All pointers are borrowed for the race. */
struct mxt_algorithm_race {
	size_t
	    count; /* 1 to MXT_ALGORITHM_RACE_MAX; number 0 is the library's own choice, the others as it ranks them */
	void *context;
	/*
	 * One call's device time from one launch, ns, above 0; what only a first call costs is not in it. -ENOTSUP: the
	 * algorithm cannot run and leaves the race; for number 0 that ends it.
	 */
	int (*time)(void *context, size_t algorithm, double *ret_ns, struct mxt_error *err);
	/* Whether it may win: it is still offered and computes right. -ENOTSUP, with the reason: it leaves the race. */
	int (*check)(void *context, size_t algorithm, struct mxt_error *err);
	const struct mxt_clock *clock;
	uint64_t end_ns; /* on that clock: no block starts that would not end by then, but for the first */
	uint64_t seed;
};

/*
 * Fills all of *ret_ranking but `library`, `offered` and `solution`; *ret_fastest is the number of the algorithm that
 * is surely faster than the library's choice, else 0. -ENOTSUP when the least number of blocks did not fit.
 */
int mxt_algorithm_race(const struct mxt_algorithm_race *race, struct mxt_ranking *ret_ranking, size_t *ret_fastest,
		       struct mxt_error *err) MXT_WUR;

#endif
