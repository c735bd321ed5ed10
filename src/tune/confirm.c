/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The confirm stage. What wins alone need not win in a step: the plan is raced against the incumbents on one layer,
 * replayed in training order. What makes it surely slower is taken back; what could not be confirmed is not shipped.
 */
#include "announce.h"
#include "duel.h"
#include "error.h"
#include "session.h"

#define MAX_RACES 4 /* the first, and at most three after something was taken back */

/* The shipped decision with the smallest gain; NULL when none is left. */
static struct mxt_probe_result *weakest(struct mxt_session *session)
{
	struct mxt_probe_result *found = NULL;
	for (size_t i = 0; i < MXT_PROBLEM_KIND_COUNT; i++) {
		struct mxt_probe_result *result = &session->probes[i];
		if (!mxt_probe_ships(result))
			continue;
		if (!found || result->choice.gain_ppm < found->choice.gain_ppm)
			found = result;
	}
	return found;
}

static void take_back_all(struct mxt_session *session)
{
	for (struct mxt_probe_result *result; (result = weakest(session)) != NULL;)
		result->dropped = true;
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
	struct mxt_probe_result *loser = objection ? weakest(session) : NULL;
	if (told)
		mxt_announce_duel(session, duel, loser ? loser->winner_name : NULL);
	else
		mxt_announce_note(session, objection);
	if (loser)
		loser->dropped = true;
	if (loser && (!told || last))
		take_back_all(session);
	*ret_again = loser && weakest(session) != NULL;
	return mxt_duel_record(duel, session, "confirm", err);
}

static int race_once(struct mxt_session *session, const struct mxt_course *course, bool last, bool *ret_again,
		     struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *env = mxt_session_plan_env(session);
	if (!env)
		return mxt_error_oom(err);
	struct mxt_duel duel;
	int rc = mxt_duel_run(&duel, session, course, MXT_PROBLEM_KIND_COUNT, env,
			      session->request->budget->work_end_ns, err);
	if (rc == 0)
		rc = conclude(session, &duel, last, ret_again, err);
	int ended = mxt_duel_finish(&duel, rc < 0 ? NULL : err);
	return rc < 0 ? rc : ended;
}

int mxt_session_confirm(struct mxt_session *session, struct mxt_error *err)
{
	if (!weakest(session) || session->set.n_layer == 0)
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
