/* SPDX-License-Identifier: Apache-2.0 */
#include "group.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "announce.h"
#include "error.h"
#include "session.h"

int mxt_group_finish(struct mxt_group *group, struct mxt_error *err)
{
	mxt_race_destroy(group->race);
	int rc = mxt_field_finish(&group->field, err);
	for (size_t i = 0; i < MXT_FIELD_MAX_ENTRIES; i++)
		mxt_environment_destroy(group->environments[i]);
	return rc;
}

size_t mxt_group_incumbents(const struct mxt_session *session, enum mxt_problem_kind kind)
{
	return mxt_session_yours_races(session, kind) ? 3 : 2;
}

static int add_incumbents(struct mxt_group *group, const struct mxt_session *session, struct mxt_error *err)
{
	struct mxt_field *field = &group->field;
	char *const *bare = session->bare;
	bool attention = group->kind == MXT_PROBLEM_ATTENTION; /* products do not depend on who computes it */
	const char *provider = attention ? session->bare_provider : NULL;
	int rc = mxt_field_add(field, "bare", MXT_ROLE_BARE, true, provider, bare, err);
	if (rc == 0)
		rc = mxt_field_add(field, "bare (twin)", MXT_ROLE_TWIN, true, provider, bare, err);
	if (rc == 0 && mxt_session_yours_races(session, group->kind))
		rc = mxt_field_add(field, "yours", MXT_ROLE_YOURS, true, attention ? session->yours_provider : NULL,
				   session->mine, err);
	return rc;
}

int mxt_group_init(struct mxt_group *group, struct mxt_session *session, enum mxt_problem_kind kind,
		   const struct mxt_course *course, struct mxt_error *err)
{
	bool charged = session->exposure.varies && kind == MXT_PROBLEM_ATTENTION;
	*group = (struct mxt_group){.kind = kind, .lengths = charged ? MXT_LENGTHS_UNMEASURED : MXT_LENGTHS_FIXED};
	mxt_session_field(session, course, mxt_problem_kind_name(kind), &group->field);
	return add_incumbents(group, session, err);
}

int mxt_group_add(struct mxt_group *group, const struct mxt_session *session, const struct mxt_candidate *candidate,
		  struct mxt_error *err)
{
	size_t i = group->field.n_entries;
	if (i == MXT_FIELD_MAX_ENTRIES)
		return mxt_error_set(err, -E2BIG, MXT_E_INTERNAL, "too many candidates");
	int rc = mxt_environment_with(session->bare, candidate->env, &group->environments[i], err);
	if (rc < 0)
		return rc;
	group->candidate_of[i] = candidate;
	return mxt_field_add(&group->field, candidate->name, MXT_ROLE_CHALLENGER, candidate->deterministic,
			     candidate->provider, group->environments[i], err);
}

static int create_race(struct mxt_group *group, const struct mxt_session *session, uint32_t races,
		       struct mxt_error *err)
{
	struct mxt_entrant entrants[MXT_FIELD_MAX_ENTRIES];
	struct mxt_race_params params = MXT_RACE_PARAMS_DEFAULT;
	const struct mxt_field *field = &group->field;
	for (size_t i = 0; i < field->n_entries; i++)
		entrants[i] = (struct mxt_entrant){field->entries[i].name, field->entries[i].role,
						   field->entries[i].deterministic};
	params.margin_ppm = session->request->margin_ppm;
	params.probes = races;
	return mxt_race_create(entrants, field->n_entries, &params, &group->race, err);
}

/* Tells the race about entries that failed since it was told last. */
static void drop_failed(struct mxt_group *group)
{
	uint32_t alive = mxt_field_alive(&group->field);
	for (size_t i = 0; i < group->field.n_entries; i++)
		if (!(alive >> i & 1))
			mxt_race_drop(group->race, i);
}

