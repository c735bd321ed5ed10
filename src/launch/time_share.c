/* SPDX-License-Identifier: Apache-2.0 */
#include "time_share.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "json.h"
#include "plan.h"
#include "planned_problems.h"
#include "problem_json.h"
#include "recording.h"
#include "workload.h"

#define MAX_LARGEST 5

/* A problem of the recorded step. */
struct called {
	const struct mxt_problem *problem;
	const struct mxt_planned_problem *planned; /* NULL: the plan does not speak about it */
	double calls, flops;                       /* flops: of all these calls */
	double weight;
};

struct step {
	struct called *items; /* owned */
	size_t count;
	bool timed; /* weights are ns; else operations */
};

static void step_finish(struct step *step)
{
	free(step->items);
}

/* ---- the step ---- */

/* The limits that shrank the plan's problems shrink those of the recording, too. */
static struct mxt_scale scale_of(const json_t *decision)
{
	const json_t *scaled = json_object_get(json_object_get(decision, "workload"), "scaled");
	return (struct mxt_scale){.gemm_tokens = (int32_t)mxt_json_integer(scaled, "gemm_tokens"),
				  .attention_tokens = (int32_t)mxt_json_integer(scaled, "attention_tokens"),
				  .weight_extent = (int32_t)mxt_json_integer(scaled, "weight_extent")};
}

static int make_step(const struct mxt_problem_set *set, const struct mxt_planned_problems *planned, struct step *step,
		     struct mxt_error *err)
{
	step->items = calloc(set->n_problems + 1, sizeof *step->items);
	if (!step->items)
		return mxt_error_oom(err);
	for (size_t i = 0; i < set->n_problems; i++) {
		const struct mxt_problem *problem = &set->problems[i];
		double calls = mxt_problem_weight(problem);
		step->items[step->count++] = (struct called){.problem = problem,
							     .planned = mxt_planned_problems_find(planned, problem),
							     .calls = calls,
							     .flops = mxt_problem_flops(problem) * calls};
	}
	return 0;
}

/* ---- weights ---- */

/* Mean ns of one operation in the planned calls of a kind; 0: one of them has no time, or there is none. */
static double ns_per_flop(const struct step *step, enum mxt_problem_kind kind)
{
	double ns = 0, flops = 0;
	for (size_t i = 0; i < step->count; i++) {
		const struct called *item = &step->items[i];
		if (item->problem->kind != kind || !item->planned)
			continue;
		if (item->planned->ns <= 0)
			return 0;
		ns += item->planned->ns * item->calls;
		flops += item->flops;
	}
	return flops > 0 ? ns / flops : 0;
}

/* A kind of which nothing is planned runs at the other one's speed, for want of a better guess. */
static void weigh(struct step *step)
{
	double speed[MXT_PROBLEM_KIND_COUNT] = {ns_per_flop(step, MXT_PROBLEM_ATTENTION),
						ns_per_flop(step, MXT_PROBLEM_GEMM)};
	double any = fmax(speed[0], speed[1]);
	step->timed = any > 0;
	for (size_t i = 0; i < step->count; i++)
		if (step->items[i].planned && step->items[i].planned->ns <= 0)
			step->timed = false;
	for (size_t i = 0; i < step->count; i++) {
		struct called *item = &step->items[i];
		double kinds = speed[item->problem->kind];
		if (!step->timed)
			item->weight = item->flops;
		else if (item->planned)
			item->weight = item->planned->ns * item->calls;
		else
			item->weight = item->flops * (kinds > 0 ? kinds : any);
	}
}

/* Of which kinds a sum is. */
#define ALL_KINDS MXT_PROBLEM_KIND_COUNT

static double sum(const struct step *step, unsigned kind, bool planned_only)
{
	double total = 0;
	for (size_t i = 0; i < step->count; i++) {
		const struct called *item = &step->items[i];
		if ((kind == ALL_KINDS || item->problem->kind == kind) && (item->planned || !planned_only))
			total += item->weight;
	}
	return total;
}

/* ---- the answer ---- */

static int set_ppm(json_t *share, const char *key, double part, double whole)
{
	return whole > 0 ? json_object_set_new(share, key, json_integer(llround(part / whole * MXT_PPM))) : 0;
}

static const char *basis_of(const struct step *step, const struct mxt_plan *plan)
{
	if (!step->timed)
		return "operations";
	return mxt_plan_is_simulated(plan) ? "simulated times" : "measured times";
}

static int set_shares(json_t *share, const struct step *step, const struct mxt_plan *plan)
{
	static const struct {
		const char *key;
		unsigned kind;
	} rows[] = {{"share_ppm", ALL_KINDS}, {"gemm_ppm", MXT_PROBLEM_GEMM}, {"attention_ppm", MXT_PROBLEM_ATTENTION}};
	int rc = json_object_set_new(share, "basis", json_string(basis_of(step, plan)));
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(rows); i++)
		rc = set_ppm(share, rows[i].key, sum(step, rows[i].kind, true), sum(step, rows[i].kind, false));
	return rc;
}

static int compare_weights(const void *a, const void *b)
{
	const struct called *x = a, *y = b;
	return (x->weight < y->weight) - (x->weight > y->weight);
}

