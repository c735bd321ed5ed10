/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of what was recorded a generated set of problems would have covered: the measuring stick for generators.
 */
#ifndef MXT_CORE_RECORDING_COVERAGE_H
#define MXT_CORE_RECORDING_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

struct mxt_problem;
struct mxt_problem_set;

#define MXT_COVERAGE_MISSES 5

/* Calls and operations are those of one step. */
struct mxt_coverage {
	double gemm_flops, gemm_covered_flops; /* of matrix products */
	double attention_calls, attention_covered;
	/* The calls that are not covered, or not often enough, with most operations. Borrowed from the recorded set. */
	const struct mxt_problem *misses[MXT_COVERAGE_MISSES];
	double miss_calls[MXT_COVERAGE_MISSES]; /* how many are missing */
	uint32_t n_misses;
};

/* Are these the same call? Two packed attention calls are, when all but the lengths of their documents is the same. */
bool mxt_problem_alike(const struct mxt_problem *a, const struct mxt_problem *b);

/*
 * A call is covered by an equal one, as mxt_problem_alike() says it, as often as that is generated. Both sets unscaled,
 * each problem in it once.
 */
void mxt_recording_coverage(const struct mxt_problem_set *recorded, const struct mxt_problem_set *generated,
			    struct mxt_coverage *ret_coverage);

/* Appends it as one sentence. */
void mxt_coverage_text(const struct mxt_coverage *coverage, struct mxt_buf *buf);

#endif