/* A challenger whose worker reports the very state of bare's changes nothing here: its switch is not witnessed. */
static int drop_unwitnessed(struct mxt_group *group, struct mxt_error *err)
{
	struct mxt_field *field = &group->field;
	const json_t *bare = field->entries[0].facts;
	int rc = 0;
	for (size_t i = 0; rc == 0 && bare && i < field->n_entries; i++) {
		const struct mxt_entry *entry = &field->entries[i];
		if (entry->role == MXT_ROLE_CHALLENGER && entry->outcome == MXT_OK &&
		    json_equal((json_t *)bare, entry->facts)) /* which takes no const, and changes nothing */
			rc = mxt_field_drop(field, i, MXT_UNSUPPORTED,
					    "no effect here: the worker reports the same state as under bare", err);
	}
	return rc;
}

/* A run that would need so long is not a matter of the budget. */
#define HOPELESS_S 600

/*
 * What a stage of this much work would have needed, extrapolated from the requests that were answered since `since_ns`.
 */
static int too_small(const struct mxt_session *session, const struct mxt_group *group, uint64_t since_ns,
		     struct mxt_error *err)
{
	const struct mxt_budget *budget = session->request->budget;
	const struct mxt_field *field = &group->field;
	double total =
	    (double)(mxt_group_incumbents(session, group->kind) * (field->course->n_problems + field->course->n_items));
	double done = field->requests_done ? field->requests_done : 1;
	double stage_s = (double)(mxt_now_ns(budget->clock) - since_ns) / 1e9 * (total > done ? total / done : 1);
	double before_s = (double)(since_ns - budget->start_ns) / 1e9;
	double enough_s = before_s + 3 * stage_s + 1; /* a stage gets about half of the time; some slack */
	double limit_s = (double)budget->limit_ns / 1e9;
	if (enough_s <= limit_s)
		enough_s = limit_s + 1;
	if (enough_s > HOPELESS_S && enough_s > 2 * limit_s)
		return mxt_error_set(
		    err, -ETIME, MXT_E_BUDGET,
		    "within the budget of %.0f s only %u of %.0f requests to what the job would do today were "
		    "answered: something hangs, or this device is far too slow for the workload",
		    limit_s, field->requests_done, total);
	return mxt_error_set(err, -ETIME, MXT_E_BUDGET,
			     "the budget of %.0f s is too small for one round of measurements; --budget %.0f should do",
			     limit_s, ceil(enough_s));
}

/* It cannot do this, or it was never ready: its package, or its Python, is missing or broken here. */
static bool is_absent(const struct mxt_entry *entry)
{
	bool own = entry->provider && !entry->lent;
	return own && (entry->outcome == MXT_UNSUPPORTED || (entry->outcome != MXT_OK && !entry->facts));
}

/*
 * What is missing or broken here says nothing of the job: it is replaced, and said to be. What fails at work or
 * computes wrongly still fails the probe.
 */
static int excuse_absent(struct mxt_session *session, const struct mxt_field *field, struct mxt_error *err)
{
	for (size_t i = 0; i < field->n_entries; i++) {
		const struct mxt_entry *entry = &field->entries[i];
		if (entry->role == MXT_ROLE_CHALLENGER || !is_absent(entry))
			continue;
		int rc = mxt_session_excuse(session, entry, err);
		return rc < 0 ? rc : -EAGAIN;
	}
	return 0;
}