static json_t *unplanned_json(const struct called *item, double whole)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_problem_text(item->problem, &text);
	if (text.failed)
		return NULL;
	return json_pack("{s:s, s:I, s:I}", "problem", mxt_buf_text(&text), "calls", (json_int_t)llround(item->calls),
			 "ppm", (json_int_t)llround(item->weight / whole * MXT_PPM));
}

/* Sorts the step. */
static int set_largest(json_t *share, struct step *step)
{
	json_t *list = json_array();
	double whole = sum(step, ALL_KINDS, false);
	int rc = list ? 0 : -1;
	if (step->count > 0)
		qsort(step->items, step->count, sizeof *step->items, compare_weights);
	for (size_t i = 0; rc == 0 && i < step->count && json_array_size(list) < MAX_LARGEST; i++)
		if (!step->items[i].planned)
			rc = json_array_append_new(list, unplanned_json(&step->items[i], whole));
	if (rc == 0)
		return json_object_set_new(share, "largest_unplanned", list);
	json_decref(list);
	return rc;
}

static bool is_pinned(const json_t *pins, const struct mxt_problem *problem)
{
	size_t i;
	json_t *pin;
	json_array_foreach(pins, i, pin)
	{
		struct mxt_problem pinned;
		if (mxt_problem_of_json(json_object_get(pin, "problem"), &pinned) == 0 &&
		    mxt_problem_equal(&pinned, problem))
			return true;
	}
	return false;
}

/* Nobody counts: a pin is hit where its product was called. */
static int set_pins(json_t *share, const struct step *step, const json_t *decision)
{
	const json_t *pins = json_object_get(json_object_get(decision, "gemm"), "pins");
	double hits = 0, misses = 0;
	if (json_array_size(pins) == 0)
		return 0;
	for (size_t i = 0; i < step->count; i++) {
		const struct called *item = &step->items[i];
		bool gemm = item->problem->kind == MXT_PROBLEM_GEMM, hit = gemm && is_pinned(pins, item->problem);
		hits += hit ? item->calls : 0;
		misses += gemm && !hit ? item->calls : 0;
	}
	return json_object_set_new(
	    share, "pins",
	    json_pack("{s:I, s:I}", "hits", (json_int_t)llround(hits), "misses", (json_int_t)llround(misses)));
}

static int set_notes(json_t *share, const struct mxt_recording *recording, const struct mxt_buf *limits)
{
	json_t *notes = json_array();
	int rc = notes ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < recording->n_notes; i++)
		rc = json_array_append_new(notes, mxt_json_clean_text(recording->notes[i], 400));
	if (rc == 0 && limits->len > 0)
		rc = json_array_append_new(notes, mxt_json_clean_text(limits->data, 400));
	if (rc == 0 && json_array_size(notes) > 0)
		return json_object_set_new(share, "notes", notes);
	json_decref(notes);
	return rc;
}

static int unknown(const char *why, json_t **ret_share, struct mxt_error *err)
{
	json_t *share = json_pack("{s:s}", "unknown", why);
	if (!share)
		return mxt_error_oom(err);
	*ret_share = share;
	return 0;
}

static int answer(const struct mxt_recording *recording, const struct mxt_plan *plan, struct step *step,
		  const struct mxt_buf *limits, json_t **ret_share, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *share = json_object();
	weigh(step);
	if (sum(step, ALL_KINDS, false) <= 0)
		return unknown("the recorded step has no product and no attention call that can be timed", ret_share,
			       err);
	if (!share || set_pins(share, step, mxt_plan_decision(plan)) < 0 || set_shares(share, step, plan) < 0 ||
	    set_largest(share, step) < 0 || set_notes(share, recording, limits) < 0)
		return mxt_error_oom(err);
	*ret_share = mxt_steal_ptr(&share);
	return 0;
}

int mxt_time_share(const struct mxt_recording *recording, const struct mxt_plan *plan, json_t **ret_share,
		   struct mxt_error *err)
{
	MXT_CLEANUP_PLANNED_PROBLEMS struct mxt_planned_problems planned = {.items = NULL};
	MXT_CLEANUP(mxt_problem_set_finish) struct mxt_problem_set set = {.problems = NULL};
	MXT_CLEANUP(step_finish) struct step step = {.items = NULL};
	MXT_CLEANUP_BUF struct mxt_buf limits = MXT_BUF_INIT;
	struct mxt_scale scale = scale_of(mxt_plan_decision(plan));
	if (mxt_plan_is_self_test(plan))
		return unknown("the plan is a self-test: its times are not those of the torch that trains", ret_share,
			       err);
	int rc = mxt_planned_problems_read(plan, &planned, err);
	if (rc == 0 && planned.count == 0)
		return unknown("the plan's evidence names no problems", ret_share, err);
	if (rc == 0)
		rc = mxt_recording_problems(recording, &scale, false, &set, &limits, err);
	if (rc == 0)
		rc = make_step(&set, &planned, &step, err);
	return rc == 0 ? answer(recording, plan, &step, &limits, ret_share, err) : rc;
}
