/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "session.h"

/* The entries of a race beside its field: which candidate each one is, and the environments that they own. */
struct group {
	struct mxt_field field;
	struct mxt_race *race;
	const struct mxt_candidate *candidate_of[MXT_FIELD_MAX_ENTRIES]; /* NULL: an incumbent */
	char **environments[MXT_FIELD_MAX_ENTRIES];                      /* owned, challengers only */
};

static int group_finish(struct group *group, struct mxt_error *err)
{
	mxt_race_destroy(group->race);
	int rc = mxt_field_finish(&group->field, err);
	for (size_t i = 0; i < MXT_FIELD_MAX_ENTRIES; i++)
		mxt_environment_destroy(group->environments[i]);
	return rc;
}

static int add_incumbents(struct group *group, const struct mxt_session *session, struct mxt_error *err)
{
	struct mxt_field *field = &group->field;
	char *const *bare = session->bare;
	int rc = mxt_field_add(field, "bare", MXT_ROLE_BARE, true, bare, err);
	if (rc == 0)
		rc = mxt_field_add(field, "bare (twin)", MXT_ROLE_TWIN, true, bare, err);
	if (rc == 0 && session->yours_differs)
		rc = mxt_field_add(field, "yours", MXT_ROLE_YOURS, true, session->request->environment, err);
	return rc;
}

static int add_challenger(struct group *group, const struct mxt_session *session, const struct mxt_candidate *candidate,
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
			     group->environments[i], err);
}

/* `races`: how many races the plan goes through in all; they share the false-winner rate. */
static int create_race(struct group *group, const struct mxt_session *session, uint32_t races, struct mxt_error *err)
{
	struct mxt_entrant entrants[MXT_FIELD_MAX_ENTRIES];
	struct mxt_race_params params = MXT_RACE_PARAMS_DEFAULT;
	const struct mxt_field *field = &group->field;
	for (size_t i = 0; i < field->n_entries; i++)
		entrants[i] = (struct mxt_entrant){field->entries[i].name, field->entries[i].role,
						   field->entries[i].deterministic};
	params.margin_ppm = session->request->margin_ppm;
	params.probes = races;
	group->race = mxt_race_create(entrants, field->n_entries, &params);
	return group->race ? 0 : mxt_error_oom(err);
}

/* Tells the race about entries that failed since it was told last. */
static void drop_failed(struct group *group)
{
	uint32_t alive = mxt_field_alive(&group->field);
	for (size_t i = 0; i < group->field.n_entries; i++)
		if (!(alive >> i & 1))
			mxt_race_drop(group->race, i);
}

/* A challenger whose worker reports the very state of bare's changes nothing here: its switch is not witnessed. */
static void drop_unwitnessed(struct group *group)
{
	struct mxt_field *field = &group->field;
	const json_t *bare = field->entries[0].facts;
	for (size_t i = 0; i < field->n_entries; i++) {
		const struct mxt_entry *entry = &field->entries[i];
		if (entry->role == MXT_ROLE_CHALLENGER && entry->outcome == MXT_OK && bare &&
		    json_equal((json_t *)bare, entry->facts))
			mxt_field_drop(field, i, MXT_UNSUPPORTED,
				       "no effect here: the worker reports the same state as under bare");
	}
}

static void emit_progress(const struct mxt_session *session, const char *phase)
{
	const struct mxt_budget *budget = session->request->budget;
	struct mxt_event event = {.kind = MXT_EVENT_PROGRESS,
				  .as.progress = {phase, mxt_budget_used_ns(budget), budget->limit_ns}};
	mxt_emit(session->request->sink, &event);
}

/* One stage of one group: when it ends, and what a request of one entry cost so far. */
struct pace {
	uint64_t end_ns;
	uint64_t prepare_ns; /* one entry preparing all problems */
	uint64_t round_ns;   /* one entry timed on all items once */
};

/* What a stage of this much work would have needed, extrapolated from the requests that were answered. */
static int too_small(const struct mxt_session *session, const struct group *group, uint64_t began_ns,
		     struct mxt_error *err)
{
	const struct mxt_budget *budget = session->request->budget;
	const struct mxt_field *field = &group->field;
	size_t incumbents = session->yours_differs ? 3 : 2;
	double total = (double)(incumbents * (field->course->n_problems + field->course->n_items));
	double done = field->requests_done ? field->requests_done : 1;
	double stage_s = (double)(mxt_now_ns(budget->clock) - began_ns) / 1e9 * (total > done ? total / done : 1);
	double before_s = (double)(began_ns - budget->start_ns) / 1e9;
	double enough_s = before_s + 3 * stage_s + 1; /* a stage gets about half of the time; some slack */
	double limit_s = (double)budget->limit_ns / 1e9;
	if (enough_s <= limit_s)
		enough_s = limit_s + 1;
	return mxt_error_set(err, -ETIME, MXT_E_BUDGET,
			     "the budget of %.0f s is too small for one round of measurements; --budget %.0f should do",
			     limit_s, ceil(enough_s));
}