/* Start all, prepare and time the incumbents once: from here on a usable plan exists. */
static int open_incumbents(struct mxt_session *session, struct mxt_group *group, struct mxt_pace *pace,
			   struct mxt_error *err)
{
	struct mxt_field *field = &group->field;
	uint64_t began = mxt_now_ns(field->clock);
	struct mxt_round round;
	uint32_t incumbents = mxt_field_incumbents(field);
	size_t n = mxt_group_incumbents(session, group->kind);
	int rc = mxt_field_start(field, err);
	uint64_t started = mxt_now_ns(field->clock);
	if (rc == 0)
		rc = mxt_field_prepare(field, incumbents, err);
	if (rc == 0)
		rc = excuse_absent(session, field, err);
	uint64_t prepared = mxt_now_ns(field->clock);
	if (rc == 0)
		rc = mxt_session_warm_up(session, field, err);
	uint64_t warm = mxt_now_ns(field->clock);
	if (rc == 0)
		rc = mxt_field_round(field, incumbents, &round, err);
	if (rc == -ETIME)
		return too_small(session, group, field->requests_done ? started : began,
				 err); /* starting may hang, too */
	pace->prepare_ns = (prepared - started) / n;
	pace->round_ns = (mxt_now_ns(field->clock) - warm) / n;
	return rc;
}

/* How many challengers can be prepared and get the blocks of a screen and a first look in the time that is left. */
static size_t affordable(const struct mxt_field *field, const struct mxt_pace *pace, size_t n_incumbents)
{
	const uint64_t blocks = 8;
	uint64_t now = mxt_now_ns(field->clock);
	uint64_t left = now < pace->end_ns ? pace->end_ns - now : 0;
	uint64_t incumbents = blocks * pace->round_ns * n_incumbents;
	if (left <= incumbents)
		return 0;
	return (size_t)((left - incumbents) / ((blocks + 1) * pace->round_ns + pace->prepare_ns + 1));
}

/* Rather than let no challenger run at all, a stage takes from those that follow, as far as it may. */
static void stretch(const struct mxt_session *session, const struct mxt_group *group, struct mxt_pace *pace)
{
	size_t n = mxt_group_incumbents(session, group->kind);
	struct mxt_pace longer = *pace;
	longer.end_ns = session->latest_ns;
	if (longer.end_ns > pace->end_ns && group->field.n_entries > n && affordable(&group->field, pace, n) == 0 &&
	    affordable(&group->field, &longer, n) > 0)
		*pace = longer;
}

