/* SPDX-License-Identifier: Apache-2.0 */
#include "new_lengths.h"

#include <math.h>

#include "announce.h"
#include "compiler.h"
#include "duel.h"
#include "error.h"
#include "group.h"
#include "session.h"

/* Costs of less than this part of the margin, were every length new, are not worth a closer look. */
#define CHEAP_PART 3

double mxt_new_lengths_step_ns(const struct mxt_field *field, const struct mxt_entry *entry)
{
	double ns = 0;
	for (size_t i = 0; i < field->course->n_items; i++)
		if (entry->measures[i].n > 0)
			ns += field->course->items[i].weight * (double)mxt_measure_median(&entry->measures[i]);
	return ns;
}

double mxt_new_lengths_scale(const struct mxt_session *session, enum mxt_problem_kind kind,
			     const struct mxt_field *field)
{
	double real = session->set.step_flops[kind], measured = 0;
	for (size_t i = 0; i < field->course->n_problems; i++) {
		const struct mxt_problem *problem = &field->course->problems[i];
		if (problem->kind == kind)
			measured += mxt_problem_weight(problem) * mxt_problem_flops(problem);
	}
	return real > 0 && measured > 0 ? measured / real : 1;
}

double mxt_new_lengths_rate(const struct mxt_session *session)
{
	const struct mxt_exposure *exposure = &session->exposure;
	return exposure->passes > 0 ? exposure->distinct / (double)exposure->passes : 0;
}

/* ---- measuring ---- */

/* Whom it is worth to ask: those that race and were timed; the twin costs what bare costs. */
static bool asks(const struct mxt_entry *entry)
{
	return entry->outcome == MXT_OK && entry->role != MXT_ROLE_TWIN;
}

/* True when first calls cannot matter under any candidate, even if every pass had a new length. */
static bool is_cheap(const struct mxt_field *field, uint32_t margin_ppm)
{
	for (size_t i = 0; i < field->n_entries; i++) {
		const struct mxt_entry *entry = &field->entries[i];
		double least = margin_ppm / 1e6 / CHEAP_PART * mxt_new_lengths_step_ns(field, entry);
		if (asks(entry) && mxt_first_calls_glance(field, entry) > least)
			return false;
	}
	return true;
}

/* Measures everybody whom it is worth to ask, a pair of directions and a few lengths each. */
static int measure_all(struct mxt_field *field, const struct mxt_session *session, struct mxt_error *err)
{
	int32_t multiple = mxt_exposure_multiple(session->request->workload);
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < field->n_entries; i++)
		if (asks(&field->entries[i]))
			rc = mxt_first_calls_measure(field, i, multiple, err);
	for (size_t i = 0; i < field->n_entries; i++) /* bare is the first */
		if (field->entries[i].role == MXT_ROLE_TWIN)
			field->entries[i].first = field->entries[0].first;
	return rc;
}

static bool all_known(const struct mxt_field *field)
{
	for (size_t i = 0; i < field->n_entries; i++)
		if (asks(&field->entries[i]) && !field->entries[i].first.known)
			return false;
	return true;
}

static enum mxt_new_lengths_state state_of(const struct mxt_session *session, const struct mxt_field *field)
{
	if (!all_known(field))
		return MXT_LENGTHS_UNMEASURED;
	return session->exposure.passes > 0 ? MXT_LENGTHS_CHARGED : MXT_LENGTHS_OPEN;
}

/* What is asked of everybody costs about what preparing as many problems of the course did, and leaves a first look. */
static bool fits(const struct mxt_field *field, const struct mxt_pace *pace)
{
	const uint64_t blocks = 8;
	uint64_t asked = 0, now = mxt_now_ns(field->clock);
	for (size_t i = 0; i < field->n_entries; i++)
		asked += asks(&field->entries[i]) ? 1 : 0;
	uint64_t each = UINT64_C(2) * MXT_NEW_LENGTHS * pace->prepare_ns / (field->course->n_problems + 1);
	return now + asked * each + blocks * pace->round_ns * (asked + 1) <= pace->end_ns;
}

/* ---- the race ---- */

static const char *no_effect(const struct mxt_group *group, size_t entry)
{
	const struct mxt_first_calls *own = &group->field.entries[entry].first;
	const struct mxt_first_calls *bare = &group->field.entries[0].first;
	switch (group->lengths) {
	case MXT_LENGTHS_FIXED:
	case MXT_LENGTHS_CHEAP:
		return "no effect here: a new length costs next to nothing under bare";
	case MXT_LENGTHS_UNMEASURED:
		return "no time to see whether new lengths cost less than under bare";
	case MXT_LENGTHS_OPEN:
	case MXT_LENGTHS_CHARGED:
		break;
	}
	return own->cost.high < bare->cost.low ? NULL : "no effect here: a new length costs as much as under bare";
}

/* A candidate that takes bare's kernels, and promises only to get at them faster, has to show it. */
static int drop_idle(struct mxt_group *group, struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < group->field.n_entries; i++) {
		const struct mxt_candidate *candidate = group->candidate_of[i];
		if (!candidate || !candidate->first_calls || group->field.entries[i].outcome != MXT_OK)
			continue;
		const char *reason = no_effect(group, i);
		if (reason)
			rc = mxt_field_drop(&group->field, i, MXT_UNSUPPORTED, reason, err);
	}
	return rc;
}

