/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a choice is made from interleaved, step-weighted block times. One race object per probe; it only does arithmetic,
 * so that the same code runs on measurements and in the simulation that shows its error rates.
 *
 * Candidates: [0] is `bare`; exactly one is bare's twin (same environment, second process); optionally one is `yours`.
 * The incumbent is `yours` where it races, else `bare`. A block holds one step-weighted time per candidate, measured in
 * one round, in random order.
 *
 *   screen   4 blocks of everybody; challengers that are not faster are dropped, the best few go on
 *   decide   fresh blocks; looks only after 4, 8, 16 and 32 of them; per look a one-sided bound on the mean log ratio
 * at alpha / (looks x challengers); a challenger wins when its bound exceeds the margin against every incumbent floor
 * what separates bare from its twin; above the margin the choice is unresolved and the incumbent stays
 */
#ifndef MXT_CORE_CHOOSE_H
#define MXT_CORE_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

#define MXT_RACE_MAX_CANDIDATES 32

enum mxt_role { MXT_ROLE_BARE, MXT_ROLE_TWIN, MXT_ROLE_YOURS, MXT_ROLE_CHALLENGER };

struct mxt_entrant {
	const char *name; /* borrowed; the last tie-break */
	enum mxt_role role;
	bool deterministic; /* ties: incumbent, then deterministic, then name */
};

struct mxt_race_params {
	uint32_t margin_ppm;    /* a winner's bound must exceed this: 30000 by default */
	uint32_t alpha_ppm;     /* family-wise false-winner rate: 10000 by default */
	uint32_t screen_blocks; /* 4 */
	uint32_t max_finalists; /* challengers that go on after the screen: 3 */
};

#define MXT_RACE_PARAMS_DEFAULT                                                                                        \
	{                                                                                                              \
		30000, 10000, 4, 3                                                                                     \
	}

enum mxt_verdict {
	MXT_VERDICT_WINNER,       /* a challenger is surely faster by more than the margin */
	MXT_VERDICT_INCUMBENT,    /* no challenger is: the incumbent stays */
	MXT_VERDICT_UNRESOLVED,   /* the floor exceeds the margin, or blocks ran out too early to tell: the incumbent
				     stays */
	MXT_VERDICT_NO_INCUMBENT, /* the incumbent failed: nothing is chosen */
};

struct mxt_choice {
	enum mxt_verdict verdict;
	size_t winner;      /* index of the entrant that ships */
	size_t incumbent;   /* index */
	size_t best;        /* fastest challenger seen, or the incumbent when there is none */
	int32_t gain_ppm;   /* best against the incumbent: 1 - time ratio (geometric mean over decide blocks) */
	int32_t bound_ppm;  /* one-sided lower bound of that gain at the level of the last look */
	uint32_t floor_ppm; /* twins' distance */
	uint32_t blocks;    /* decide blocks used */
	const char *rule;   /* static text: why */
};

struct mxt_race;

/* Entrants are copied, names borrowed. NULL when memory ran out or the roles are not one BARE first, one TWIN, at most
 * one YOURS. */
struct mxt_race *mxt_race_create(const struct mxt_entrant *entrants, size_t count,
				 const struct mxt_race_params *params);
void mxt_race_destroy(struct mxt_race *race);

/* Which entrants the next block must hold, as a mask over their indices; 0 when the race is over. */
uint32_t mxt_race_wants(const struct mxt_race *race);

/* Adds a block: time_ns[i] > 0 for every wanted entrant; the others are ignored. */
void mxt_race_add_block(struct mxt_race *race, const double *time_ns);

/* The entrant failed (crash, wrong result, unsupported) and races no more. */
void mxt_race_drop(struct mxt_race *race, size_t entrant);

/* The choice as things stand; final once mxt_race_wants() is 0. Usable after the first block. */
void mxt_race_choice(const struct mxt_race *race, struct mxt_choice *ret_choice);

/* True once the screen is over (for progress display). */
bool mxt_race_deciding(const struct mxt_race *race);

/*
 * The confirm stage: is B surely slower than A? Log ratios of B's time to A's, block by block; looks and alpha as
 * above.
 */
struct mxt_confirm {
	bool surely_slower; /* lower bound of the slowdown exceeds 0 */
	bool surely_faster;
	int32_t gain_ppm;
	int32_t bound_ppm;
};
void mxt_confirm_evaluate(const double *log_ratios, size_t count, uint32_t alpha_ppm, size_t comparisons,
			  struct mxt_confirm *ret_confirm);

#endif
