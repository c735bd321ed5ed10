/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What belongs to the place in the order of a round, and not to a candidate: a machine that slows down within each
 * round by 15 % makes whoever comes first look faster. As the order is drawn anew for each round, this is noise; it is
 * far larger than the gains that matter, and it can be estimated, because every candidate shows it.
 */
#ifndef MXT_CORE_POSITION_H
#define MXT_CORE_POSITION_H

#include <stddef.h>
#include <stdint.h>

/* Times of some rounds. Both arrays are [round][entrant]; only entrants in the mask `members` were timed in all. */
struct mxt_rounds {
	const double *log_ns;
	const uint8_t *position; /* place in the round's order, 0 first */
	size_t n_rounds;         /* at most MXT_LOOK_LAST */
	size_t n_entrants;       /* at most MXT_RACE_MAX_CANDIDATES */
	uint32_t members;
};

/*
 * Writes the members' times without the effect of their positions to ret_log_ns [round][entrant]. The model is additive
 * on the log scale: round + entrant + position, fitted by sweeps of midmeans (after Tukey's median polish), which
 * single outliers do not move. With all positions equal (not known) nothing changes.
 */
void mxt_position_correct(const struct mxt_rounds *rounds, double *ret_log_ns);

#endif
