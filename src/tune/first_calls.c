/* SPDX-License-Identifier: Apache-2.0 */
#include "first_calls.h"

#include "clock.h"
#include "compiler.h"
#include "field.h"
#include "statistics.h"

/* What one first call took beyond a steady one; noise may make it negative. */
static double excess_ns(uint64_t first_ns, uint64_t steady_ns)
{
	return (double)first_ns - (double)steady_ns;
}

static bool is_timed(const struct mxt_measure *measure)
{
	return measure->prepared && measure->n > 0;
}

/* The forward problem that takes most of the step; NULL when there is none whose length could vary. */
static const struct mxt_problem *main_attention(const struct mxt_field *field)
{
	const struct mxt_problem *found = NULL;
	double most = 0;
	for (size_t i = 0; i < field->course->n_problems; i++) {
		const struct mxt_problem *problem = &field->course->problems[i];
		double flops = (double)problem->calls * problem->share_ppm * mxt_problem_flops(problem);
		if (problem->kind != MXT_PROBLEM_ATTENTION || problem->as.attention.direction != MXT_FORWARD ||
		    problem->as.attention.n_documents > 0 || flops <= most)
			continue;
		found = problem;
		most = flops;
	}
	return found;
}

/* Lengths below the job's, odd multiples away from it, so that nothing else has asked for them. */
static struct mxt_problem at_new_length(const struct mxt_problem *problem, unsigned index, int32_t multiple,
					enum mxt_direction direction)
{
	struct mxt_problem changed = *problem;
	int64_t seq = problem->as.attention.seq - (2 * (int64_t)index + 1) * multiple;
	changed.as.attention.seq = (int32_t)seq;
	changed.as.attention.direction = direction;
	return changed;
}

/* Multiples that leave room for all new lengths above half the job's; shorter sequences take what there is. */
static int32_t step_of(const struct mxt_problem *problem, int32_t multiple)
{
	int32_t room = problem->as.attention.seq / (4 * MXT_NEW_LENGTHS);
	int32_t step = multiple < room ? multiple : room;
	return step > 0 ? step : 1;
}

struct new_costs {
	double total[MXT_NEW_LENGTHS];
	double call[MXT_DIRECTION_COUNT][MXT_NEW_LENGTHS];
};

/* Both directions at one new length. */
static int try_length(struct mxt_field *field, size_t entry, const struct mxt_problem *problem, int32_t multiple,
		      unsigned index, struct new_costs *costs, struct mxt_error *err)
{
	for (unsigned d = MXT_FORWARD; d < MXT_DIRECTION_COUNT; d++) {
		struct mxt_problem fresh = at_new_length(problem, index, multiple, (enum mxt_direction)d);
		struct mxt_trial trial = {0};
		int rc = mxt_field_try(field, entry, &fresh, 0, &trial, err);
		if (rc < 0 || field->entries[entry].outcome != MXT_OK)
			return rc;
		costs->call[d][index] = excess_ns(trial.first_call_ns, trial.steady_ns);
		costs->total[index] += costs->call[d][index];
	}
	return 0;
}

/* A challenger that compiles for seconds at every length must not cost the others their race. */
static bool takes_too_long(const struct mxt_field *field, size_t entry, uint64_t began_ns)
{
	uint64_t now = mxt_now_ns(field->clock), left = now < field->end_ns ? field->end_ns - now : 0;
	return field->entries[entry].role == MXT_ROLE_CHALLENGER && (now - began_ns) * (MXT_NEW_LENGTHS - 1) > left / 2;
}

static int try_lengths(struct mxt_field *field, size_t entry, const struct mxt_problem *problem, int32_t multiple,
		       struct new_costs *costs, struct mxt_error *err)
{
	uint64_t began = mxt_now_ns(field->clock);
	int rc = try_length(field, entry, problem, multiple, 0, costs, err);
	if (rc == 0 && field->entries[entry].outcome == MXT_OK && takes_too_long(field, entry, began))
		rc = mxt_field_drop(field, entry, MXT_TIMEOUT, "no time to measure what new lengths cost it", err);
	for (unsigned i = 1; rc == 0 && field->entries[entry].outcome == MXT_OK && i < MXT_NEW_LENGTHS; i++)
		rc = try_length(field, entry, problem, multiple, i, costs, err);
	return rc;
}

static uint64_t median_ns(double *costs)
{
	double median = mxt_median(costs, MXT_NEW_LENGTHS);
	return median > 0 ? (uint64_t)median : 0;
}

static int measure_attention(struct mxt_field *field, size_t entry, const struct mxt_problem *problem, int32_t multiple,
			     struct mxt_error *err)
{
	struct new_costs costs = {.total = {0}};
	struct mxt_first_calls *first = &field->entries[entry].first;
	int rc = try_lengths(field, entry, problem, step_of(problem, multiple), &costs, err);
	if (rc < 0 || field->entries[entry].outcome != MXT_OK)
		return rc;
	mxt_charge_estimate(costs.total, MXT_NEW_LENGTHS, &first->cost);
	for (unsigned d = MXT_FORWARD; d < MXT_DIRECTION_COUNT; d++)
		first->call_ns[d] = median_ns(costs.call[d]);
	first->shapes = MXT_NEW_LENGTHS;
	first->known = true;
	return 0;
}

double mxt_first_calls_glance(const struct mxt_field *field, const struct mxt_entry *entry)
{
	double cost = 0;
	for (unsigned d = MXT_FORWARD; d < MXT_DIRECTION_COUNT; d++) {
		double calls[MXT_WORKER_MAX_PROBLEMS];
		size_t count = 0;
		for (size_t i = 0; i < field->course->n_problems; i++) {
			const struct mxt_problem *problem = &field->course->problems[i];
			if (problem->kind == MXT_PROBLEM_ATTENTION && problem->as.attention.direction == d &&
			    is_timed(&entry->measures[i]))
				calls[count++] = excess_ns(entry->measures[i].first_call_ns,
							   mxt_measure_median(&entry->measures[i]));
		}
		cost += count > 0 ? mxt_median(calls, count) : 0;
	}
	return cost;
}

int mxt_first_calls_measure(struct mxt_field *field, size_t entry, int32_t multiple, struct mxt_error *err)
{
	const struct mxt_problem *attention = main_attention(field);
	if (!attention || attention->as.attention.seq <= 2 * MXT_NEW_LENGTHS)
		return 0;
	return measure_attention(field, entry, attention, multiple, err);
}
