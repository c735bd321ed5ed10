/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "race.h"

void mxt_screen_update(struct mxt_race *race)
{
	const struct mxt_span all = {0, race->n_blocks};
	mxt_race_correct(race, 0, race->n_blocks);
	race->floor = fabs(mxt_race_median_gain(race, race->twin, 0, all));
	for (size_t i = 0; i < race->count; i++) {
		struct mxt_standing *standing = &race->standings[i];
		if (!(race->racing & mxt_bit(i)))
			continue;
		standing->least = INFINITY;
		for (size_t r = 0; r < race->n_references; r++) {
			double gain = mxt_race_median_gain(race, i, race->references[r], all);
			if (race->references[r] == race->incumbent)
				standing->gain = gain;
			if (race->references[r] != i)
				standing->least = fmin(standing->least, gain);
		}
	}
}

/* The screen does not show that the fastest is faster than this one by more than the tie band; a bound at 1 %. */
static bool ties_with(const struct mxt_race *race, size_t follower, size_t fastest)
{
	double gains[MXT_RACE_MAX_SCREEN], again[MXT_RACE_MAX_SCREEN];
	uint32_t blocks = race->params.screen_blocks;
	if (blocks < MXT_LOOK_FIRST)
		return true;
	const struct mxt_span all = {0, blocks};
	mxt_race_gains(race, fastest, follower, all, MXT_CHARGE_EXPECTED, gains);
	mxt_race_gains(race, fastest, follower, all, MXT_CHARGE_EXPECTED, again);
	struct mxt_gain lead = mxt_gain_estimate(gains, blocks, again, blocks);
	return lead.center - mxt_gain_quantile(0.01, blocks) * lead.error <= mxt_race_tie_band(race);
}

/* The fastest of `mask` by the screen, `count` when it is empty. */
static size_t fastest_of(const struct mxt_race *race, uint32_t mask)
{
	size_t best = race->count;
	for (size_t i = 0; i < race->count; i++) {
		if (!(mask & mxt_bit(i)))
			continue;
		double least = race->standings[i].least,
		       most = best < race->count ? race->standings[best].least : -INFINITY;
		if (best == race->count || least > most || (!(least < most) && mxt_race_prefers(race, i, best)))
			best = i;
	}
	return best;
}

/* The one of `mask` that goes before all others when they tie, `count` when it is empty. */
static size_t preferred_of(const struct mxt_race *race, uint32_t mask)
{
	size_t best = race->count;
	for (size_t i = 0; i < race->count; i++)
		if ((mask & mxt_bit(i)) && (best == race->count || mxt_race_prefers(race, i, best)))
			best = i;
	return best;
}

/*
 * The fastest goes on in any case. The other places go first to those that tie with it, in the order in which ties are
 * resolved in the end, so that equal candidates lead to equal decisions; then to the next in speed.
 */
void mxt_screen_select(struct mxt_race *race)
{
	uint32_t faster = 0, tied = 0, chosen = 0;
	for (size_t i = 0; i < race->count; i++)
		if ((race->racing & mxt_bit(i)) && race->standings[i].least > 0)
			faster |= mxt_bit(i);
	chosen = faster & mxt_bit(0); /* bare is timed in any case and takes no place */
	faster &= ~mxt_bit(0);
	size_t fastest = fastest_of(race, faster);
	for (size_t i = 1; i < race->count; i++)
		if ((faster & mxt_bit(i)) && ties_with(race, i, fastest))
			tied |= mxt_bit(i);
	for (uint32_t place = 0; place < race->params.max_finalists && (faster & ~chosen); place++) {
		size_t next = place == 0 ? fastest : preferred_of(race, tied & ~chosen);
		if (next == race->count)
			next = fastest_of(race, faster & ~chosen);
		chosen |= mxt_bit(next);
	}
	race->racing = chosen;
}
