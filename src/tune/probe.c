/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One probe: its candidates raced in groups, and what the groups' choices come to together.
 */
#include <errno.h>
#include <string.h>

#include "announce.h"
#include "competition.h"
#include "error.h"
#include "group.h"
#include "length_trade.h"
#include "provider_candidates.h"
#include "session.h"

/*
 * The entry's time in one real training step: the FLOPs of the step at the rate that was measured on the (perhaps
 * scaled) problems.
 */
static double step_ns(const struct mxt_session *session, enum mxt_problem_kind kind, const struct mxt_field *field,
		      const struct mxt_entry *entry)
{
	double ns = 0, flops = 0;
	for (size_t i = 0; i < field->course->n_items; i++) {
		if (entry->measures[i].n == 0)
			continue;
		double weight = field->course->items[i].weight;
		ns += weight * (double)mxt_measure_median(&entry->measures[i]);
		flops += weight * mxt_problem_flops(&field->course->problems[i]);
	}
	return flops > 0 ? ns / flops * session->set.step_flops[kind] : 0;
}

/* The incumbent that is to blame: not always what the job would do today, for bare must race, too. */
static const struct mxt_entry *failed_incumbent(const struct mxt_field *field, const struct mxt_choice *choice)
{
	for (size_t i = 0; i < field->n_entries; i++) {
		const struct mxt_entry *entry = &field->entries[i];
		if ((entry->role == MXT_ROLE_BARE || entry->role == MXT_ROLE_YOURS) && entry->outcome != MXT_OK)
			return entry;
	}
	return &field->entries[choice->incumbent];
}

static int incumbent_failed(const char *probe, const struct mxt_field *field, const struct mxt_choice *choice,
			    struct mxt_error *err)
{
	const struct mxt_entry *entry = failed_incumbent(field, choice);
	bool opened = entry->facts || entry->outcome != MXT_UNSUPPORTED;
	if (!opened) /* not a failure of what was measured: there is nothing to measure on */
		return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE, "no usable device under %s: %s", entry->name,
				     entry->reason ? entry->reason : "no reason was given");
	return mxt_error_set(err, -ENODATA, MXT_E_PROBE_FAILED,
			     "the %s probe failed: %s, which every choice is held against, could not be measured: %s",
			     probe, entry->name, entry->reason ? entry->reason : "no reason was given");
}

/*
 * How much a group's choice says: a winner beats bare and yours, bare may only beat yours, an open question beats a no.
 */
static int weight_of(const struct mxt_choice *choice)
{
	static const int weights[] = {[MXT_VERDICT_NO_INCUMBENT] = 4,
				      [MXT_VERDICT_WINNER] = 3,
				      [MXT_VERDICT_UNRESOLVED] = 1,
				      [MXT_VERDICT_INCUMBENT] = 0};
	bool bare_won = choice->verdict == MXT_VERDICT_WINNER && choice->winner == 0;
	return bare_won ? 2 : weights[choice->verdict];
}

static bool says_more(const struct mxt_choice *a, const struct mxt_choice *b)
{
	int x = weight_of(a), y = weight_of(b);
	if (x != y)
		return x > y;
	return a->verdict == MXT_VERDICT_WINNER ? a->bound_ppm > b->bound_ppm : a->gain_ppm > b->gain_ppm;
}

/* What computed the first problem; what an earlier group saw stays. */
static void keep_backend(const struct mxt_entry *entry, char backend[MXT_BACKEND_TEXT])
{
	if (!backend[0])
		memcpy(backend, entry->measures[0].check.backend, MXT_BACKEND_TEXT);
}

static void keep_backends(struct mxt_probe_result *result, const struct mxt_field *field)
{
	for (size_t i = 0; i < field->n_entries; i++) {
		if (field->entries[i].role == MXT_ROLE_BARE)
			keep_backend(&field->entries[i], result->bare_backend);
		if (field->entries[i].role == MXT_ROLE_YOURS)
			keep_backend(&field->entries[i], result->yours_backend);
	}
}

