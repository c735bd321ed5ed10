/* SPDX-License-Identifier: Apache-2.0 */
#include "duel.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "environment.h"
#include "error.h"
#include "new_lengths.h"
#include "session.h"

#define ALPHA_PPM 10000

static bool is_look(size_t rounds)
{
	return rounds == MXT_DUEL_MIN_ROUNDS || rounds == 8 || rounds == MXT_DUEL_MAX_ROUNDS;
}

static double charged_ns(const struct mxt_duel *duel, size_t entry, size_t round)
{
	return duel->time_ns[entry][round] + duel->charge_ns[entry];
}

static void look(struct mxt_duel *duel)
{
	size_t racers = duel->field.n_entries;
	duel->told = true;
	for (size_t i = 0; i < racers; i++) {
		struct mxt_confirm *verdict = &duel->verdict[i];
		double log_ratio[MXT_DUEL_MAX_ROUNDS];
		if (i == MXT_DUEL_PLAN)
			continue;
		for (size_t r = 0; r < duel->rounds; r++)
			log_ratio[r] = log(charged_ns(duel, MXT_DUEL_PLAN, r) / charged_ns(duel, i, r));
		mxt_confirm_evaluate(log_ratio, duel->rounds, ALPHA_PPM, racers - 1, verdict);
		if (!verdict->surely_faster && !verdict->surely_slower)
			duel->told = false;
	}
}

static int run_rounds(struct mxt_duel *duel, struct mxt_session *session, enum mxt_problem_kind kind,
		      struct mxt_error *err)
{
	struct mxt_field *field = &duel->field;
	uint32_t everyone = (UINT32_C(1) << field->n_entries) - 1;
	duel->broken = mxt_field_alive(field) != everyone;
	while (duel->rounds < MXT_DUEL_MAX_ROUNDS && !duel->told && !duel->broken) {
		struct mxt_round round;
		int rc = mxt_field_round(field, everyone, &round, err);
		if (rc < 0)
			return rc;
		duel->broken = mxt_field_alive(field) != everyone;
		if (duel->broken)
			break;
		for (size_t i = 0; i < field->n_entries; i++)
			duel->time_ns[i][duel->rounds] = round.time_ns[i];
		duel->rounds++;
		if (duel->rounds == 1)
			rc = mxt_new_lengths_duel(duel, session, kind, err);
		duel->broken = mxt_field_alive(field) != everyone;
		if (rc < 0 || duel->broken)
			return rc;
		if (is_look(duel->rounds))
			look(duel);
	}
	return 0;
}

static bool has_attention(const struct mxt_course *course)
{
	for (size_t i = 0; i < course->n_problems; i++)
		if (course->problems[i].kind == MXT_PROBLEM_ATTENTION)
			return true;
	return false;
}

/* Without attention on the course nobody needs a provider: products do not depend on who computes it. */
static int add_racers(struct mxt_duel *duel, const struct mxt_session *session, struct mxt_error *err)
{
	struct mxt_field *field = &duel->field;
	const bool attention = has_attention(field->course);
	const char *bare = attention ? session->bare_provider : NULL;
	const char *plan = attention ? mxt_session_plan_provider(session) : NULL;
	const char *yours = attention ? session->yours_provider : NULL;
	int rc = mxt_field_add(field, "bare", MXT_ROLE_BARE, true, bare, session->bare, err);
	if (rc == 0)
		rc = mxt_field_add(field, "plan", MXT_ROLE_CHALLENGER, true, plan, duel->environment, err);
	if (rc == 0 && session->yours_differs)
		rc = mxt_field_add(field, "yours", MXT_ROLE_YOURS, true, yours, session->mine, err);
	return rc;
}

