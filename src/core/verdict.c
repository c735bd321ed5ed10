/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "race.h"

enum rule {
	RULE_FASTER,
	RULE_TIED,
	RULE_NO_CHALLENGER,
	RULE_SCREENED,
	RULE_FUTILE,
	RULE_FLOOR,
	RULE_NO_FLOOR,
	RULE_STRADDLES,
	RULE_TOO_FEW,
	RULE_NO_INCUMBENT,
};

struct rule_row {
	enum mxt_verdict verdict;
	const char *text;
};

static const struct rule_row rules[] = {
    [RULE_FASTER] = {MXT_VERDICT_WINNER, "surely faster than every incumbent by more than the margin"},
    [RULE_TIED] = {MXT_VERDICT_WINNER,
		   "surely faster than every incumbent by more than the margin; ties by determinism, then name"},
    [RULE_NO_CHALLENGER] = {MXT_VERDICT_INCUMBENT, "no challenger could be timed"},
    [RULE_SCREENED] = {MXT_VERDICT_INCUMBENT, "no challenger was faster in the screen"},
    [RULE_FUTILE] = {MXT_VERDICT_INCUMBENT, "no challenger can gain more than the margin"},
    [RULE_FLOOR] = {MXT_VERDICT_UNRESOLVED, "two processes of one environment differ by more than the margin"},
    [RULE_NO_FLOOR] = {MXT_VERDICT_UNRESOLVED, "the incumbent's twin failed, so the noise floor is not known"},
    [RULE_STRADDLES] = {MXT_VERDICT_UNRESOLVED, "after all blocks a gain of the margin is neither shown nor excluded"},
    [RULE_TOO_FEW] = {MXT_VERDICT_UNRESOLVED, "the race ended before a gain of the margin was shown or excluded"},
    [RULE_NO_INCUMBENT] = {MXT_VERDICT_NO_INCUMBENT, "an incumbent failed, so there is nothing to compare with"},
};

/* The pick, else the fastest challenger, one that a look saw before one that only the screen saw. */
static size_t best_of(const struct mxt_race *race)
{
	if (race->pick < race->count)
		return race->pick;
	size_t best = race->incumbent;
	uint32_t shown = race->n_blocks ? race->challengers & ~race->failed : 0;
	for (size_t i = 0; i < race->count; i++) {
		const struct mxt_standing *a = &race->standings[i], *b = &race->standings[best];
		if (!(shown & mxt_bit(i)))
			continue;
		if (best == race->incumbent || a->looked > b->looked || (a->looked == b->looked && a->gain > b->gain))
			best = i;
	}
	return best;
}

/* A floor above the margin hides gains, unless every challenger is slower by still more. */
static bool floor_hides(const struct mxt_race *race, size_t best)
{
	double margin = mxt_gain_from_ppm(race->params.margin_ppm);
	double gain = best == race->incumbent ? -INFINITY : race->standings[best].gain;
	return race->floor > margin && gain + race->floor > margin;
}

static enum rule rule_without_look(const struct mxt_race *race, size_t best)
{
	if (!(race->challengers & ~race->failed) && race->n_blocks)
		return RULE_NO_CHALLENGER;
	if (!mxt_race_deciding(race) || race->racing)
		return RULE_TOO_FEW;
	return floor_hides(race, best) ? RULE_FLOOR : RULE_SCREENED;
}

static enum rule rule_of(const struct mxt_race *race, size_t best)
{
	for (size_t i = 0; i < race->n_references; i++)
		if (race->failed & mxt_bit(race->references[i]))
			return RULE_NO_INCUMBENT;
	if (race->failed & mxt_bit(race->twin))
		return RULE_NO_FLOOR;
	if (!race->looked)
		return rule_without_look(race, best);
	if (floor_hides(race, best))
		return RULE_FLOOR;
	if (race->pick < race->count)
		return race->passed & (race->passed - 1) ? RULE_TIED : RULE_FASTER;
	if (!race->racing)
		return RULE_FUTILE;
	return race->looked == MXT_LOOK_LAST ? RULE_STRADDLES : RULE_TOO_FEW;
}

void mxt_race_choice(const struct mxt_race *race, struct mxt_choice *ret_choice)
{
	size_t best = best_of(race);
	const struct rule_row *rule = &rules[rule_of(race, best)];
	const struct mxt_standing *standing = &race->standings[best];
	bool challenged = best != race->incumbent;
	bool has_floor = race->n_blocks && !(race->failed & mxt_bit(race->twin));
	*ret_choice = (struct mxt_choice){
	    .verdict = rule->verdict,
	    .winner = rule->verdict == MXT_VERDICT_WINNER ? race->pick : race->incumbent,
	    .incumbent = race->incumbent,
	    .best = best,
	    .gain_ppm = challenged ? mxt_gain_ppm(standing->gain) : 0,
	    .bound_ppm = challenged && standing->looked ? mxt_gain_ppm(standing->bound) : MXT_BOUND_UNKNOWN_PPM,
	    .floor_ppm = has_floor ? (uint32_t)mxt_gain_ppm(race->floor) : MXT_FLOOR_UNKNOWN_PPM,
	    .blocks = race->looked,
	    .rule = rule->text,
	};
}
