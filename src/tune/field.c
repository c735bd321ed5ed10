/* SPDX-License-Identifier: Apache-2.0 */
#include "field.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "error.h"
#include "statistics.h"

/* A challenger may take this many times as long as the slowest incumbent for the same request before it is given up. */
#define PATIENCE_FACTOR 10
#define PATIENCE_MIN_NS (2 * MXT_NS_PER_S)

/* All start at the same time: who is not ready soon after the incumbents hangs, and may cost this part of what is left.
 */
#define READY_SHARE 8

/* One launch is repeated at most this long to get caches and clocks into their steady state, and timed this long. */
#define WARM_NS   (20 * MXT_NS_PER_MS)
#define TARGET_NS (4 * MXT_NS_PER_MS)

void mxt_field_init(struct mxt_field *field, const struct mxt_device_ops *ops, const struct mxt_clock *clock,
		    int cancel_fd, struct mxt_rng *rng, const struct mxt_course *course)
{
	*field = (struct mxt_field){
	    .ops = ops, .clock = clock, .cancel_fd = cancel_fd, .rng = rng, .course = course, .end_ns = UINT64_MAX};
}

static size_t measure_count(const struct mxt_field *field)
{
	const struct mxt_course *course = field->course;
	return course->n_items > course->n_problems ? course->n_items : course->n_problems;
}

int mxt_field_add(struct mxt_field *field, const char *name, enum mxt_role role, bool deterministic,
		  const char *provider, char *const *environment, struct mxt_error *err)
{
	if (field->n_entries == MXT_FIELD_MAX_ENTRIES)
		return mxt_error_set(err, -E2BIG, MXT_E_INTERNAL, "more than %d candidates in one race",
				     MXT_FIELD_MAX_ENTRIES);
	struct mxt_measure *measures = calloc(measure_count(field), sizeof *measures);
	if (!measures)
		return mxt_error_oom(err);
	field->entries[field->n_entries++] = (struct mxt_entry){.name = name,
								.role = role,
								.deterministic = deterministic,
								.provider = provider,
								.environment = environment,
								.outcome = MXT_OK,
								.measures = measures};
	return 0;
}

uint32_t mxt_field_alive(const struct mxt_field *field)
{
	uint32_t mask = 0;
	for (size_t i = 0; i < field->n_entries; i++)
		if (field->entries[i].outcome == MXT_OK)
			mask |= UINT32_C(1) << i;
	return mask;
}

uint64_t mxt_measure_median(const struct mxt_measure *measure)
{
	double ns[MXT_FIELD_MAX_ROUNDS];
	for (uint32_t i = 0; i < measure->n; i++)
		ns[i] = (double)measure->ns[i];
	return (uint64_t)mxt_median(ns, measure->n);
}

static bool entry_in(const struct mxt_field *field, size_t entry, uint32_t mask)
{
	return (mask >> entry & 1) && field->entries[entry].outcome == MXT_OK;
}

/* The reason is best effort: without memory for it the outcome alone is kept. */
static void entry_fail(struct mxt_entry *entry, enum mxt_outcome outcome, const char *reason)
{
	entry->outcome = outcome;
	free(entry->reason);
	entry->reason = strdup(reason);
}

int mxt_field_drop(struct mxt_field *field, size_t entry, enum mxt_outcome outcome, const char *reason,
		   struct mxt_error *err)
{
	struct mxt_entry *e = &field->entries[entry];
	entry_fail(e, outcome, reason);
	struct mxt_worker *worker = e->worker;
	e->worker = NULL;
	return mxt_worker_destroy(worker, err);
}

static bool is_incumbent(const struct mxt_entry *entry)
{
	return entry->role != MXT_ROLE_CHALLENGER;
}

uint32_t mxt_field_incumbents(const struct mxt_field *field)
{
	uint32_t mask = 0;
	for (size_t i = 0; i < field->n_entries; i++)
		if (is_incumbent(&field->entries[i]))
			mask |= UINT32_C(1) << i;
	return mask;
}

/* -ETIME when a request ran into the end of the field itself, not into its own patience. */
static int check_time(const struct mxt_field *field, struct mxt_error *err)
{
	if (mxt_now_ns(field->clock) < field->end_ns)
		return 0;
	return mxt_error_set(err, -ETIME, MXT_E_BUDGET, "the time for this stage is over");
}

static uint64_t left_ns(const struct mxt_field *field)
{
	uint64_t now = mxt_now_ns(field->clock);
	return now < field->end_ns ? field->end_ns - now : 0;
}