/* Records and tells what a finished race came to; keeps its choice if it says more than those of earlier groups. */
static int conclude(struct mxt_session *session, enum mxt_problem_kind kind, const struct mxt_group *group,
		    struct mxt_error *err)
{
	struct mxt_probe_result *result = &session->probes[kind];
	const struct mxt_field *field = &group->field;
	const char *probe = mxt_problem_kind_name(kind);
	struct mxt_choice choice;
	struct mxt_new_lengths lengths;
	mxt_race_choice(group->race, &choice);
	if (group->cut && choice.verdict == MXT_VERDICT_INCUMBENT && choice.best == choice.incumbent) {
		choice.verdict = MXT_VERDICT_UNRESOLVED; /* nobody was timed who might be faster */
		choice.rule = "there was no time for a challenger";
	}
	mxt_length_trade_judge(group, session, &choice, &lengths);
	if (!result->incumbent_name || says_more(&choice, &result->choice)) {
		bool won = choice.verdict == MXT_VERDICT_WINNER;
		result->choice = choice;
		result->lengths = lengths;
		if (lengths.reason[0])
			result->choice.rule = result->lengths.reason;
		mxt_new_lengths_keep(group, &choice, &result->lengths);
		result->winner = won ? group->candidate_of[choice.winner] : NULL;
		result->winner_backend[0] = '\0';
		keep_backend(&field->entries[choice.winner], result->winner_backend);
		result->ships_bare = won && !result->winner;
		result->incumbent_name = field->entries[choice.incumbent].name;
		result->winner_name = field->entries[choice.winner].name;
		result->best_name = field->entries[choice.best].name;
		result->incumbent_step_ns = step_ns(session, kind, field, &field->entries[choice.incumbent]) +
					    mxt_new_lengths_rate(session) * lengths.incumbent_ns;
	}
	keep_backends(result, field);
	int rc = mxt_evidence_samples(session, probe, field, err);
	if (rc == 0)
		rc = mxt_evidence_first_calls(session, probe, field, err);
	if (rc == 0)
		rc = mxt_evidence_witnesses(session, probe, field, err);
	if (rc < 0)
		return rc;
	mxt_announce_problems(session, probe, field);
	return choice.verdict == MXT_VERDICT_NO_INCUMBENT ? incumbent_failed(probe, field, &choice, err) : 0;
}

/* How many workers may be alive together: what the device allows, and what memory holds. */
static size_t slots(const struct mxt_session *session, enum mxt_problem_kind kind, const struct mxt_course *course)
{
	uint64_t largest = 2 * session->inventory.llc_bytes;
	for (size_t i = 0; i < course->n_problems; i++) {
		uint64_t bytes = mxt_problem_bytes(&course->problems[i]);
		largest = bytes > largest ? bytes : largest;
	}
	size_t n = session->request->ops->max_workers;
	uint64_t half = session->inventory.memory_bytes / 2;
	uint64_t fit = half / (2 * largest + 1);
	if (half > 0 && fit < n)
		n = (size_t)fit;
	size_t least = mxt_group_incumbents(session, kind) + 1;
	n = n < least ? least : n;
	return n < MXT_FIELD_MAX_ENTRIES ? n : MXT_FIELD_MAX_ENTRIES;
}

/*
 * Groups are raced one after the other, each against the incumbents. Whoever computes in Python has everybody in the
 * group compute there, so such candidates race after the others, unless an incumbent computes there anyway.
 */
enum lane { LANE_DEVICE, LANE_PYTHON };

struct grouping {
	enum lane lane;
	size_t room;    /* workers alive together */
	size_t groups;  /* left to race */
	size_t at;      /* next candidate */
	uint32_t races; /* of the whole plan: they share the false-winner rate */
};

static enum lane lane_of(const struct mxt_session *session, const struct mxt_candidate *candidate)
{
	bool python = session->bare_provider || session->yours_provider;
	return candidate->provider && !python ? LANE_PYTHON : LANE_DEVICE;
}

/* What only changes the cost of new lengths is no candidate of a job that has one length. */
static bool can_race(const struct mxt_session *session, const struct mxt_candidate *candidate, enum lane lane)
{
	bool wanted = !candidate->first_calls || session->exposure.varies;
	return !candidate->skip && wanted && lane_of(session, candidate) == lane;
}