/* Leaves out the last challengers when there is no time for all. */
static int cut_to_time(struct mxt_session *session, struct mxt_group *group, const struct mxt_pace *pace,
		       struct mxt_error *err)
{
	struct mxt_field *field = &group->field;
	size_t room = affordable(field, pace, mxt_group_incumbents(session, group->kind));
	for (size_t i = 0; i < field->n_entries; i++) {
		const struct mxt_entry *entry = &field->entries[i];
		if (entry->role != MXT_ROLE_CHALLENGER || entry->outcome != MXT_OK)
			continue;
		if (room > 0) {
			room--;
			continue;
		}
		const char *reason = "no time for it within the budget";
		group->cut = true;
		int rc = mxt_announce_skipped(session, entry->name, reason, err);
		if (rc == 0)
			rc = mxt_field_drop(field, i, MXT_TIMEOUT, reason, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* The worker that outlives the race: what ranks is asked of it. */
#define BARE UINT32_C(1)

/* Rounds until the race is over or the next one would not fit. */
static int race_rounds(struct mxt_session *session, struct mxt_group *group, const struct mxt_pace *pace,
		       const char *phase, struct mxt_error *err)
{
	struct mxt_field *field = &group->field;
	uint64_t longest = 0;
	for (uint32_t wants; (wants = mxt_race_wants(group->race)) != 0;) {
		struct mxt_round round;
		uint64_t began = mxt_now_ns(field->clock);
		if (began + longest >= pace->end_ns)
			return 0;
		int rc = mxt_field_round(field, wants, &round, err);
		if (rc < 0)
			return rc;
		drop_failed(group);
		mxt_race_add_block(group->race, round.time_ns, round.order, round.n_order);
		rc = mxt_field_retire(field, mxt_race_wants(group->race) | BARE, err);
		if (rc < 0)
			return rc;
		uint64_t took = mxt_now_ns(field->clock) - began;
		longest = took > longest ? took : longest;
		mxt_announce_progress(session, phase);
	}
	return 0;
}

/* True when the device tells what computed each problem, and it is the same for both. */
static bool same_backends(const struct mxt_course *course, const struct mxt_entry *a, const struct mxt_entry *b)
{
	for (size_t i = 0; i < course->n_problems; i++) {
		const char *x = a->measures[i].check.backend, *y = b->measures[i].check.backend;
		if (!*x || strcmp(x, y) != 0)
			return false;
	}
	return course->n_problems > 0;
}

/*
 * Why a challenger's environment changes nothing, or is not seen to: under another name it would be bare. NULL when it
 * stays in the race.
 */
static const char *without_effect(const struct mxt_field *field, const struct mxt_candidate *candidate,
				  const struct mxt_entry *entry)
{
	const struct mxt_course *course = field->course;
	if (candidate && candidate->first_calls)
		return NULL; /* it shows in what is timed later */
	if (same_backends(course, &field->entries[0], entry))
		return candidate && candidate->ignored
			   ? candidate->ignored
			   : "no effect here: the stack takes the same kernels as under bare";
	if (candidate && candidate->witnessed && course->n_problems > 0 && !entry->measures[0].check.backend[0])
		return "the stack does not tell what it takes, so nothing would show that the setting acts";
	if (candidate && candidate->bits_tell && mxt_field_same_bits(field, &field->entries[0], entry))
		return "no effect here: its results are those of bare, bit for bit";
	return NULL;
}

static int drop_alike(struct mxt_group *group, struct mxt_error *err)
{
	struct mxt_field *field = &group->field;
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < field->n_entries; i++) {
		const struct mxt_entry *entry = &field->entries[i];
		if (entry->role != MXT_ROLE_CHALLENGER || entry->outcome != MXT_OK)
			continue;
		const char *why = without_effect(field, group->candidate_of[i], entry);
		if (why)
			rc = mxt_field_drop(field, i, MXT_UNSUPPORTED, why, err);
	}
	return rc;
}

/* Prepares the challengers, and times them once as the incumbents were: nobody starts the race fresher than another. */
static int open_challengers(struct mxt_group *group, struct mxt_error *err)
{
	struct mxt_field *field = &group->field;
	struct mxt_round round;
	uint32_t challengers = ~mxt_field_incumbents(field);
	int rc = mxt_field_prepare(field, challengers, err);
	if (rc == 0)
		rc = drop_alike(group, err);
	if (rc == 0)
		rc = mxt_field_round(field, challengers, &round, err);
	drop_failed(group);
	return rc;
}

static int charge(struct mxt_group *group, struct mxt_session *session, const struct mxt_pace *pace,
		  struct mxt_error *err)
{
	int rc = mxt_new_lengths_charge(group, session, pace, err);
	if (rc == 0)
		drop_failed(group); /* what the end of the stage cut off has not failed */
	return rc;
}

int mxt_group_race(struct mxt_group *group, struct mxt_session *session, uint32_t races, uint64_t end_ns,
		   const char *phase, struct mxt_error *err)
{
	struct mxt_pace pace = {.end_ns = end_ns};
	int rc = create_race(group, session, races, err);
	if (rc == 0) /* without the incumbents there is no plan: they may use more than their stage */
		rc = open_incumbents(session, group, &pace, err);
	if (rc < 0)
		return rc;
	stretch(session, group, &pace);
	group->field.end_ns = pace.end_ns;
	mxt_announce_progress(session, phase);
	rc = drop_unwitnessed(group, err);
	if (rc == 0)
		rc = cut_to_time(session, group, &pace, err);
	if (rc == 0)
		rc = open_challengers(group, err);
	if (rc == 0)
		rc = charge(group, session, &pace, err);
	if (rc == 0)
		rc = race_rounds(session, group, &pace, phase, err);
	if (rc != -ETIME)
		return rc;
	mxt_error_clear(err);
	return 0;
}
