/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a choice is made, as an object without input or output: it says which candidates the next block must time, takes
 * the block's times, and gives the verdict. The same object runs on real measurements and in the simulation that shows
 * its error rates (docs/choosing.md).
 *
 * Candidates: [0] is `bare`; exactly one is bare's twin (same environment, second process); optionally one is `yours`.
 * The incumbent is `yours` where it races, else `bare`. A challenger must beat both of them, and `bare` may replace
 * `yours` like a challenger. A block holds one step-weighted time per candidate, measured in one round. The order
 * within a round must be drawn anew for each round: the bounds rest on it.
 *
 *   screen   4 blocks of everybody; challengers that are not faster are dropped, the best few go on
 *   decide   fresh blocks; looks only after 4, 8, 16 and 32 of them; per look a one-sided bound on the trimmed mean log
 *            ratio at alpha / (probes x looks x challengers); a challenger passes when its bound exceeds the margin
 *   floor    what separates bare from its twin; while it exceeds the margin nothing wins
 *   tie      gains that do not surely differ by more than a third of the margin; deterministic first, then by name
 *   end      one passed and no other can still displace it; or no challenger can gain more than the margin; or the
 *            floor surely exceeds the margin; or 32 blocks are done
 */
#ifndef MXT_CORE_CHOOSE_H
#define MXT_CORE_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

#define MXT_RACE_MAX_CANDIDATES 32
#define MXT_RACE_MAX_SCREEN     16 /* blocks */

enum mxt_role { MXT_ROLE_BARE, MXT_ROLE_TWIN, MXT_ROLE_YOURS, MXT_ROLE_CHALLENGER };

struct mxt_entrant {
	const char *name; /* borrowed; the last tie-break */
	enum mxt_role role;
	bool deterministic; /* ties: incumbent, then deterministic, then name */
};

struct mxt_race_params {
	uint32_t margin_ppm;    /* a winner's bound must exceed this: 30000 by default; below 10^6 */
	uint32_t alpha_ppm;     /* false winners per plan: 10000 by default; 1 to 100000 */
	uint32_t screen_blocks; /* 4; 1 to MXT_RACE_MAX_SCREEN */
	uint32_t max_finalists; /* challengers that go on after the screen: 3 */
	uint32_t probes;        /* races of the same plan, which share alpha: 1 by default, at least 1 */
};

#define MXT_RACE_PARAMS_DEFAULT                                                                                        \
	{                                                                                                              \
		30000, 10000, 4, 3, 1                                                                                  \
	}

enum mxt_verdict {
	MXT_VERDICT_WINNER,       /* a challenger is surely faster by more than the margin */
	MXT_VERDICT_INCUMBENT,    /* surely none is: the incumbent stays */
	MXT_VERDICT_UNRESOLVED,   /* it could not be told (floor, too few blocks): the incumbent stays */
	MXT_VERDICT_NO_INCUMBENT, /* an incumbent failed: nothing is chosen */
};

#define MXT_BOUND_UNKNOWN_PPM (-1000000) /* before the first look */
#define MXT_FLOOR_UNKNOWN_PPM UINT32_MAX /* before the first block */

struct mxt_choice {
	enum mxt_verdict verdict;
	size_t winner;      /* index of the entrant that ships: the incumbent unless the verdict is a winner */
	size_t incumbent;   /* index */
	size_t best;        /* the winner, else the fastest challenger seen, else the incumbent */
	int32_t gain_ppm;   /* best against the incumbent: 1 - time ratio (trimmed geometric mean over decide blocks) */
	int32_t bound_ppm;  /* one-sided lower bound of that gain at the level of the last look */
	uint32_t floor_ppm; /* twins' distance; MXT_FLOOR_UNKNOWN_PPM */
	uint32_t blocks;    /* decide blocks that the last look saw */
	const char *rule;   /* static text: why */
};

struct mxt_error;
struct mxt_race;

/*
 * Entrants are copied, names borrowed. -EINVAL (MXT_E_INTERNAL) when their number or a parameter is out of range, or
 * when the roles are not one BARE first, one TWIN, at most one YOURS; -ENOMEM when memory ran out.
 */
int mxt_race_create(const struct mxt_entrant *entrants, size_t count, const struct mxt_race_params *params,
		    struct mxt_race **ret_race, struct mxt_error *err) MXT_WUR;
void mxt_race_destroy(struct mxt_race *race);

/* Which entrants the next block must hold, as a mask over their indices; 0 when the race is over. */
uint32_t mxt_race_wants(const struct mxt_race *race);

/*
 * Adds a block: time_ns[i] for every wanted entrant; the others are ignored. `order` holds the indices of the entrants
 * in the order in which this round timed them (n_order 0: not known). A time that is not positive and finite drops its
 * entrant. Nothing happens when the race is over.
 */
void mxt_race_add_block(struct mxt_race *race, const double *time_ns, const uint32_t *order, size_t n_order);

/*
 * What an entrant costs beside its blocks, in ns of a block: what its first calls on new lengths come to, spread over
 * the passes of the run. It is known as an interval. Where a gain has to be sure the entrant is charged the high end
 * and the other the low end; where it has to be excluded, the other way round.
 */
struct mxt_charge {
	double low, middle, high; /* 0 <= low <= middle <= high, finite */
};

/*
 * From what `count` (at least 4) new lengths were seen to cost, which noise may make negative: the median, and bounds
 * of the mean.
 */
void mxt_charge_estimate(const double *costs, size_t count, struct mxt_charge *ret_charge);

void mxt_charge_scale(struct mxt_charge *charge, double factor);

/* To be called before the first block. -EINVAL (MXT_E_INTERNAL) when the charge is none, or blocks are there. */
int mxt_race_charge(struct mxt_race *race, size_t entrant, const struct mxt_charge *charge,
		    struct mxt_error *err) MXT_WUR;

/* The entrant failed (crash, wrong result, unsupported) and races no more. */
void mxt_race_drop(struct mxt_race *race, size_t entrant);

/* The choice as of the last look; final once mxt_race_wants() is 0. Usable at any time. */
void mxt_race_choice(const struct mxt_race *race, struct mxt_choice *ret_choice);

/* True once the screen is over (for progress display). */
bool mxt_race_deciding(const struct mxt_race *race);

/*
 * The confirm stage: is B surely slower than A, or surely faster? `log_ratios` are logarithms of B's time over A's,
 * block by block. Looks as above: only the first 32, 16, 8 or 4 blocks count, whichever is reached, so that stopping at
 * any moment keeps the level; below 4 nothing is sure. alpha is split over the looks and over `comparisons` (at least
 * 1): how many such races the plan goes through.
 */
struct mxt_confirm {
	bool surely_slower; /* B's gain is below 0 at the level */
	bool surely_faster; /* B's gain is above 0 at the level */
	int32_t gain_ppm;   /* B against A: 1 - time ratio */
	int32_t bound_ppm;  /* one-sided lower bound of it; MXT_BOUND_UNKNOWN_PPM below 4 blocks */
	uint32_t blocks;    /* that counted */
};
void mxt_confirm_evaluate(const double *log_ratios, size_t count, uint32_t alpha_ppm, size_t comparisons,
			  struct mxt_confirm *ret_confirm);

#endif
