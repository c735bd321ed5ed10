/* SPDX-License-Identifier: Apache-2.0 */
#include "course.h"

#include <stdlib.h>

#include "error.h"
#include "session.h"

static int allocate(struct mxt_course *course, size_t problems, size_t items, size_t steps, struct mxt_error *err)
{
	/* one more than needed: an empty array is no failed allocation */
	course->problems = calloc(problems + 1, sizeof *course->problems);
	course->items = calloc(items + 1, sizeof *course->items);
	course->steps = calloc(steps + 1, sizeof *course->steps);
	return course->problems && course->items && course->steps ? 0 : mxt_error_oom(err);
}

void mxt_course_finish(struct mxt_course *course)
{
	free(course->problems);
	free(course->items);
	free(course->steps);
	*course = (struct mxt_course){.problems = NULL};
}

/* The least time that the hardware needs for one call. */
static double least_ns(const struct mxt_inventory *inventory, const struct mxt_problem *problem)
{
	if (inventory->peak_flops <= 0)
		return 0;
	return mxt_problem_flops(problem) / inventory->peak_flops * 1e9;
}

static void add_problem(struct mxt_course *course, const struct mxt_inventory *inventory,
			const struct mxt_problem *problem)
{
	size_t i = course->n_problems++;
	course->problems[i] = *problem;
	course->steps[i] = (struct mxt_sequence_step){.id = (uint32_t)i};
	course->items[course->n_items++] = (struct mxt_item){.steps = &course->steps[i],
							     .n_steps = 1,
							     .weight = mxt_problem_weight(problem),
							     .least_ns = least_ns(inventory, problem)};
}

int mxt_course_init_probe(struct mxt_course *course, const struct mxt_session *session, enum mxt_problem_kind kind,
			  struct mxt_error *err)
{
	const struct mxt_problem_set *set = &session->set;
	int rc = allocate(course, set->n_problems, set->n_problems, set->n_problems, err);
	for (size_t i = 0; rc == 0 && i < set->n_problems; i++)
		if (set->problems[i].kind == kind)
			add_problem(course, &session->inventory, &set->problems[i]);
	return rc;
}

/* Prepares a problem of the set when it is met first; returns its id in the course. */
static uint32_t layer_problem(struct mxt_course *course, const struct mxt_problem *problem)
{
	for (size_t i = 0; i < course->n_problems; i++)
		if (mxt_problem_equal(&course->problems[i], problem))
			return (uint32_t)i;
	course->problems[course->n_problems] = *problem;
	return (uint32_t)course->n_problems++;
}

int mxt_course_init_layer(struct mxt_course *course, const struct mxt_session *session, struct mxt_error *err)
{
	const struct mxt_problem_set *set = &session->set;
	int rc = allocate(course, set->n_problems, 1, set->n_layer, err);
	if (rc < 0)
		return rc;
	struct mxt_item *item = &course->items[course->n_items++];
	*item = (struct mxt_item){.steps = course->steps, .n_steps = set->n_layer, .weight = 1};
	for (size_t i = 0; i < set->n_layer; i++) {
		const struct mxt_layer_step *step = &set->layer[i];
		if (step->problem == MXT_LAYER_FILLER) {
			course->steps[i] = (struct mxt_sequence_step){MXT_WORKER_FILLER, step->filler_bytes};
			continue;
		}
		const struct mxt_problem *problem = &set->problems[step->problem];
		course->steps[i] = (struct mxt_sequence_step){.id = layer_problem(course, problem)};
		item->least_ns += least_ns(&session->inventory, problem);
	}
	return 0;
}