/* Fills a group with the lane's next candidates, as many as there is room for. */
static int fill_group(struct mxt_group *group, const struct mxt_session *session, const struct mxt_candidate_list *list,
		      struct grouping *grouping, struct mxt_error *err)
{
	int rc = 0;
	for (; rc == 0 && grouping->at < list->count && group->field.n_entries < grouping->room; grouping->at++)
		if (can_race(session, &list->items[grouping->at], grouping->lane))
			rc = mxt_group_add(group, session, &list->items[grouping->at], err);
	return rc;
}

static int note_unavailable(struct mxt_session *session, const struct mxt_candidate_list *list, struct mxt_error *err)
{
	for (size_t i = 0; i < list->count; i++) {
		int rc = list->items[i].skip
			     ? mxt_announce_skipped(session, list->items[i].name, list->items[i].skip, err)
			     : 0;
		if (rc < 0)
			return rc;
	}
	return 0;
}

static size_t count_runnable(const struct mxt_session *session, const struct mxt_candidate_list *list, enum lane lane)
{
	size_t n = 0;
	for (size_t i = 0; i < list->count; i++)
		n += can_race(session, &list->items[i], lane) ? 1 : 0;
	return n;
}

static struct grouping plan_groups(const struct mxt_session *session, enum mxt_problem_kind kind,
				   const struct mxt_course *course, enum lane lane)
{
	const struct mxt_candidate_list *list = &session->probes[kind].candidates;
	size_t room = slots(session, kind, course);
	size_t per_group = room - mxt_group_incumbents(session, kind);
	size_t groups = (count_runnable(session, list, lane) + per_group - 1) / per_group;
	return (struct grouping){.lane = lane, .room = room, .groups = groups};
}

static int run_group(struct mxt_session *session, enum mxt_problem_kind kind, const struct mxt_course *course,
		     struct grouping *grouping, uint64_t end_ns, struct mxt_error *err)
{
	uint32_t races = grouping->races;
	const struct mxt_candidate_list *list = &session->probes[kind].candidates;
	struct mxt_group group;
	int rc = mxt_group_init(&group, session, kind, course, err);
	if (rc == 0)
		rc = fill_group(&group, session, list, grouping, err);
	if (rc == 0)
		rc = mxt_group_race(&group, session, races, end_ns, mxt_problem_kind_name(kind), err);
	if (rc == 0)
		rc = conclude(session, kind, &group, err);
	if (rc == 0 && kind == MXT_PROBLEM_GEMM && !session->heuristic.done)
		rc = mxt_session_rank(session, &group.field, err);
	if (rc == 0 && kind == MXT_PROBLEM_GEMM)
		rc = mxt_session_check_health(session, &group.field, err);
	int ended = mxt_group_finish(&group, rc < 0 ? NULL : err);
	return rc < 0 ? rc : ended;
}

/* Again with the same challengers, as often as an incumbent's provider turns out not to run here. */
static int run_excused(struct mxt_session *session, enum mxt_problem_kind kind, const struct mxt_course *course,
		       struct grouping *grouping, uint64_t end_ns, struct mxt_error *err)
{
	size_t first = grouping->at;
	unsigned excuses;
	int rc;
	do {
		grouping->at = first;
		excuses = session->excuses;
		rc = run_group(session, kind, course, grouping, end_ns, err);
	} while (rc == -EAGAIN && session->excuses > excuses);
	return rc;
}

