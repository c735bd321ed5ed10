/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a race, for race.c (blocks in), look.c (what they show) and verdict.c (what follows).
 */
#ifndef MXT_CORE_RACE_H
#define MXT_CORE_RACE_H

#include "choose.h"
#include "gain.h"

/* What is known of an entrant as a challenger, on the log scale of gain.h. */
struct mxt_standing {
	double gain;  /* against the incumbent */
	double bound; /* lower bound of that gain; meaningful once `looked` */
	double least; /* smallest gain over the references */
	double low;   /* smallest lower bound over the references */
	double high;  /* smallest upper bound over the references */
	bool looked;  /* seen by a look */
};

struct mxt_race {
	struct mxt_entrant entrants[MXT_RACE_MAX_CANDIDATES];
	size_t count;
	struct mxt_race_params params;
	size_t twin;
	size_t incumbent;
	size_t references[2]; /* what a challenger must beat: bare, and yours where it races */
	size_t n_references;
	uint32_t challengers; /* mask: all that ever raced, bare among them where yours is the incumbent */
	uint32_t failed;      /* mask: raced no further because of a failure */
	uint32_t racing;      /* mask: challengers that may still win */
	bool decided;         /* no further block is wanted */
	struct mxt_charge charges[MXT_RACE_MAX_CANDIDATES];

	/* All [block][entrant], screen blocks first. */
	double *log_ns;    /* logarithm of the time */
	uint8_t *position; /* place in the order of the round */
	double *corrected; /* log_ns without what belongs to the position; as far as the standings below go */
	uint32_t n_blocks;

	/* As of the end of the screen, then of the last look. */
	struct mxt_standing standings[MXT_RACE_MAX_CANDIDATES];
	double floor;    /* twins' distance */
	uint32_t looked; /* decide blocks that the last look saw; 0: none yet */
	uint32_t passed; /* mask: challengers whose bound exceeds the margin */
	size_t pick;     /* of these, the one that ships; `count` when there is none */
};

static inline uint32_t mxt_bit(size_t entrant)
{
	return UINT32_C(1) << entrant;
}

/* In how many blocks of the decide phase times were taken. */
static inline uint32_t mxt_race_decide_blocks(const struct mxt_race *race)
{
	return race->n_blocks > race->params.screen_blocks ? race->n_blocks - race->params.screen_blocks : 0;
}

/* Candidates whose gains differ by less than a third of the margin tie. */
static inline double mxt_race_tie_band(const struct mxt_race *race)
{
	return mxt_gain_from_ppm(race->params.margin_ppm) / 3;
}

/* True when a goes before b among candidates that tie: deterministic first, then by name. */
bool mxt_race_prefers(const struct mxt_race *race, size_t a, size_t b);

/* How charges, which are intervals, enter a gain: against the entrant, as expected, or in its favour. */
enum mxt_charging { MXT_CHARGE_AGAINST, MXT_CHARGE_EXPECTED, MXT_CHARGE_FOR };

/* A part of a race's blocks: `count` corrected ones from `first`. */
struct mxt_span {
	size_t first, count;
};

/* Gains of `entrant` over `other` in a span, and their median under the expected charges. */
void mxt_race_gains(const struct mxt_race *race, size_t entrant, size_t other, struct mxt_span span,
		    enum mxt_charging charging, double *ret_gains);
double mxt_race_median_gain(const struct mxt_race *race, size_t entrant, size_t other, struct mxt_span span);

/* Fills `corrected` for `count` blocks from `first`, in which all incumbents, the twin and all that race were timed. */
void mxt_race_correct(struct mxt_race *race, size_t first, size_t count);

/* screen.c: the standings by the medians of the screen so far; and who goes on when it is over. */
void mxt_screen_update(struct mxt_race *race);
void mxt_screen_select(struct mxt_race *race);

/* look.c: a look at the first `blocks` decide blocks: bounds, who may still win, who passes, whether it is decided. */
void mxt_look_take(struct mxt_race *race, uint32_t blocks);

#define MXT_RACE_MAX_BLOCKS (MXT_RACE_MAX_SCREEN + MXT_LOOK_LAST)

#endif