/* That much from now, or the end of the field. */
static uint64_t deadline_after(const struct mxt_field *field, uint64_t patience_ns)
{
	uint64_t patience = patience_ns < PATIENCE_MIN_NS ? PATIENCE_MIN_NS : patience_ns;
	return left_ns(field) < patience ? field->end_ns : mxt_now_ns(field->clock) + patience;
}

/* The end of a request of `steps` steps: incumbents set the pace, challengers must not be hopelessly slower. */
static uint64_t deadline(const struct mxt_field *field, const struct mxt_entry *entry, size_t steps)
{
	if (is_incumbent(entry) || field->pace_ns == 0)
		return field->end_ns;
	return deadline_after(field, field->pace_ns * PATIENCE_FACTOR * steps);
}

static uint64_t ready_deadline(const struct mxt_field *field, const struct mxt_entry *entry)
{
	if (is_incumbent(entry) || field->pace_ns == 0)
		return field->end_ns;
	uint64_t share = left_ns(field) / READY_SHARE;
	return deadline_after(field, share < field->pace_ns ? share : field->pace_ns);
}

/* After a request that began at began_ns: turns its outcome into the entry's state. Returns rc, or -ETIME. */
static int settle(struct mxt_field *field, struct mxt_entry *entry, int rc, enum mxt_outcome outcome, uint64_t began_ns,
		  struct mxt_error *err)
{
	if (rc < 0)
		return rc;
	if (field->ops->stop_idle)
		mxt_worker_pause(entry->worker);
	uint64_t took = mxt_now_ns(field->clock) - began_ns;
	if (is_incumbent(entry) && took > field->pace_ns)
		field->pace_ns = took;
	if (outcome == MXT_OK)
		return 0;
	entry_fail(entry, outcome, mxt_worker_reason(entry->worker));
	return outcome == MXT_TIMEOUT ? check_time(field, err) : 0;
}

static int start_one(struct mxt_field *field, struct mxt_entry *entry, struct mxt_error *err)
{
	const struct mxt_worker_spec spec = {.label = entry->name,
					     .device = field->ops->name,
					     .target = field->target,
					     .provider = entry->provider,
					     .program = field->program,
					     .environment = entry->environment,
					     .clock = field->clock,
					     .cancel_fd = field->cancel_fd};
	return mxt_worker_start(&spec, &entry->worker, err);
}

static int ready_one(struct mxt_field *field, struct mxt_entry *entry, struct mxt_error *err)
{
	uint64_t began = mxt_now_ns(field->clock);
	enum mxt_outcome outcome = MXT_FAILED;
	int rc = mxt_worker_ready(entry->worker, ready_deadline(field, entry), &outcome, err);
	rc = settle(field, entry, rc, outcome, began, err);
	if (rc < 0 || outcome != MXT_OK || entry->facts)
		return rc;
	entry->facts = json_deep_copy(mxt_worker_facts(entry->worker));
	return entry->facts ? 0 : mxt_error_oom(err);
}

/* A wrong result ends the candidate: its times would be times of something else. */
static void judge_result(struct mxt_entry *entry, const struct mxt_problem *problem, const struct mxt_check *check)
{
	if (check->error_ppb <= check->bound_ppb)
		return;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_puts(&text, "wrong result on ");
	mxt_problem_text(problem, &text);
	if (check->error_ppb == UINT64_MAX)
		mxt_buf_puts(&text, ": not a number");
	else
		mxt_buf_printf(&text, ": off by %.2g %% of the largest element, %.2g %% allowed",
			       (double)check->error_ppb / 1e7, (double)check->bound_ppb / 1e7);
	entry_fail(entry, MXT_FAILED, mxt_buf_text(&text));
}

/* Nor is one that a job with deterministic algorithms cannot have. */
static void judge_repeats(struct mxt_entry *entry, const struct mxt_problem *problem, const struct mxt_check *check)
{
	if (check->repeatable || entry->outcome != MXT_OK)
		return;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_puts(&text, "results differ between runs on ");
	mxt_problem_text(problem, &text);
	entry_fail(entry, MXT_FAILED, mxt_buf_text(&text));
}

/* Has a problem prepared under an id and judges its result; *ret_done: the worker did it. */
static int prepare_as(struct mxt_field *field, struct mxt_entry *entry, uint32_t id, const struct mxt_problem *problem,
		      struct mxt_prepared *ret_prepared, bool *ret_done, struct mxt_error *err)
{
	uint64_t began = mxt_now_ns(field->clock);
	enum mxt_outcome outcome = MXT_FAILED;
	struct mxt_prepared prepared = {0};
	int rc = mxt_worker_prepare(entry->worker, id, problem, deadline(field, entry, 1), &outcome, &prepared, err);
	rc = settle(field, entry, rc, outcome, began, err);
	if (rc < 0)
		return rc;
	field->requests_done++;
	if (outcome != MXT_OK)
		return 0;
	*ret_prepared = prepared;
	*ret_done = true;
	judge_result(entry, problem, &prepared.check);
	if (field->target.deterministic)
		judge_repeats(entry, problem, &prepared.check);
	return 0;
}