int mxt_duel_run(struct mxt_duel *duel, struct mxt_session *session, const struct mxt_course *course,
		 enum mxt_problem_kind kind, const json_t *env, uint64_t end_ns, struct mxt_error *err)
{
	struct mxt_field *field = &duel->field;
	*duel = (struct mxt_duel){.environment = NULL};
	mxt_session_field(session, course, "layer", field);
	field->end_ns = end_ns;
	int rc = mxt_environment_with(session->bare, env, &duel->environment, err);
	if (rc == 0)
		rc = add_racers(duel, session, err);
	if (rc == 0)
		rc = mxt_field_start(field, err);
	if (rc == 0)
		rc = mxt_field_prepare(field, mxt_field_alive(field), err);
	if (rc == 0)
		rc = mxt_session_warm_up(session, field, err);
	if (rc == 0)
		rc = run_rounds(duel, session, kind, err);
	if (rc != -ETIME)
		return rc;
	mxt_error_clear(err);
	return 0;
}

int mxt_duel_finish(struct mxt_duel *duel, struct mxt_error *err)
{
	int rc = mxt_field_finish(&duel->field, err);
	mxt_environment_destroy(duel->environment);
	duel->environment = NULL;
	return rc;
}

size_t mxt_duel_incumbent(const struct mxt_duel *duel)
{
	return duel->field.n_entries > MXT_DUEL_YOURS ? MXT_DUEL_YOURS : MXT_DUEL_BARE;
}

static bool same_environment(const struct mxt_entry *a, const struct mxt_entry *b)
{
	size_t i = 0;
	while (a->environment[i] && b->environment[i] && strcmp(a->environment[i], b->environment[i]) == 0)
		i++;
	return !a->environment[i] && !b->environment[i] && a->provider == b->provider;
}

static bool same_bits(const struct mxt_course *course, const struct mxt_entry *a, const struct mxt_entry *b)
{
	for (size_t i = 0; i < course->n_problems; i++) {
		const struct mxt_measure *x = &a->measures[i], *y = &b->measures[i];
		if (!x->prepared || !y->prepared || memcmp(x->check.bits, y->check.bits, sizeof x->check.bits) != 0)
			return false;
	}
	return true;
}

/*
 * What runs under the plan's own environment is the plan, whatever two processes differ by; and so is what computes its
 * very bits in about its time.
 */
static bool is_the_plan(const struct mxt_duel *duel, size_t entry)
{
	const struct mxt_entry *a = &duel->field.entries[entry], *b = &duel->field.entries[MXT_DUEL_PLAN];
	if (same_environment(a, b))
		return true;
	return duel->verdict[entry].gain_ppm > -(int32_t)duel->tie_ppm && same_bits(duel->field.course, a, b);
}

const char *mxt_duel_objection(const struct mxt_duel *duel)
{
	if (duel->broken)
		return "a worker failed in this race";
	if (duel->rounds < MXT_DUEL_MIN_ROUNDS)
		return "no time to confirm within the budget";
	for (size_t i = 0; i < duel->field.n_entries; i++)
		if (i != MXT_DUEL_PLAN && duel->verdict[i].surely_slower && !is_the_plan(duel, i))
			return i == MXT_DUEL_BARE ? "surely slower than bare" : "surely slower than yours";
	return NULL;
}

int mxt_duel_record(const struct mxt_duel *duel, struct mxt_session *session, const char *probe, struct mxt_error *err)
{
	const char *problem = mxt_duel_objection(duel);
	size_t incumbent = mxt_duel_incumbent(duel);
	const char *against = duel->field.entries[incumbent].name;
	bool measured = duel->rounds >= MXT_DUEL_MIN_ROUNDS;
	json_t *row =
	    json_pack("{s:s, s:s, s:s, s:I, s:s, s:s}", "probe", probe, "incumbent", against, "winner",
		      problem ? against : "plan", "blocks", (json_int_t)duel->rounds, "rule",
		      problem ? problem : "not surely slower", "source", measured ? "measured" : "unresolved");
	if (!row || json_array_append(session->choices, row) < 0) {
		json_decref(row);
		return mxt_error_oom(err);
	}
	int rc = 0;
	if (measured) {
		rc |= json_object_set_new(row, "gain_ppm", json_integer(duel->verdict[incumbent].gain_ppm));
		rc |= json_object_set_new(row, "bound_ppm", json_integer(duel->verdict[incumbent].bound_ppm));
	}
	json_decref(row);
	return rc == 0 ? mxt_evidence_samples(session, probe, &duel->field, err) : mxt_error_oom(err);
}
