/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as JSON, one object per line: `event` and `v` first, then what the event holds. Times are nanoseconds, shares
 * and gains parts per million, rates FLOP/s; all numbers are whole. A version `v` only gains keys.
 */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "display_text.h"
#include "form.h"
#include "problem_json.h"

#define VERSION 1

/* An object under construction; `failed` once memory ran out. */
struct object {
	json_t *json;
	bool failed;
};

static void set(struct object *object, const char *key, json_t *value)
{
	if (json_object_set_new(object->json, key, value) < 0)
		object->failed = true;
}

/* Text from outside need not be UTF-8. NULL when memory ran out. */
static json_t *text_json(const char *text)
{
	MXT_CLEANUP_BUF struct mxt_buf clean = MXT_BUF_INIT;
	mxt_display_clean(text, true, &clean);
	return clean.failed ? NULL : json_string(mxt_buf_text(&clean));
}

static void set_text(struct object *object, const char *key, const char *text)
{
	set(object, key, text_json(text));
}

static void set_int(struct object *object, const char *key, int64_t value)
{
	set(object, key, json_integer(value));
}

/* JSON readers lose whole numbers above 2^53; a duration stays far below. */
static void set_count(struct object *object, const char *key, uint64_t value)
{
	set_int(object, key, value < (UINT64_C(1) << 53) ? (int64_t)value : INT64_C(1) << 53);
}

static void set_rate(struct object *object, const char *key, double flop_per_s)
{
	if (flop_per_s > 0)
		set_count(object, key, (uint64_t)llround(fmin(flop_per_s, 9e15)));
}

/* A bound that nothing is known of is left out. */
static void set_bound(struct object *object, int32_t bound_ppm)
{
	if (bound_ppm != MXT_BOUND_UNKNOWN_PPM)
		set_int(object, "bound_ppm", bound_ppm);
}

static struct object begin(const char *event)
{
	struct object object = {json_object(), false};
	set(&object, "event", json_string(event));
	set_int(&object, "v", VERSION);
	return object;
}

/* Appends the object as a line. */
static void end(struct mxt_report *report, struct object *object)
{
	char *text = object->failed ? NULL : json_dumps(object->json, JSON_COMPACT);
	if (text) {
		mxt_buf_puts(&report->text, text);
		mxt_buf_putc(&report->text, '\n');
	} else {
		report->text.failed = true;
	}
	free(text);
	json_decref(object->json);
}

/* What has to be said wherever times or decisions are shown; absent when it is not so. */
static void set_tags(const struct mxt_report *report, bool decision, struct object *object)
{
	if (report->simulated)
		set(object, "simulated", json_true());
	if (decision && report->self_test)
		set(object, "self_test", json_true());
}

static void show_run(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_run *run = &event->as.run;
	struct object object = begin("run");
	char seed[24];
	(void)snprintf(seed, sizeof seed, "0x%016" PRIx64, run->seed);
	set_text(&object, "workload", run->workload);
	set_text(&object, "device", run->device);
	set_count(&object, "budget_ns", run->budget_ns);
	set_text(&object, "seed", seed); /* as in plans: all 64 bits */
	set_tags(report, true, &object);
	end(report, &object);
}

static void show_probe(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_probe *probe = &event->as.probe;
	struct object object = begin("probe");
	json_t *names = json_array();
	set_text(&object, "probe", probe->probe);
	for (size_t i = 0; i < probe->n_candidates; i++)
		if (json_array_append_new(names, text_json(probe->candidates[i])) < 0)
			object.failed = true;
	set(&object, "candidates", names);
	set_count(&object, "problems", probe->n_problems);
	set_rate(&object, "peak_flop_per_s", probe->peak_flops);
	end(report, &object);
}

static void show_progress(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_progress *progress = &event->as.progress;
	struct object object = begin("progress");
	set_text(&object, "phase", progress->phase);
	set_count(&object, "elapsed_ns", progress->elapsed_ns);
	set_count(&object, "budget_ns", progress->budget_ns);
	end(report, &object);
}

static json_t *cell_json(const struct mxt_report *report, const struct mxt_event_problem *row, size_t i)
{
	const struct mxt_event_cell *cell = &row->cells[i];
	struct object object = {json_object(), false};
	set_text(&object, "candidate", i < report->n_names ? report->names[i] : "?");
	if (cell->reason) {
		set_text(&object, "reason", cell->reason);
	} else {
		set_count(&object, "median_ns", cell->median_ns);
		set_count(&object, "samples", cell->samples);
		set_rate(&object, "flop_per_s", mxt_table_rate(row, i));
	}
	if (!object.failed)
		return object.json;
	json_decref(object.json);
	return NULL;
}

static void show_problem(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_problem *row = &event->as.problem;
	struct object object = begin("problem");
	json_t *cells = json_array();
	set_text(&object, "probe", row->probe);
	set(&object, "problem", mxt_problem_json(row->problem));
	for (size_t i = 0; i < row->n_cells; i++)
		if (json_array_append_new(cells, cell_json(report, row, i)) < 0)
			object.failed = true;
	set(&object, "cells", cells);
	set_tags(report, false, &object);
	end(report, &object);
}

