/* SPDX-License-Identifier: Apache-2.0 */
#include "pin_witness.h"

#include <errno.h>

#include "announce.h"
#include "duel.h"
#include "error.h"
#include "session.h"

#define TURNS 3

/* Its number in the layer's course; past the end where the layer does not have it. */
static size_t find_problem(const struct mxt_course *course, const struct mxt_gemm *product)
{
	const struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM, .as.gemm = *product};
	size_t i = 0;
	while (i < course->n_problems && !mxt_problem_equal(&course->problems[i], &problem))
		i++;
	return i;
}

/* One time of a product; what is not on the layer is prepared for it. */
static int time_once(struct mxt_duel *duel, size_t racer, const struct mxt_gemm *product, uint64_t *ret_ns,
		     struct mxt_error *err)
{
	const struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM, .as.gemm = *product, .calls = 1};
	size_t number = find_problem(duel->field.course, product);
	struct mxt_trial trial = {0};
	if (number < duel->field.course->n_problems)
		return mxt_field_time(&duel->field, racer, (uint32_t)number, ret_ns, err);
	int rc = mxt_field_try(&duel->field, racer, &problem, 0, &trial, err);
	if (rc == 0)
		*ret_ns = trial.steady_ns;
	return rc;
}

/* The fastest of some turns of both; false when one of them failed or time ran out. */
static int time_both(struct mxt_duel *duel, const struct mxt_gemm *product, uint64_t *best, bool *ret_done,
		     struct mxt_error *err)
{
	static const size_t racers[] = {MXT_DUEL_BARE, MXT_DUEL_PLAN};
	*ret_done = true;
	best[0] = best[1] = UINT64_MAX;
	for (size_t i = 0; i < TURNS * MXT_ARRAY_LEN(racers) && *ret_done; i++) {
		size_t which = i % MXT_ARRAY_LEN(racers);
		uint64_t ns = 0;
		int rc = time_once(duel, racers[which], product, &ns, err);
		if (rc == -ETIME)
			mxt_error_clear(err);
		if (rc < 0 && rc != -ETIME)
			return rc;
		*ret_done = rc == 0 && ns > 0;
		if (*ret_done && ns < best[which])
			best[which] = ns;
	}
	return 0;
}

int mxt_pin_look(struct mxt_duel *duel, const struct mxt_gemm *product, int32_t bound_ppm,
		 enum mxt_pin_sight *ret_sight, struct mxt_error *err)
{
	uint64_t best[2];
	bool done = false;
	int rc = time_both(duel, product, best, &done, err);
	if (rc < 0)
		return rc;
	bool seen = (double)best[1] <= (double)best[0] * (1 - bound_ppm / 2e6);
	*ret_sight = !done ? MXT_PIN_UNTIMED : seen ? MXT_PIN_SEEN : MXT_PIN_UNSEEN;
	return 0;
}

static int witness(struct mxt_duel *duel, struct mxt_pin_offer *offer, struct mxt_error *err)
{
	enum mxt_pin_sight sight = MXT_PIN_UNTIMED;
	int rc = mxt_pin_look(duel, &offer->pin.product, offer->bound_ppm, &sight, err);
	offer->unseen = sight != MXT_PIN_SEEN;
	return rc;
}

int mxt_pins_witness(struct mxt_session *session, struct mxt_duel *duel, struct mxt_error *err)
{
	struct mxt_pins *pins = &session->pins;
	size_t unseen = 0, before = pins->count;
	if (!pins->chosen || pins->dropped)
		return 0;
	for (size_t i = 0; i < pins->count; i++) {
		int rc = witness(duel, &pins->offers[i], err);
		if (rc < 0)
			return rc;
		unseen += pins->offers[i].unseen ? 1 : 0;
	}
	if (unseen == 0)
		return 0;
	mxt_pins_drop_unseen(session);
	const char *some = unseen == 1 ? "a pin" : "some pins";
	return mxt_announce_skipped(session, pins->dropped ? "pins" : some,
				    unseen == before ? "none was seen to act: what reads them did not take them"
						     : "they were not seen to act on the layer",
				    err);
}
