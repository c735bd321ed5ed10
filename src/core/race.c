/* SPDX-License-Identifier: Apache-2.0 */
#include "race.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "position.h"
#include "statistics.h"

/* Fills the places of the roles; false when they are not one BARE first, one TWIN, at most one YOURS. */
static bool assign_roles(struct mxt_race *race)
{
	size_t seen[4] = {0};
	for (size_t i = 0; i < race->count; i++) {
		enum mxt_role role = race->entrants[i].role;
		seen[role]++;
		if (role == MXT_ROLE_TWIN)
			race->twin = i;
		if (role == MXT_ROLE_CHALLENGER)
			race->challengers |= mxt_bit(i);
		if (role == MXT_ROLE_BARE || role == MXT_ROLE_YOURS)
			race->incumbent = i;
		if ((role == MXT_ROLE_BARE || role == MXT_ROLE_YOURS) && race->n_references < 2)
			race->references[race->n_references++] = i;
	}
	if (race->incumbent != 0)
		race->challengers |= mxt_bit(0);
	return race->entrants[0].role == MXT_ROLE_BARE && seen[MXT_ROLE_BARE] == 1 && seen[MXT_ROLE_TWIN] == 1 &&
	       seen[MXT_ROLE_YOURS] <= 1;
}

static bool params_valid(const struct mxt_race_params *params)
{
	return params->margin_ppm < 1000000 && params->alpha_ppm >= 1 && params->alpha_ppm <= 100000 &&
	       params->screen_blocks >= 1 && params->screen_blocks <= MXT_RACE_MAX_SCREEN && params->probes >= 1;
}

static int allocate_blocks(struct mxt_race *race)
{
	size_t cells = (size_t)(race->params.screen_blocks + MXT_LOOK_LAST) * race->count;
	race->log_ns = calloc(cells, sizeof *race->log_ns);
	race->position = calloc(cells, sizeof *race->position);
	race->corrected = calloc(cells, sizeof *race->corrected);
	return race->log_ns && race->position && race->corrected ? 0 : -ENOMEM;
}

static int refuse(const char *what, struct mxt_error *err)
{
	return mxt_error_set(err, -EINVAL, MXT_E_INTERNAL, "a race was set up wrongly: %s", what);
}

int mxt_race_create(const struct mxt_entrant *entrants, size_t count, const struct mxt_race_params *params,
		    struct mxt_race **ret_race, struct mxt_error *err)
{
	if (count < 2 || count > MXT_RACE_MAX_CANDIDATES)
		return refuse("it has too few or too many entrants", err);
	if (!params_valid(params))
		return refuse("a parameter is out of range", err);
	struct mxt_race *race = calloc(1, sizeof *race);
	if (!race)
		return mxt_error_oom(err);
	race->count = count;
	race->params = *params;
	race->pick = count;
	memcpy(race->entrants, entrants, count * sizeof *entrants);
	int rc = assign_roles(race) ? 0 : refuse("its roles are not one bare first, one twin, at most one yours", err);
	if (rc == 0 && allocate_blocks(race) < 0)
		rc = mxt_error_oom(err);
	if (rc < 0) {
		mxt_race_destroy(race);
		return rc;
	}
	race->racing = race->challengers;
	*ret_race = race;
	return 0;
}

void mxt_race_destroy(struct mxt_race *race)
{
	if (!race)
		return;
	free(race->log_ns);
	free(race->position);
	free(race->corrected);
	free(race);
}

bool mxt_race_deciding(const struct mxt_race *race)
{
	return race->n_blocks >= race->params.screen_blocks;
}

bool mxt_race_prefers(const struct mxt_race *race, size_t a, size_t b)
{
	const struct mxt_entrant *x = &race->entrants[a], *y = &race->entrants[b];
	if (x->deterministic != y->deterministic)
		return x->deterministic;
	return strcmp(x->name, y->name) < 0;
}

static uint32_t reference_mask(const struct mxt_race *race)
{
	uint32_t mask = 0;
	for (size_t i = 0; i < race->n_references; i++)
		mask |= mxt_bit(race->references[i]);
	return mask;
}

uint32_t mxt_race_wants(const struct mxt_race *race)
{
	if (race->decided)
		return 0;
	return reference_mask(race) | mxt_bit(race->twin) | race->racing;
}

/* Nothing can be chosen without the incumbents, nor without the floor. */
static bool can_choose(const struct mxt_race *race)
{
	return !(race->failed & (reference_mask(race) | mxt_bit(race->twin)));
}