static int prepare_one(struct mxt_field *field, struct mxt_entry *entry, size_t problem, struct mxt_error *err)
{
	const struct mxt_problem *p = &field->course->problems[problem];
	struct mxt_measure *measure = &entry->measures[problem];
	struct mxt_prepared prepared = {.first_call_ns = 0};
	bool done = false;
	int rc = prepare_as(field, entry, (uint32_t)problem, p, &prepared, &done, err);
	if (rc < 0 || !done)
		return rc;
	measure->prepared = true;
	measure->first_call_ns = prepared.first_call_ns;
	measure->check = prepared.check;
	return 0;
}

/*
 * Where one process fits at a time: the entry's turn. All other workers end; its own is started anew, and gets back
 * what it had prepared.
 */
static int take_turn(struct mxt_field *field, struct mxt_entry *entry, struct mxt_error *err)
{
	if (!field->one_process || entry->worker)
		return 0;
	int rc = mxt_field_retire(field, UINT32_C(1) << (entry - field->entries), err);
	if (rc == 0)
		rc = start_one(field, entry, err);
	if (rc == 0)
		rc = ready_one(field, entry, err);
	for (size_t p = 0; rc == 0 && entry->outcome == MXT_OK && p < field->course->n_problems; p++)
		rc = entry->measures[p].prepared ? prepare_one(field, entry, p, err) : 0;
	return rc;
}

/* Starts those that have no worker yet, all at the same time, and waits for them. */
static int start_all(struct mxt_field *field, struct mxt_error *err)
{
	uint32_t fresh = 0;
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < field->n_entries; i++) {
		struct mxt_entry *entry = &field->entries[i];
		if (entry->outcome != MXT_OK || entry->worker)
			continue;
		fresh |= UINT32_C(1) << i;
		rc = field->one_process ? take_turn(field, entry, err) : start_one(field, entry, err);
	}
	for (size_t i = 0; rc == 0 && i < field->n_entries; i++)
		if ((fresh >> i & 1) && !field->one_process)
			rc = ready_one(field, &field->entries[i], err);
	return rc;
}

/* True when an entry that still races needs Python by itself. */
static bool needs_python(const struct mxt_field *field)
{
	for (size_t i = 0; i < field->n_entries; i++)
		if (field->entries[i].provider && !field->entries[i].lent && field->entries[i].outcome == MXT_OK)
			return true;
	return false;
}

static void lend_python(struct mxt_field *field)
{
	for (size_t i = 0; i < field->n_entries; i++)
		if (!field->entries[i].provider) {
			field->entries[i].provider = "sdpa";
			field->entries[i].lent = true;
		}
}

/* Why what was lent does not do, as the first incumbent says; NULL when it does. */
static const char *broken_loan(const struct mxt_field *field)
{
	for (size_t i = 0; i < field->n_entries; i++) {
		const struct mxt_entry *entry = &field->entries[i];
		if (entry->lent && is_incumbent(entry) && entry->outcome != MXT_OK)
			return entry->reason ? entry->reason : "its worker does not start";
	}
	return NULL;
}

/* Who needs Python is out; everybody else is as if never started. */
static int take_back(struct mxt_field *field, const char *why, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf reason = MXT_BUF_INIT;
	mxt_buf_printf(&reason, "torch itself cannot be measured in this Python: %s", why);
	int rc = mxt_field_retire(field, 0, err);
	for (size_t i = 0; i < field->n_entries; i++) {
		struct mxt_entry *entry = &field->entries[i];
		if (!entry->lent) {
			if (entry->outcome == MXT_OK)
				entry_fail(entry, MXT_UNSUPPORTED, mxt_buf_text(&reason));
			continue;
		}
		free(entry->reason);
		json_decref(entry->facts);
		entry->reason = NULL;
		entry->facts = NULL;
		entry->provider = NULL;
		entry->lent = false;
		entry->outcome = MXT_OK;
	}
	return rc;
}

int mxt_field_start(struct mxt_field *field, struct mxt_error *err)
{
	bool python = needs_python(field);
	if (python)
		lend_python(field);
	int rc = start_all(field, err);
	const char *broken = broken_loan(field);
	if (rc < 0 || !python || (!broken && needs_python(field)))
		return rc;
	rc = take_back(field, broken ? broken : "nobody needs it", err);
	return rc < 0 ? rc : start_all(field, err);
}