/* Start all, prepare and time the incumbents once: from here on a usable plan exists. */
static int open_incumbents(struct mxt_session *session, struct group *group, struct pace *pace, struct mxt_error *err)
{
	struct mxt_field *field = &group->field;
	uint64_t began = mxt_now_ns(field->clock);
	struct mxt_round round;
	uint32_t incumbents = mxt_field_incumbents(field);
	size_t n = session->yours_differs ? 3 : 2;
	int rc = mxt_field_start(field, err);
	uint64_t started = mxt_now_ns(field->clock);
	if (rc == 0)
		rc = mxt_field_prepare(field, incumbents, err);
	uint64_t prepared = mxt_now_ns(field->clock);
	if (rc == 0)
		rc = mxt_field_round(field, incumbents, &round, err);
	if (rc == -ETIME)
		return too_small(session, group, began, err);
	pace->prepare_ns = (prepared - started) / n;
	pace->round_ns = (mxt_now_ns(field->clock) - prepared) / n;
	return rc;
}

static int note_skipped(struct mxt_session *session, const char *name, const char *reason, struct mxt_error *err)
{
	struct mxt_event event = {.kind = MXT_EVENT_SKIPPED, .as.skipped = {name, reason}};
	mxt_emit(session->request->sink, &event);
	return mxt_evidence_text(session->skipped, err, "%s: %s", name, reason);
}

/* How many challengers can be prepared and get the blocks of a screen and a first look in the time that is left. */
static size_t affordable(const struct mxt_field *field, const struct pace *pace)
{
	const uint64_t blocks = 8;
	uint64_t now = mxt_now_ns(field->clock);
	uint64_t left = now < pace->end_ns ? pace->end_ns - now : 0;
	uint64_t incumbents = blocks * pace->round_ns * 3;
	if (left <= incumbents)
		return 0;
	return (size_t)((left - incumbents) / ((blocks + 1) * pace->round_ns + pace->prepare_ns + 1));
}

/* Leaves out the last challengers when there is no time for all. */
static int cut_to_time(struct mxt_session *session, struct group *group, const struct pace *pace, struct mxt_error *err)
{
	struct mxt_field *field = &group->field;
	size_t room = affordable(field, pace);
	for (size_t i = 0; i < field->n_entries; i++) {
		const struct mxt_entry *entry = &field->entries[i];
		if (entry->role != MXT_ROLE_CHALLENGER || entry->outcome != MXT_OK)
			continue;
		if (room > 0) {
			room--;
			continue;
		}
		const char *reason = "no time for it within the budget";
		int rc = note_skipped(session, entry->name, reason, err);
		if (rc < 0)
			return rc;
		mxt_field_drop(field, i, MXT_TIMEOUT, reason);
	}
	return 0;
}

/* Rounds until the race is over or the next one would not fit. */
static int race_rounds(struct mxt_session *session, struct group *group, const struct pace *pace, const char *phase,
		       struct mxt_error *err)
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
		rc = mxt_field_retire(field, mxt_race_wants(group->race), err);
		if (rc < 0)
			return rc;
		uint64_t took = mxt_now_ns(field->clock) - began;
		longest = took > longest ? took : longest;
		emit_progress(session, phase);
	}
	return 0;
}

/* Prepares the challengers, and times them once as the incumbents were: nobody starts the race fresher than another. */
static int open_challengers(struct group *group, struct mxt_error *err)
{
	struct mxt_field *field = &group->field;
	struct mxt_round round;
	uint32_t challengers = ~mxt_field_incumbents(field);
	int rc = mxt_field_prepare(field, challengers, err);
	if (rc == 0)
		rc = mxt_field_round(field, challengers, &round, err);
	drop_failed(group);
	return rc;
}

