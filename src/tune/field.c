/* SPDX-License-Identifier: Apache-2.0 */
#include "field.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "error.h"
#include "field_entry.h"
#include "field_python.h"
#include "statistics.h"

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

int mxt_field_drop(struct mxt_field *field, size_t entry, enum mxt_outcome outcome, const char *reason,
		   struct mxt_error *err)
{
	struct mxt_entry *e = &field->entries[entry];
	mxt_entry_fail(e, outcome, reason);
	struct mxt_worker *worker = e->worker;
	e->worker = NULL;
	return mxt_worker_destroy(worker, err);
}

uint32_t mxt_field_incumbents(const struct mxt_field *field)
{
	uint32_t mask = 0;
	for (size_t i = 0; i < field->n_entries; i++)
		if (mxt_entry_is_incumbent(&field->entries[i]))
			mask |= UINT32_C(1) << i;
	return mask;
}

static int prepare_one(struct mxt_field *field, struct mxt_entry *entry, size_t problem, struct mxt_error *err)
{
	const struct mxt_problem *p = &field->course->problems[problem];
	struct mxt_measure *measure = &entry->measures[problem];
	struct mxt_prepared prepared = {.first_call_ns = 0};
	bool done = false;
	int rc = mxt_entry_prepare(field, entry, (uint32_t)problem, p, &prepared, &done, err);
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
		rc = mxt_entry_start(field, entry, err);
	if (rc == 0)
		rc = mxt_entry_ready(field, entry, err);
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
		rc = field->one_process ? take_turn(field, entry, err) : mxt_entry_start(field, entry, err);
	}
	for (size_t i = 0; rc == 0 && i < field->n_entries; i++)
		if ((fresh >> i & 1) && !field->one_process)
			rc = mxt_entry_ready(field, &field->entries[i], err);
	return rc;
}

int mxt_field_start(struct mxt_field *field, struct mxt_error *err)
{
	bool python = mxt_field_needs_python(field);
	if (python)
		mxt_field_lend_python(field);
	int rc = start_all(field, err);
	const char *broken = mxt_field_broken_loan(field);
	if (rc < 0 || !python || (!broken && mxt_field_needs_python(field)))
		return rc;
	rc = mxt_field_take_back(field, broken ? broken : "nobody needs it", err);
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

/*
 * A launch that was seen to take longer than all warming up is its own: what comes before it in another process, or a
 * cold cache, is nothing to it.
 */
static uint64_t warm_limit(const struct mxt_measure *measure)
{
	return measure->n > 0 && mxt_measure_median(measure) >= WARM_NS ? 0 : WARM_NS;
}

static int time_one(struct mxt_field *field, struct mxt_entry *entry, size_t item, uint64_t *ret_ns,
		    struct mxt_error *err)
{
	struct mxt_timing timing = {0};
	int rc = mxt_entry_time(field, entry, &field->course->items[item], warm_limit(&entry->measures[item]),
				TARGET_NS, &timing, err);
	if (rc == 0)
		*ret_ns = timing.ns;
	return rc;
}

int mxt_field_load(struct mxt_field *field, size_t entry, size_t item, uint64_t target_ns,
		   struct mxt_timing *ret_timing, struct mxt_error *err)
{
	struct mxt_entry *e = &field->entries[entry];
	int rc = mxt_field_check_time(field, err);
	if (rc == 0)
		rc = take_turn(field, e, err);
	if (rc == 0 && e->outcome == MXT_OK)
		rc = mxt_entry_time(field, e, &field->course->items[item], 0, target_ns, ret_timing, err);
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
	int rc = mxt_field_check_time(field, err);
	if (rc == 0)
		rc = take_turn(field, e, err);
	if (rc == 0 && e->outcome == MXT_OK)
		rc = mxt_entry_prepare(field, e, step.id, problem, &prepared, &done, err);
	if (rc == 0 && done && e->outcome == MXT_OK)
		rc = mxt_entry_time(field, e, &item, 0, target_ns ? target_ns : TARGET_NS, &steady, err);
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
	int rc = mxt_field_check_time(field, err);
	if (rc == 0)
		rc = take_turn(field, e, err);
	if (rc == 0 && e->outcome == MXT_OK)
		rc = mxt_entry_time(field, e, &item, WARM_NS, TARGET_NS, &timing, err);
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
		int rc = mxt_field_check_time(field, err);
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
			rc = mxt_field_check_time(field, err);
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
