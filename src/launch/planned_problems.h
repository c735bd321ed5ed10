/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The problems that a plan was chosen on, by the samples of its evidence.
 */
#ifndef MXT_LAUNCH_PLANNED_PROBLEMS_H
#define MXT_LAUNCH_PLANNED_PROBLEMS_H

#include <stddef.h>

#include "compiler.h"
#include "problem.h"

struct mxt_error;
struct mxt_plan;

struct mxt_planned_problem {
	struct mxt_problem problem;
	double ns; /* of one call, under what the plan ships; 0: not known */
};

struct mxt_planned_problems {
	struct mxt_planned_problem *items; /* owned; no two alike (mxt_problem_alike()) */
	size_t count;
};
#define MXT_CLEANUP_PLANNED_PROBLEMS MXT_CLEANUP(mxt_planned_problems_finish)

/* Samples that are none are passed over. 0 or -ENOMEM. */
int mxt_planned_problems_read(const struct mxt_plan *plan, struct mxt_planned_problems *ret_planned,
			      struct mxt_error *err) MXT_WUR;
void mxt_planned_problems_finish(struct mxt_planned_problems *planned);

/* The one that is alike; NULL: the plan does not speak about it. */
const struct mxt_planned_problem *mxt_planned_problems_find(const struct mxt_planned_problems *planned,
							    const struct mxt_problem *problem);

#endif
