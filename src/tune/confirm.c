/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The confirm stage. What wins alone need not win in a step: the plan is raced against the incumbents on one layer,
 * replayed in training order. What makes it surely slower is taken back; what could not be confirmed is not shipped.
 */
#include <errno.h>

#include "announce.h"
#include "duel.h"
#include "error.h"
#include "handoff_folder.h"
#include "pin_witness.h"
#include "session.h"

#define MAX_RACES 4 /* the first, and at most three after something was taken back */

/* A decision that ships, and may be taken back. */
struct shipped {
	const char *name;
	int32_t gain_ppm;
	bool *dropped; /* NULL: there is none */
};

static bool pins_ship(const struct mxt_session *session)
{
	return session->pins.chosen && !session->pins.dropped;
}

/* The shipped decision with the smallest gain. */
static struct shipped weakest(struct mxt_session *session)
{
	struct shipped found = {NULL, 0, NULL};
	if (pins_ship(session))
		found = (struct shipped){"pins", session->pins.gain_ppm, &session->pins.dropped};
	for (size_t i = 0; i < MXT_PROBLEM_KIND_COUNT; i++) {
		struct mxt_probe_result *result = &session->probes[i];
		if (mxt_probe_ships(result) && (!found.dropped || result->choice.gain_ppm < found.gain_ppm))
			found = (struct shipped){result->winner_name, result->choice.gain_ppm, &result->dropped};
	}
	return found;
}

static void take_back_all(struct mxt_session *session)
{
	for (struct shipped next; (next = weakest(session)).dropped != NULL;)
		*next.dropped = true;
}

/* Who is to go: where the plan's own worker failed under pins, they are the first suspects. */
static struct shipped loser_of(struct mxt_session *session, const struct mxt_duel *duel)
{
	bool failed = duel->broken && duel->field.entries[MXT_DUEL_PLAN].outcome != MXT_OK;
	if (failed && pins_ship(session))
		return (struct shipped){"pins", session->pins.gain_ppm, &session->pins.dropped};
	return weakest(session);
}

/*
 * What follows from one race. Surely slower: the weakest decision goes, and the rest is raced anew unless this was the
 * last race. Not to be told (no time, a worker failed): nothing is shipped that was not confirmed.
 */
static int conclude(struct mxt_session *session, const struct mxt_duel *duel, bool last, bool *ret_again,
		    struct mxt_error *err)
{
	bool told = !duel->broken && duel->rounds >= MXT_DUEL_MIN_ROUNDS;
	const char *objection = mxt_duel_objection(duel);
	struct shipped loser = objection ? loser_of(session, duel) : (struct shipped){NULL, 0, NULL};
	bool suspect = loser.dropped == &session->pins.dropped && duel->broken;
	if (told)
		mxt_announce_duel(session, duel, loser.name);
	else
		mxt_announce_note(session, objection);
	if (loser.dropped)
		*loser.dropped = true;
	if (loser.dropped && ((!told && !suspect) || last))
		take_back_all(session);
	*ret_again = loser.dropped && weakest(session).dropped;
	return mxt_duel_record(duel, session, "confirm", err);
}

/* The plan's environment with its files. Where these cannot be written, the plan does without pins. */
static int export_plan(struct mxt_session *session, json_t **ret_env, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *env = mxt_session_plan_env(session);
	MXT_CLEANUP_JSON json_t *decision = mxt_session_decision(session);
	MXT_CLEANUP_ERROR struct mxt_error cause = MXT_ERROR_INIT;
	int rc = env && decision ? mxt_handoff_folder_export(session, decision, env, ret_env, &cause) : -ENOMEM;
	if (rc == 0)
		return 0;
	if (rc == -ENOMEM || !pins_ship(session))
		return mxt_error_oom(err);
	session->pins.dropped = true;
	rc = mxt_announce_skipped(session, "pins", mxt_error_text(&cause), err);
	return rc < 0 ? rc : export_plan(session, ret_env, err);
}

static int race_once(struct mxt_session *session, const struct mxt_course *course, bool last, bool *ret_again,
		     struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *env = NULL;
	struct mxt_duel duel;
	int rc = export_plan(session, &env, err);
	if (rc < 0)
		return rc;
	rc = mxt_duel_run(&duel, session, course, MXT_PROBLEM_KIND_COUNT, env, session->request->budget->work_end_ns,
			  err);
	if (rc == 0 && !mxt_duel_objection(&duel))
		rc = mxt_pins_witness(session, &duel, err);
	if (rc == 0)
		rc = conclude(session, &duel, last, ret_again, err);
	int ended = mxt_duel_finish(&duel, rc < 0 ? NULL : err);
	return rc < 0 ? rc : ended;
}

int mxt_session_confirm(struct mxt_session *session, struct mxt_error *err)
{
	if (session->set.n_layer == 0)
		session->pins.dropped = true; /* nothing would show that they act */
	if (!weakest(session).dropped || session->set.n_layer == 0)
		return 0; /* nothing differs from the incumbents */
	MXT_CLEANUP(mxt_course_finish) struct mxt_course layer = {.problems = NULL};
	int rc = mxt_course_init_layer(&layer, session, err);
	bool again = rc == 0;
	for (int race = 1; again; race++) {
		again = false;
		rc = race_once(session, &layer, race == MAX_RACES, &again, err);
		again = again && rc == 0;
	}
	return rc;
}