/* Takes the look that the blocks have reached; `again` when it must be taken anew because somebody left. */
static void advance(struct mxt_race *race, bool again)
{
	uint32_t look = mxt_look_of(mxt_race_decide_blocks(race));
	if (race->n_blocks && race->n_blocks <= race->params.screen_blocks)
		mxt_screen_update(race);
	if (race->n_blocks == race->params.screen_blocks && !again)
		mxt_screen_select(race);
	if (look > race->looked || (look && again))
		mxt_look_take(race, look);
	if (race->n_blocks && race->racing == 0) /* nobody is left who could win: one block tells the floor */
		race->decided = true;
}

static void fail_entrants(struct mxt_race *race, uint32_t mask)
{
	race->failed |= mask;
	race->racing &= ~mask;
	if (!can_choose(race))
		race->decided = true;
}

int mxt_race_charge(struct mxt_race *race, size_t entrant, const struct mxt_charge *charge, struct mxt_error *err)
{
	bool ordered = charge->low >= 0 && charge->low <= charge->middle && charge->middle <= charge->high;
	if (entrant >= race->count || race->n_blocks || !ordered || !isfinite(charge->high))
		return refuse("a charge is out of range, or late", err);
	race->charges[entrant] = *charge;
	return 0;
}

static double charged(double log_ns, double charge_ns)
{
	return charge_ns > 0 ? log(exp(log_ns) + charge_ns) : log_ns;
}

void mxt_race_gains(const struct mxt_race *race, size_t entrant, size_t other, struct mxt_span span,
		    enum mxt_charging charging, double *ret_gains)
{
	const struct mxt_charge *own = &race->charges[entrant], *others = &race->charges[other];
	const double pairs[][2] = {[MXT_CHARGE_AGAINST] = {own->high, others->low},
				   [MXT_CHARGE_EXPECTED] = {own->middle, others->middle},
				   [MXT_CHARGE_FOR] = {own->low, others->high}};
	for (size_t i = 0; i < span.count; i++) {
		const double *block = race->corrected + (span.first + i) * race->count;
		ret_gains[i] = charged(block[other], pairs[charging][1]) - charged(block[entrant], pairs[charging][0]);
	}
}

double mxt_race_median_gain(const struct mxt_race *race, size_t entrant, size_t other, struct mxt_span span)
{
	double gains[MXT_RACE_MAX_BLOCKS];
	mxt_race_gains(race, entrant, other, span, MXT_CHARGE_EXPECTED, gains);
	return mxt_median(gains, span.count);
}

void mxt_race_correct(struct mxt_race *race, size_t first, size_t count)
{
	struct mxt_rounds rounds = {
	    .log_ns = race->log_ns + first * race->count,
	    .position = race->position + first * race->count,
	    .n_rounds = count,
	    .n_entrants = race->count,
	    .members = reference_mask(race) | mxt_bit(race->twin) | race->racing,
	};
	mxt_position_correct(&rounds, race->corrected + first * race->count);
}

/* Stores the times of the wanted entrants; returns the mask of those that have none. */
static uint32_t store_block(struct mxt_race *race, uint32_t wanted, const double *time_ns)
{
	uint32_t unmeasured = 0;
	double *block = race->log_ns + race->n_blocks * race->count;
	for (size_t i = 0; i < race->count; i++) {
		if (!(wanted & mxt_bit(i)))
			continue;
		if (isfinite(time_ns[i]) && time_ns[i] > 0)
			block[i] = log(time_ns[i]);
		else
			unmeasured |= mxt_bit(i);
	}
	return unmeasured;
}

void mxt_race_add_block(struct mxt_race *race, const double *time_ns, const uint32_t *order, size_t n_order)
{
	uint32_t wanted = mxt_race_wants(race);
	if (!wanted)
		return;
	uint32_t unmeasured = store_block(race, wanted, time_ns);
	for (size_t p = 0; p < n_order; p++)
		if (order[p] < race->count)
			race->position[race->n_blocks * race->count + order[p]] = (uint8_t)p;
	race->n_blocks++;
	fail_entrants(race, unmeasured);
	if (can_choose(race))
		advance(race, false);
}

void mxt_race_drop(struct mxt_race *race, size_t entrant)
{
	if (race->failed & mxt_bit(entrant))
		return;
	fail_entrants(race, mxt_bit(entrant));
	if (can_choose(race))
		advance(race, true);
}
