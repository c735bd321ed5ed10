/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wall-clock promise: from process start to the plan on disk. All times are nanoseconds on the budget's clock.
 */
#ifndef MXT_TUNE_BUDGET_H
#define MXT_TUNE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

struct mxt_budget {
	const struct mxt_clock *clock; /* borrowed */
	uint64_t start_ns;             /* process start */
	uint64_t limit_ns;             /* the promise */
	uint64_t work_end_ns; /* measuring stops here; the rest is kept for ending workers and writing the plan */
};

/* `start_ns` is the process start on `clock`. */
void mxt_budget_init(struct mxt_budget *budget, const struct mxt_clock *clock, uint64_t start_ns, uint64_t limit_ns);

uint64_t mxt_budget_used_ns(const struct mxt_budget *budget);

/* What is left for measuring; 0 when it is over. */
uint64_t mxt_budget_left_ns(const struct mxt_budget *budget);

/* The end of a stage that may use `share_percent` of what is left for measuring. */
uint64_t mxt_budget_stage_end_ns(const struct mxt_budget *budget, unsigned share_percent);

#endif