static int prepare_all(struct mxt_field *field, struct mxt_entry *entry, struct mxt_error *err)
{
	int rc = take_turn(field, entry, err);
	for (size_t p = 0; rc == 0 && entry->outcome == MXT_OK && p < field->course->n_problems; p++)
		rc = prepare_one(field, entry, p, err);
	return rc;
}

int mxt_field_prepare(struct mxt_field *field, uint32_t mask, struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < field->n_entries; i++)
		if (entry_in(field, i, mask))
			rc = prepare_all(field, &field->entries[i], err);
	return rc;
}

/* A time that the hardware cannot reach is a failed measurement, whatever the worker says. */
static void judge_time(struct mxt_entry *entry, const struct mxt_item *item, uint64_t ns)
{
	if (ns > 0 && (double)ns >= item->least_ns)
		return;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text, "reported %llu ns where this hardware needs at least %.0f ns", (unsigned long long)ns,
		       item->least_ns);
	entry_fail(entry, MXT_FAILED, mxt_buf_text(&text));
}

/*
 * A launch that was seen to take longer than all warming up is its own: what comes before it in another process, or a
 * cold cache, is nothing to it.
 */
static uint64_t warm_limit(const struct mxt_measure *measure)
{
	return measure->n > 0 && mxt_measure_median(measure) >= WARM_NS ? 0 : WARM_NS;
}

/* Times a sequence on one entry; its time is 0 when the entry failed. */
static int time_steps(struct mxt_field *field, struct mxt_entry *entry, const struct mxt_item *item,
		      uint64_t max_warm_ns, uint64_t target_ns, struct mxt_timing *ret_timing, struct mxt_error *err)
{
	const struct mxt_time_request request = {
	    .steps = item->steps, .n_steps = item->n_steps, .max_warm_ns = max_warm_ns, .target_ns = target_ns};
	uint64_t began = mxt_now_ns(field->clock);
	enum mxt_outcome outcome = MXT_FAILED;
	struct mxt_timing timing = {0};
	int rc =
	    mxt_worker_time(entry->worker, &request, deadline(field, entry, item->n_steps), &outcome, &timing, err);
	rc = settle(field, entry, rc, outcome, began, err);
	if (rc < 0)
		return rc;
	field->requests_done++;
	if (outcome == MXT_OK)
		judge_time(entry, item, timing.ns);
	if (entry->outcome != MXT_OK)
		timing.ns = 0;
	*ret_timing = timing;
	return 0;
}

static int time_one(struct mxt_field *field, struct mxt_entry *entry, size_t item, uint64_t *ret_ns,
		    struct mxt_error *err)
{
	struct mxt_timing timing = {0};
	int rc = time_steps(field, entry, &field->course->items[item], warm_limit(&entry->measures[item]), TARGET_NS,
			    &timing, err);
	if (rc == 0)
		*ret_ns = timing.ns;
	return rc;
}

int mxt_field_load(struct mxt_field *field, size_t entry, size_t item, uint64_t target_ns,
		   struct mxt_timing *ret_timing, struct mxt_error *err)
{
	struct mxt_entry *e = &field->entries[entry];
	int rc = check_time(field, err);
	if (rc == 0)
		rc = take_turn(field, e, err);
	if (rc == 0 && e->outcome == MXT_OK)
		rc = time_steps(field, e, &field->course->items[item], 0, target_ns, ret_timing, err);
	return rc;
}

int mxt_field_try(struct mxt_field *field, size_t entry, const struct mxt_problem *problem, uint64_t target_ns,
		  struct mxt_trial *ret_trial, struct mxt_error *err)
{
	struct mxt_entry *e = &field->entries[entry];
	const struct mxt_sequence_step step = {
	    .id = (uint32_t)field->course->n_problems}; /* the first one that is free */
	const struct mxt_item item = {.steps = &step, .n_steps = 1};
	struct mxt_prepared prepared = {.first_call_ns = 0};
	bool done = false;
	struct mxt_timing steady = {0};
	int rc = check_time(field, err);
	if (rc == 0)
		rc = take_turn(field, e, err);
	if (rc == 0 && e->outcome == MXT_OK)
		rc = prepare_as(field, e, step.id, problem, &prepared, &done, err);
	if (rc == 0 && done && e->outcome == MXT_OK)
		rc = time_steps(field, e, &item, 0, target_ns ? target_ns : TARGET_NS, &steady, err);
	if (rc == 0 && e->outcome == MXT_OK)
		*ret_trial = (struct mxt_trial){prepared.first_call_ns, steady.ns};
	return rc;
}