static int charge_race(struct mxt_group *group, const struct mxt_session *session, struct mxt_error *err)
{
	double factor = mxt_new_lengths_rate(session) * mxt_new_lengths_scale(session, group->kind, &group->field);
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < group->field.n_entries; i++) {
		struct mxt_charge charge = group->field.entries[i].first.cost;
		mxt_charge_scale(&charge, factor);
		rc = mxt_race_charge(group->race, i, &charge, err);
	}
	return rc;
}

int mxt_new_lengths_charge(struct mxt_group *group, struct mxt_session *session, const struct mxt_pace *pace,
			   struct mxt_error *err)
{
	struct mxt_field *field = &group->field;
	int rc = 0;
	if (group->lengths == MXT_LENGTHS_FIXED)
		return 0;
	if (is_cheap(field, session->request->margin_ppm)) {
		group->lengths = MXT_LENGTHS_CHEAP;
	} else if (fits(field, pace)) {
		rc = measure_all(field, session, err);
		group->lengths = rc == 0 ? state_of(session, field) : MXT_LENGTHS_UNMEASURED;
	} else {
		rc = mxt_announce_skipped(session, "the first calls on new lengths", "no time within the budget", err);
	}
	if (rc == 0)
		rc = drop_idle(group, err);
	return rc == 0 && group->lengths == MXT_LENGTHS_CHARGED ? charge_race(group, session, err) : rc;
}

void mxt_new_lengths_keep(const struct mxt_group *group, const struct mxt_choice *choice,
			  struct mxt_new_lengths *lengths)
{
	const struct mxt_field *field = &group->field;
	lengths->bare = lengths->yours = field->entries[0].first.cost;
	for (size_t i = 0; i < field->n_entries; i++)
		if (field->entries[i].role == MXT_ROLE_YOURS)
			lengths->yours = field->entries[i].first.cost;
	lengths->winner = field->entries[choice->winner].first.cost;
}

/* ---- duels ---- */

/* What the plan as it stands pays for a new length in one probe. */
static const struct mxt_charge *plan_cost(const struct mxt_session *session, const struct mxt_probe_result *result)
{
	const struct mxt_new_lengths *lengths = &result->lengths;
	if (mxt_probe_ships(result) || session->request->against)
		return &lengths->winner;
	return session->yours_differs ? &lengths->yours : &lengths->bare;
}

static void add_kind(struct mxt_duel *duel, const struct mxt_session *session, enum mxt_problem_kind kind,
		     double factor)
{
	const struct mxt_probe_result *result = &session->probes[kind];
	duel->charge_ns[MXT_DUEL_BARE] += factor * result->lengths.bare.middle;
	duel->charge_ns[MXT_DUEL_PLAN] += factor * plan_cost(session, result)->middle;
	duel->charge_ns[MXT_DUEL_YOURS] += factor * result->lengths.yours.middle;
}

/* Where the passes are not known: whichever share of new lengths favours the plan. */
static double duel_rate(const struct mxt_session *session, enum mxt_problem_kind kind)
{
	const struct mxt_probe_result *result = &session->probes[kind];
	if (session->exposure.passes > 0)
		return mxt_new_lengths_rate(session);
	bool ahead = plan_cost(session, result)->middle < result->lengths.bare.middle;
	return session->request->against && ahead ? 1 : 0;
}

/* One layer of so many bears its part of what the step is charged. */
static void charge_layer(struct mxt_duel *duel, const struct mxt_session *session)
{
	double layers = session->request->workload->model.layers > 0 ? session->request->workload->model.layers : 1;
	for (unsigned kind = 0; kind < MXT_PROBLEM_KIND_COUNT; kind++) {
		enum mxt_problem_kind k = (enum mxt_problem_kind)kind;
		add_kind(duel, session, k, duel_rate(session, k) * session->probes[k].lengths.scale / layers);
	}
}

/* The costs that this duel's entries showed, for itself and for the layer's duel after it. */
static void keep_costs(const struct mxt_duel *duel, const struct mxt_session *session, enum mxt_problem_kind kind,
		       struct mxt_new_lengths *lengths)
{
	const struct mxt_field *field = &duel->field;
	lengths->state = state_of(session, field);
	lengths->scale = mxt_new_lengths_scale(session, kind, field);
	lengths->bare = lengths->yours = field->entries[MXT_DUEL_BARE].first.cost;
	lengths->winner = field->entries[MXT_DUEL_PLAN].first.cost;
	if (field->n_entries > MXT_DUEL_YOURS)
		lengths->yours = field->entries[MXT_DUEL_YOURS].first.cost;
}

int mxt_new_lengths_duel(struct mxt_duel *duel, struct mxt_session *session, enum mxt_problem_kind kind,
			 struct mxt_error *err)
{
	struct mxt_field *field = &duel->field;
	if (!session->exposure.varies || kind == MXT_PROBLEM_GEMM)
		return 0;
	if (kind == MXT_PROBLEM_KIND_COUNT) {
		charge_layer(duel, session);
		return 0;
	}
	if (is_cheap(field, session->request->margin_ppm))
		return 0;
	int rc = measure_all(field, session, err);
	if (rc < 0 || !all_known(field))
		return rc;
	struct mxt_new_lengths *lengths = &session->probes[kind].lengths;
	keep_costs(duel, session, kind, lengths);
	add_kind(duel, session, kind, duel_rate(session, kind) * lengths->scale);
	if (session->exposure.passes == 0)
		mxt_announce_note(session,
				  "how many forward passes the run has is not known (--steps): the plan is compared as "
				  "if the share of new lengths were the one that favours it");
	return 0;
}