/* Everything from starting the workers to the last block. Running out of time on the way is not an error. */
static int race_group(struct mxt_session *session, struct group *group, uint64_t end_ns, const char *phase,
		      struct mxt_error *err)
{
	struct pace pace = {.end_ns = end_ns};
	group->field.end_ns = end_ns;
	int rc = open_incumbents(session, group, &pace, err);
	if (rc < 0)
		return rc;
	emit_progress(session, phase);
	drop_unwitnessed(group);
	rc = cut_to_time(session, group, &pace, err);
	if (rc == 0)
		rc = open_challengers(group, err);
	if (rc == 0)
		rc = race_rounds(session, group, &pace, phase, err);
	if (rc != -ETIME)
		return rc;
	mxt_error_clear(err);
	return 0;
}

static struct mxt_event_cell cell_of(const struct mxt_entry *entry, const struct mxt_measure *measure)
{
	struct mxt_event_cell cell = {.reason = entry->reason, .samples = measure->n};
	if (measure->n > 0) {
		cell.reason = NULL;
		cell.median_ns = mxt_measure_median(measure);
	} else if (!cell.reason) {
		cell.reason = "not timed";
	}
	return cell;
}

/* One line per problem, candidates side by side. */
static void emit_problems(const struct mxt_session *session, const char *probe, const struct mxt_field *field)
{
	const char *names[MXT_FIELD_MAX_ENTRIES];
	struct mxt_event_cell cells[MXT_FIELD_MAX_ENTRIES];
	for (size_t i = 0; i < field->n_entries; i++)
		names[i] = field->entries[i].name;
	struct mxt_event event = {
	    .kind = MXT_EVENT_PROBE,
	    .as.probe = {probe, names, field->n_entries, field->course->n_problems, session->inventory.peak_flops}};
	mxt_emit(session->request->sink, &event);
	for (size_t p = 0; p < field->course->n_problems; p++) {
		for (size_t i = 0; i < field->n_entries; i++)
			cells[i] = cell_of(&field->entries[i], &field->entries[i].measures[p]);
		event = (struct mxt_event){.kind = MXT_EVENT_PROBLEM,
					   .as.problem = {probe, &field->course->problems[p], cells, field->n_entries}};
		mxt_emit(session->request->sink, &event);
	}
}

static void emit_choice(const struct mxt_session *session, const char *probe, const struct mxt_probe_result *result)
{
	struct mxt_event event = {
	    .kind = MXT_EVENT_CHOICE,
	    .as.choice = {probe, &result->choice, result->incumbent_name, result->winner_name, result->best_name}};
	mxt_emit(session->request->sink, &event);
}

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

static int incumbent_failed(const char *probe, const struct mxt_field *field, const struct mxt_choice *choice,
			    struct mxt_error *err)
{
	const struct mxt_entry *entry = &field->entries[choice->incumbent];
	return mxt_error_set(err, -ENODATA, MXT_E_PROBE_FAILED,
			     "the %s probe failed: %s, what the job would do today, could not be measured: %s", probe,
			     entry->name, entry->reason ? entry->reason : "no reason was given");
}

/* How much a group's choice says: a winner beats bare and yours, bare may only beat yours, an open question beats a no.
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

/* Records and tells what a finished race came to; keeps its choice if it says more than those of earlier groups. */
static int conclude(struct mxt_session *session, enum mxt_problem_kind kind, const struct group *group,
		    struct mxt_error *err)
{
	struct mxt_probe_result *result = &session->probes[kind];
	const struct mxt_field *field = &group->field;
	const char *probe = mxt_problem_kind_name(kind);
	struct mxt_choice choice;
	mxt_race_choice(group->race, &choice);
	if (!result->incumbent_name || says_more(&choice, &result->choice)) {
		bool won = choice.verdict == MXT_VERDICT_WINNER;
		result->choice = choice;
		result->winner = won ? group->candidate_of[choice.winner] : NULL;
		result->ships_bare = won && !result->winner;
		result->incumbent_name = field->entries[choice.incumbent].name;
		result->winner_name = field->entries[choice.winner].name;
		result->best_name = field->entries[choice.best].name;
		result->incumbent_step_ns = step_ns(session, kind, field, &field->entries[choice.incumbent]);
	}
	int rc = mxt_evidence_samples(session, probe, field, err);
	if (rc == 0)
		rc = mxt_evidence_witnesses(session, probe, field, err);
	if (rc < 0)
		return rc;
	emit_problems(session, probe, field);
	return choice.verdict == MXT_VERDICT_NO_INCUMBENT ? incumbent_failed(probe, field, &choice, err) : 0;
}

/* How many workers may be alive together: what the device allows, and what memory holds. */
static size_t slots(const struct mxt_session *session, const struct mxt_course *course)
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
	size_t least = session->yours_differs ? 4 : 3;
	n = n < least ? least : n;
	return n < MXT_FIELD_MAX_ENTRIES ? n : MXT_FIELD_MAX_ENTRIES;
}