static void show_choice(struct mxt_report *report, const struct mxt_event *event)
{
	static const char *const verdicts[] = {
	    [MXT_VERDICT_WINNER] = "winner",
	    [MXT_VERDICT_INCUMBENT] = "incumbent",
	    [MXT_VERDICT_UNRESOLVED] = "unresolved",
	    [MXT_VERDICT_NO_INCUMBENT] = "no_incumbent",
	};
	const struct mxt_event_choice *e = &event->as.choice;
	struct object object = begin("choice");
	set_text(&object, "probe", e->probe);
	set_text(&object, "verdict", verdicts[e->choice->verdict]);
	set_text(&object, "incumbent", e->incumbent);
	set_text(&object, "winner", e->winner);
	set_text(&object, "best", e->best);
	set_int(&object, "gain_ppm", e->choice->gain_ppm);
	set_bound(&object, e->choice->bound_ppm);
	if (e->choice->floor_ppm != MXT_FLOOR_UNKNOWN_PPM)
		set_int(&object, "floor_ppm", e->choice->floor_ppm);
	set_int(&object, "blocks", e->choice->blocks);
	set_text(&object, "rule", e->choice->rule);
	set_tags(report, true, &object);
	end(report, &object);
}

static void show_heuristic(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_heuristic *e = &event->as.heuristic;
	struct object object = begin("heuristic");
	set_text(&object, "library", e->library);
	set_count(&object, "products", e->products);
	set_count(&object, "ranked", e->ranked);
	set_count(&object, "share_ppm", e->share_ppm);
	set_int(&object, "gain_ppm", e->gain_ppm);
	set_count(&object, "floor_ppm", e->floor_ppm);
	set_tags(report, false, &object);
	end(report, &object);
}

static void show_pins(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_pins *e = &event->as.pins;
	struct object object = begin("pins");
	set_count(&object, "products", e->products);
	if (e->products > 0) {
		set_int(&object, "gain_ppm", e->gain_ppm);
		set_int(&object, "bound_ppm", e->bound_ppm);
	}
	set_text(&object, "rule", e->rule);
	set_tags(report, false, &object);
	end(report, &object);
}

static void show_skipped(struct mxt_report *report, const struct mxt_event *event)
{
	struct object object = begin("skipped");
	set_text(&object, "what", event->as.skipped.what);
	set_text(&object, "reason", event->as.skipped.reason);
	end(report, &object);
}

static void show_note(struct mxt_report *report, const struct mxt_event *event)
{
	struct object object = begin("note");
	set_text(&object, "text", event->as.note.text);
	set_tags(report, false, &object); /* a note may hold a time */
	end(report, &object);
}

static void show_confirm(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_confirm *e = &event->as.confirm;
	struct object object = begin("confirm");
	set_text(&object, "against", e->against);
	set(&object, "surely_faster", json_boolean(e->confirm->surely_faster));
	set(&object, "surely_slower", json_boolean(e->confirm->surely_slower));
	set_int(&object, "gain_ppm", e->confirm->gain_ppm);
	set_bound(&object, e->confirm->bound_ppm);
	set_int(&object, "blocks", e->confirm->blocks);
	if (e->dropped)
		set_text(&object, "dropped", e->dropped);
	set_tags(report, false, &object);
	end(report, &object);
}

static void show_today(struct mxt_report *report, const struct mxt_event *event)
{
	struct object object = begin("today");
	set_text(&object, "today", event->as.today.today);
	set_text(&object, "plan", event->as.today.plan);
	set_tags(report, true, &object);
	end(report, &object);
}

static void show_cost(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_cost *cost = &event->as.cost;
	struct object object = begin("cost"), parts = {json_object(), false};
	set_int(&object, "saved_ppm", cost->saved_ppm);
	for (size_t i = 0; i < cost->n_parts; i++)
		set_int(&parts, cost->parts[i].probe, cost->parts[i].saved_ppm);
	object.failed = object.failed || parts.failed;
	set(&object, "parts", parts.json);
	set_tags(report, true, &object);
	end(report, &object);
}

static void show_plan(struct mxt_report *report, const struct mxt_event *event)
{
	const struct mxt_event_plan *plan = &event->as.plan;
	struct object object = begin("plan");
	set_text(&object, "path", plan->path);
	set_text(&object, "plan_id", plan->plan_id);
	set_count(&object, "elapsed_ns", plan->elapsed_ns);
	set_count(&object, "budget_ns", plan->budget_ns);
	set_tags(report, true, &object);
	end(report, &object);
}

mxt_show_fn *const mxt_json_form[MXT_EVENT_KIND_COUNT] = {
    [MXT_EVENT_RUN] = show_run,         [MXT_EVENT_PROBE] = show_probe,     [MXT_EVENT_PROGRESS] = show_progress,
    [MXT_EVENT_PROBLEM] = show_problem, [MXT_EVENT_CHOICE] = show_choice,   [MXT_EVENT_HEURISTIC] = show_heuristic,
    [MXT_EVENT_PINS] = show_pins,       [MXT_EVENT_SKIPPED] = show_skipped, [MXT_EVENT_NOTE] = show_note,
    [MXT_EVENT_CONFIRM] = show_confirm, [MXT_EVENT_COST] = show_cost,       [MXT_EVENT_TODAY] = show_today,
    [MXT_EVENT_PLAN] = show_plan,
};