int mxt_field_time(struct mxt_field *field, size_t entry, uint32_t problem, uint64_t *ret_ns, struct mxt_error *err)
{
	struct mxt_entry *e = &field->entries[entry];
	const struct mxt_sequence_step step = {.id = problem};
	const struct mxt_item item = {.steps = &step, .n_steps = 1};
	struct mxt_timing timing = {0};
	int rc = check_time(field, err);
	if (rc == 0)
		rc = take_turn(field, e, err);
	if (rc == 0 && e->outcome == MXT_OK)
		rc = time_steps(field, e, &item, WARM_NS, TARGET_NS, &timing, err);
	if (rc == 0)
		*ret_ns = timing.ns;
	return rc;
}

static void draw_order(struct mxt_field *field, uint32_t mask, struct mxt_round *round)
{
	for (size_t i = 0; i < field->n_entries; i++)
		if (entry_in(field, i, mask))
			round->order[round->n_order++] = (uint32_t)i;
	mxt_rng_shuffle(field->rng, round->order, round->n_order);
}

static void note_sample(struct mxt_measure *measure, uint64_t ns)
{
	if (measure->n < MXT_FIELD_MAX_ROUNDS)
		measure->ns[measure->n++] = ns;
}

/* Times one item on one entry into the round. */
static int round_one(struct mxt_field *field, uint32_t i, size_t item, struct mxt_round *round, struct mxt_error *err)
{
	struct mxt_entry *entry = &field->entries[i];
	uint64_t ns = 0;
	if (entry->outcome != MXT_OK)
		return 0;
	int rc = time_one(field, entry, item, &ns, err);
	if (rc < 0 || entry->outcome != MXT_OK)
		return rc;
	note_sample(&entry->measures[item], ns);
	round->time_ns[i] += field->course->items[item].weight * (double)ns;
	return 0;
}

/* Every item by everybody, before the next item: what drifts in between is the same for all. */
static int round_by_item(struct mxt_field *field, struct mxt_round *round, struct mxt_error *err)
{
	for (size_t item = 0; item < field->course->n_items; item++) {
		int rc = check_time(field, err);
		for (size_t k = 0; rc == 0 && k < round->n_order; k++)
			rc = round_one(field, round->order[k], item, round, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Where one process fits at a time: everything by one, then by the next. */
static int round_by_entry(struct mxt_field *field, struct mxt_round *round, struct mxt_error *err)
{
	for (size_t k = 0; k < round->n_order; k++) {
		int rc = take_turn(field, &field->entries[round->order[k]], err);
		for (size_t item = 0; rc == 0 && item < field->course->n_items; item++) {
			rc = check_time(field, err);
			if (rc == 0)
				rc = round_one(field, round->order[k], item, round, err);
		}
		if (rc < 0)
			return rc;
	}
	return 0;
}

int mxt_field_round(struct mxt_field *field, uint32_t mask, struct mxt_round *ret_round, struct mxt_error *err)
{
	struct mxt_round round = {.n_order = 0};
	draw_order(field, mask, &round);
	int rc = field->one_process ? round_by_entry(field, &round, err) : round_by_item(field, &round, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < field->n_entries; i++)
		if (field->entries[i].outcome != MXT_OK)
			round.time_ns[i] = 0;
	*ret_round = round;
	return 0;
}

int mxt_field_retire(struct mxt_field *field, uint32_t mask, struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < field->n_entries; i++) {
		struct mxt_entry *entry = &field->entries[i];
		if (entry->worker && !(mask >> i & 1)) {
			int ended = mxt_worker_destroy(entry->worker, rc < 0 ? NULL : err);
			entry->worker = NULL;
			rc = rc < 0 ? rc : ended;
		}
	}
	return rc;
}

int mxt_field_finish(struct mxt_field *field, struct mxt_error *err)
{
	int rc = mxt_field_retire(field, 0, err);
	for (size_t i = 0; i < field->n_entries; i++) {
		free(field->entries[i].reason);
		json_decref(field->entries[i].facts);
		free(field->entries[i].measures);
	}
	field->n_entries = 0;
	return rc;
}

bool mxt_field_same_bits(const struct mxt_field *field, const struct mxt_entry *a, const struct mxt_entry *b)
{
	for (size_t i = 0; i < field->course->n_problems; i++) {
		const struct mxt_measure *x = &a->measures[i], *y = &b->measures[i];
		if (!x->prepared || !y->prepared || memcmp(x->check.bits, y->check.bits, sizeof x->check.bits) != 0)
			return false;
	}
	return field->course->n_problems > 0;
}