/* In equal parts of the time. */
static int run_lane(struct mxt_session *session, enum mxt_problem_kind kind, const struct mxt_course *course,
		    struct grouping *lane, uint64_t end_ns, struct mxt_error *err)
{
	for (; lane->groups > 0; lane->groups--) {
		uint64_t now = mxt_now_ns(session->request->budget->clock);
		uint64_t part = now < end_ns ? (end_ns - now) / lane->groups : 0;
		int rc = run_excused(session, kind, course, lane, now + part, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Where both lanes have candidates: what the device's own may use of the time. */
#define DEVICE_LANE_PERCENT 65

static int run_groups(struct mxt_session *session, enum mxt_problem_kind kind, const struct mxt_course *course,
		      uint64_t end_ns, struct mxt_error *err)
{
	struct grouping device = plan_groups(session, kind, course, LANE_DEVICE);
	struct grouping python = plan_groups(session, kind, course, LANE_PYTHON);
	uint64_t now = mxt_now_ns(session->request->budget->clock), left = now < end_ns ? end_ns - now : 0;
	if (device.groups + python.groups == 0)
		device.groups = 1; /* the incumbents race even alone */
	uint32_t races = (uint32_t)(MXT_PROBLEM_KIND_COUNT * (device.groups + python.groups));
	device.races = races;
	uint64_t part = python.groups > 0 ? left / 100 * DEVICE_LANE_PERCENT : left;
	int rc = run_lane(session, kind, course, &device, now + part, err);
	if (rc < 0)
		return rc;
	python = plan_groups(session, kind, course, LANE_PYTHON); /* anew: an incumbent may have left Python */
	python.races = races;
	return run_lane(session, kind, course, &python, end_ns, err);
}

/* A workload of which nothing belongs to this probe: what the job does today stays, and nothing is called measured. */
static void leave_alone(const struct mxt_session *session, struct mxt_probe_result *result)
{
	const char *incumbent = session->yours_differs ? "yours" : "bare";
	result->empty = true;
	result->incumbent_name = result->winner_name = result->best_name = incumbent;
	result->choice = (struct mxt_choice){.verdict = MXT_VERDICT_UNRESOLVED,
					     .bound_ppm = MXT_BOUND_UNKNOWN_PPM,
					     .floor_ppm = MXT_FLOOR_UNKNOWN_PPM,
					     .rule = "nothing of this kind is modelled in this workload"};
}

/* Nobody knows whether what raced is what the job would run: nothing is planned, and nothing was found out. */
static void leave_unheld(struct mxt_probe_result *result)
{
	result->empty = result->dropped = true;
	result->choice.verdict = MXT_VERDICT_UNRESOLVED;
	result->choice.rule = "what the config asks for did not start here, so nothing could be held against it";
}

int mxt_session_candidates(struct mxt_session *session, enum mxt_problem_kind kind, struct mxt_error *err)
{
	const struct mxt_sysroot live = MXT_SYSROOT_LIVE;
	const struct mxt_tune_request *request = session->request;
	struct mxt_candidate_list *list = &session->probes[kind].candidates;
	int rc = request->ops->candidates(request->root ? request->root : &live, &session->inventory, kind,
					  request->environment, list, err);
	if (rc == 0 && kind == MXT_PROBLEM_ATTENTION)
		rc = mxt_provider_candidates(session, list, err);
	if (rc == 0 && kind == MXT_PROBLEM_ATTENTION)
		rc = mxt_competition_rule_out(session, list, err);
	return rc;
}

int mxt_session_probe(struct mxt_session *session, enum mxt_problem_kind kind, uint64_t end_ns, struct mxt_error *err)
{
	struct mxt_probe_result *result = &session->probes[kind];
	MXT_CLEANUP(mxt_course_finish) struct mxt_course course = {.problems = NULL};
	int rc = mxt_course_init_probe(&course, session, kind, err);
	if (rc == 0)
		rc = mxt_session_candidates(session, kind, err);
	if (rc == 0)
		rc = note_unavailable(session, &result->candidates, err);
	if (rc == 0 && course.n_items == 0)
		leave_alone(session, result);
	else if (rc == 0)
		rc = run_groups(session, kind, &course, end_ns, err);
	if (kind == MXT_PROBLEM_ATTENTION && session->yours_unheld)
		leave_unheld(result);
	if (rc == 0)
		rc = mxt_evidence_choice(session, mxt_problem_kind_name(kind), result, err);
	if (rc < 0)
		return rc;
	mxt_announce_choice(session, mxt_problem_kind_name(kind), result);
	if (kind == MXT_PROBLEM_GEMM)
		mxt_announce_heuristic(session);
	result->done = true;
	return kind == MXT_PROBLEM_GEMM ? mxt_pins_settle(session, err) : 0;
}
