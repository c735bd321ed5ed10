/* SPDX-License-Identifier: Apache-2.0 */
#include "field_entry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "error.h"
#include "field.h"

/* A challenger may take this many times as long as the slowest incumbent for the same request before it is given up. */
#define PATIENCE_FACTOR 10
#define PATIENCE_MIN_NS (2 * MXT_NS_PER_S)

/*
 * All start at the same time: who is not ready soon after the incumbents hangs, and may cost this part of what is
 * left.
 */
#define READY_SHARE 8

void mxt_entry_fail(struct mxt_entry *entry, enum mxt_outcome outcome, const char *reason)
{
	entry->outcome = outcome;
	free(entry->reason);
	entry->reason = strdup(reason);
}

bool mxt_entry_is_incumbent(const struct mxt_entry *entry)
{
	return entry->role != MXT_ROLE_CHALLENGER;
}

int mxt_field_check_time(const struct mxt_field *field, struct mxt_error *err)
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
	if (mxt_entry_is_incumbent(entry) || field->pace_ns == 0)
		return field->end_ns;
	return deadline_after(field, field->pace_ns * PATIENCE_FACTOR * steps);
}

static uint64_t ready_deadline(const struct mxt_field *field, const struct mxt_entry *entry)
{
	if (mxt_entry_is_incumbent(entry) || field->pace_ns == 0)
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
	if (mxt_entry_is_incumbent(entry) && took > field->pace_ns)
		field->pace_ns = took;
	if (outcome == MXT_OK)
		return 0;
	mxt_entry_fail(entry, outcome, mxt_worker_reason(entry->worker));
	return outcome == MXT_TIMEOUT ? mxt_field_check_time(field, err) : 0;
}

int mxt_entry_start(struct mxt_field *field, struct mxt_entry *entry, struct mxt_error *err)
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

int mxt_entry_ready(struct mxt_field *field, struct mxt_entry *entry, struct mxt_error *err)
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
	mxt_entry_fail(entry, MXT_FAILED, mxt_buf_text(&text));
}

/* Nor is one that a job with deterministic algorithms cannot have. */
static void judge_repeats(struct mxt_entry *entry, const struct mxt_problem *problem, const struct mxt_check *check)
{
	if (check->repeatable || entry->outcome != MXT_OK)
		return;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_puts(&text, "results differ between runs on ");
	mxt_problem_text(problem, &text);
	mxt_entry_fail(entry, MXT_FAILED, mxt_buf_text(&text));
}

int mxt_entry_prepare(struct mxt_field *field, struct mxt_entry *entry, uint32_t id, const struct mxt_problem *problem,
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

/* A time that the hardware cannot reach is a failed measurement, whatever the worker says. */
static void judge_time(struct mxt_entry *entry, const struct mxt_item *item, uint64_t ns)
{
	if (ns > 0 && (double)ns >= item->least_ns)
		return;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text, "reported %llu ns where this hardware needs at least %.0f ns", (unsigned long long)ns,
		       item->least_ns);
	mxt_entry_fail(entry, MXT_FAILED, mxt_buf_text(&text));
}

int mxt_entry_time(struct mxt_field *field, struct mxt_entry *entry, const struct mxt_item *item, uint64_t max_warm_ns,
		   uint64_t target_ns, struct mxt_timing *ret_timing, struct mxt_error *err)
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
