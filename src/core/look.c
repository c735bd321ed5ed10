/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the decide blocks show.
 */
#include <math.h>

#include "race.h"

/* Errors that a bound lies from its center at one look, by what the bound is for. */
struct levels {
	double sure;   /* that a gain exceeds the margin: alpha over probes, looks and challengers */
	double futile; /* that it does not: alpha over looks; a mistake costs a win, not a wrong choice */
	double rival;  /* that nobody else is faster: 5 %; a mistake costs a part of the gain */
};

static unsigned challenger_count(const struct mxt_race *race)
{
	unsigned count = 0;
	for (uint32_t mask = race->challengers; mask; mask &= mask - 1)
		count++;
	return count > 0 ? count : 1;
}

static struct levels levels_of(const struct mxt_race *race, uint32_t blocks)
{
	double alpha = race->params.alpha_ppm / 1e6 / MXT_LOOKS;
	return (struct levels){
	    mxt_gain_quantile(alpha / race->params.probes / challenger_count(race), blocks),
	    mxt_gain_quantile(alpha, blocks),
	    mxt_gain_quantile(0.05, blocks),
	};
}

static struct mxt_gain charged_gain(const struct mxt_race *race, size_t entrant, size_t other, uint32_t blocks,
				    enum mxt_charging charging)
{
	double fresh[MXT_RACE_MAX_BLOCKS], all[MXT_RACE_MAX_BLOCKS];
	uint32_t screen = race->params.screen_blocks;
	mxt_race_gains(race, entrant, other, (struct mxt_span){screen, blocks}, charging, fresh);
	mxt_race_gains(race, entrant, other, (struct mxt_span){0, screen + blocks}, charging, all);
	return mxt_gain_estimate(fresh, blocks, all, screen + blocks);
}

static struct mxt_gain gain_at_look(const struct mxt_race *race, size_t entrant, size_t other, uint32_t blocks)
{
	return charged_gain(race, entrant, other, blocks, MXT_CHARGE_EXPECTED);
}

static void stand(struct mxt_race *race, size_t entrant, uint32_t blocks, const struct levels *levels)
{
	struct mxt_standing standing = {.least = INFINITY, .low = INFINITY, .high = INFINITY, .looked = true};
	for (size_t r = 0; r < race->n_references; r++) {
		size_t reference = race->references[r];
		if (reference == entrant)
			continue;
		struct mxt_gain gain = gain_at_look(race, entrant, reference, blocks);
		struct mxt_gain least = charged_gain(race, entrant, reference, blocks, MXT_CHARGE_AGAINST);
		struct mxt_gain most = charged_gain(race, entrant, reference, blocks, MXT_CHARGE_FOR);
		double low = least.center - levels->sure * least.error;
		if (reference == race->incumbent) {
			standing.gain = gain.center;
			standing.bound = low;
		}
		standing.least = fmin(standing.least, gain.center);
		standing.low = fmin(standing.low, low);
		standing.high = fmin(standing.high, most.center + levels->futile * most.error);
	}
	race->standings[entrant] = standing;
}

static size_t highest_bound(const struct mxt_race *race)
{
	size_t top = race->count;
	for (size_t i = 0; i < race->count; i++)
		if ((race->passed & mxt_bit(i)) &&
		    (top == race->count || race->standings[i].low > race->standings[top].low))
			top = i;
	return top;
}

/* Of those that passed, `top` has the highest bound; those that it does not surely lead by the tie band tie with it. */
static size_t pick_of(const struct mxt_race *race, uint32_t blocks, const struct levels *levels)
{
	size_t top = highest_bound(race), pick = top;
	for (size_t i = 0; i < race->count; i++) {
		if (!(race->passed & mxt_bit(i)) || i == top || !mxt_race_prefers(race, i, pick))
			continue;
		struct mxt_gain lead = gain_at_look(race, top, i, blocks);
		if (lead.center - levels->sure * lead.error <= mxt_race_tie_band(race))
			pick = i;
	}
	return pick;
}

/* This rival may yet be shown to be faster than the pick by more than the tie band, or pass and win the tie with it. */
static bool may_displace(const struct mxt_race *race, size_t rival, uint32_t blocks, const struct levels *levels)
{
	double band = mxt_race_tie_band(race);
	struct mxt_gain lead = gain_at_look(race, rival, race->pick, blocks);
	bool tied = lead.center + levels->sure * lead.error >= -band;
	bool waits = tied && mxt_race_prefers(race, rival, race->pick) && !(race->passed & mxt_bit(rival));
	return waits || lead.center + levels->rival * lead.error > band;
}

static bool settled(const struct mxt_race *race, uint32_t blocks, const struct levels *levels)
{
	for (size_t i = 0; i < race->count; i++)
		if ((race->racing & mxt_bit(i)) && i != race->pick && may_displace(race, i, blocks, levels))
			return false;
	return true;
}

/*
 * The floor is the median of the twins' log ratios, without a bound: it stands for the bias that two processes of one
 * environment show, and must not grow with noise, which the bounds account for. At 4 blocks a mean would carry a
 * quarter of any outlier into it; the median of 4 stands one on each side.
 */
static bool floor_surely_above(struct mxt_race *race, uint32_t blocks, double margin, const struct levels *levels)
{
	const struct mxt_span fresh = {race->params.screen_blocks, blocks};
	race->floor = fabs(mxt_race_median_gain(race, race->twin, 0, fresh));
	struct mxt_gain twin = gain_at_look(race, race->twin, 0, blocks);
	return fabs(twin.center) - levels->futile * twin.error > margin;
}

void mxt_look_take(struct mxt_race *race, uint32_t blocks)
{
	double margin = mxt_gain_from_ppm(race->params.margin_ppm);
	struct levels levels = levels_of(race, blocks);
	mxt_race_correct(race, race->params.screen_blocks, blocks);
	bool hopeless = floor_surely_above(race, blocks, margin, &levels);
	race->looked = blocks;
	race->passed = 0;
	for (size_t i = 0; i < race->count; i++) {
		if (!(race->racing & mxt_bit(i)))
			continue;
		stand(race, i, blocks, &levels);
		if (race->standings[i].high < margin)
			race->racing &= ~mxt_bit(i);
		if (race->standings[i].low > margin)
			race->passed |= mxt_bit(i);
	}
	if (race->passed & ~mxt_bit(0))
		race->passed &= ~mxt_bit(0); /* what passed is surely faster than bare, too */
	race->pick = pick_of(race, blocks, &levels);
	bool won = race->pick < race->count && race->floor <= margin && settled(race, blocks, &levels);
	race->decided = won || hopeless || blocks == MXT_LOOK_LAST;
}
