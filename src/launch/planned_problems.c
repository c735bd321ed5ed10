/* SPDX-License-Identifier: Apache-2.0 */
#include "planned_problems.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "json.h"
#include "plan.h"
#include "plan_settings.h"
#include "problem_json.h"
#include "recording_coverage.h"

static struct mxt_planned_problem *find(const struct mxt_planned_problems *list, const struct mxt_problem *problem)
{
	for (size_t i = 0; i < list->count; i++)
		if (mxt_problem_alike(&list->items[i].problem, problem))
			return &list->items[i];
	return NULL;
}

/* Every sample names a problem of the plan; those of the candidate that ships say how long it takes. */
static void take_sample(struct mxt_planned_problems *list, const json_t *sample, const struct mxt_plan *plan)
{
	const char *probe = mxt_json_text(sample, "probe");
	struct mxt_problem problem;
	if (mxt_problem_of_json(json_object_get(sample, "problem"), &problem) < 0)
		return;
	struct mxt_planned_problem *item = find(list, &problem);
	if (!item) {
		item = &list->items[list->count++];
		*item = (struct mxt_planned_problem){.problem = problem};
	}
	if (strcmp(mxt_json_text(sample, "candidate"), mxt_plan_winner(plan, probe)) == 0 &&
	    mxt_json_integer(sample, "median_ns") > 0)
		item->ns = (double)mxt_json_integer(sample, "median_ns");
}

const struct mxt_planned_problem *mxt_planned_problems_find(const struct mxt_planned_problems *planned,
							    const struct mxt_problem *problem)
{
	return find(planned, problem);
}

int mxt_planned_problems_read(const struct mxt_plan *plan, struct mxt_planned_problems *ret_planned,
			      struct mxt_error *err)
{
	const json_t *samples = json_object_get(mxt_plan_evidence(plan), "samples");
	struct mxt_planned_problems planned = {calloc(json_array_size(samples) + 1, sizeof *planned.items), 0};
	size_t i;
	json_t *sample;
	if (!planned.items)
		return mxt_error_oom(err);
	json_array_foreach(samples, i, sample)
	{
		take_sample(&planned, sample, plan);
	}
	*ret_planned = planned;
	return 0;
}

void mxt_planned_problems_finish(struct mxt_planned_problems *planned)
{
	free(planned->items);
	*planned = (struct mxt_planned_problems){NULL, 0};
}