/* Fills a group from candidates[*at…], as many as `room` takes; advances *at. */
static int fill_group(struct mxt_session *session, struct group *group, const struct mxt_candidate_list *list,
		      size_t room, size_t *at, struct mxt_error *err)
{
	int rc = add_incumbents(group, session, err);
	for (; rc == 0 && *at < list->count && group->field.n_entries < room; ++*at)
		if (!list->items[*at].skip)
			rc = add_challenger(group, session, &list->items[*at], err);
	return rc;
}

static int note_unavailable(struct mxt_session *session, const struct mxt_candidate_list *list, struct mxt_error *err)
{
	for (size_t i = 0; i < list->count; i++) {
		int rc = list->items[i].skip ? note_skipped(session, list->items[i].name, list->items[i].skip, err) : 0;
		if (rc < 0)
			return rc;
	}
	return 0;
}

static size_t count_runnable(const struct mxt_candidate_list *list)
{
	size_t n = 0;
	for (size_t i = 0; i < list->count; i++)
		n += list->items[i].skip ? 0 : 1;
	return n;
}

/* Groups are raced one after the other, each against the incumbents, in equal parts of the time. */
struct grouping {
	size_t room;   /* workers alive together */
	size_t groups; /* at least 1: the incumbents race even alone */
	size_t at;     /* next candidate */
};

static struct grouping plan_groups(const struct mxt_session *session, const struct mxt_course *course,
				   const struct mxt_candidate_list *list)
{
	size_t room = slots(session, course);
	size_t per_group = room - (session->yours_differs ? 3 : 2);
	size_t groups = (count_runnable(list) + per_group - 1) / per_group;
	return (struct grouping){.room = room, .groups = groups ? groups : 1};
}

static int run_group(struct mxt_session *session, enum mxt_problem_kind kind, const struct mxt_course *course,
		     struct grouping *grouping, uint64_t end_ns, struct mxt_error *err)
{
	const struct mxt_tune_request *request = session->request;
	struct group group = {.race = NULL};
	uint32_t races = (uint32_t)(MXT_PROBLEM_KIND_COUNT * grouping->groups);
	mxt_field_init(&group.field, request->ops, request->budget->clock, request->cancel_fd, &session->rng, course);
	group.field.ordinal = request->ordinal;
	int rc = fill_group(session, &group, &session->probes[kind].candidates, grouping->room, &grouping->at, err);
	if (rc == 0)
		rc = create_race(&group, session, races, err);
	if (rc == 0)
		rc = race_group(session, &group, end_ns, mxt_problem_kind_name(kind), err);
	if (rc == 0)
		rc = conclude(session, kind, &group, err);
	int ended = group_finish(&group, rc < 0 ? NULL : err);
	return rc < 0 ? rc : ended;
}

static int run_groups(struct mxt_session *session, enum mxt_problem_kind kind, const struct mxt_course *course,
		      uint64_t end_ns, struct mxt_error *err)
{
	const struct mxt_clock *clock = session->request->budget->clock;
	struct grouping grouping = plan_groups(session, course, &session->probes[kind].candidates);
	for (size_t left = grouping.groups; left > 0; left--) {
		uint64_t now = mxt_now_ns(clock);
		uint64_t part = now < end_ns ? (end_ns - now) / left : 0;
		int rc = run_group(session, kind, course, &grouping, now + part, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int mxt_session_probe(struct mxt_session *session, enum mxt_problem_kind kind, uint64_t end_ns, struct mxt_error *err)
{
	const struct mxt_tune_request *request = session->request;
	struct mxt_probe_result *result = &session->probes[kind];
	MXT_CLEANUP(mxt_course_finish) struct mxt_course course = {.problems = NULL};
	const struct mxt_sysroot live = MXT_SYSROOT_LIVE;
	int rc = mxt_course_init_probe(&course, session, kind, err);
	if (rc == 0)
		rc = request->ops->candidates(&live, &session->inventory, kind, request->environment,
					      &result->candidates, err);
	if (rc == 0)
		rc = note_unavailable(session, &result->candidates, err);
	if (rc == 0)
		rc = run_groups(session, kind, &course, end_ns, err);
	if (rc == 0)
		rc = mxt_evidence_choice(session, mxt_problem_kind_name(kind), result, err);
	if (rc < 0)
		return rc;
	emit_choice(session, mxt_problem_kind_name(kind), result);
	result->done = true;
	return 0;
}
