/* SPDX-License-Identifier: Apache-2.0 */
#include "position.h"

#include <string.h>

#include "choose.h"
#include "gain.h"
#include "statistics.h"

/* Enough for 0.1 % of a 15 % effect when three candidates race; more changes no decision. */
#define SWEEPS 6

#define MAX_CELLS  (MXT_LOOK_LAST * MXT_RACE_MAX_CANDIDATES)
#define MAX_LEVELS MXT_LOOK_LAST
_Static_assert(MXT_RACE_MAX_CANDIDATES <= MAX_LEVELS, "entrants and positions are levels too");

enum factor { BY_ROUND, BY_ENTRANT, BY_POSITION, FACTOR_COUNT };

/* The cells of each level of one factor: those of level l are cell[start[l]] to cell[start[l + 1] - 1]. */
struct grouping {
	uint16_t cell[MAX_CELLS];
	uint16_t start[MAX_LEVELS + 1];
};

/* One cell per time: what is not explained yet, and how the factors group it. */
struct cells {
	double residual[MAX_CELLS];
	struct grouping by[FACTOR_COUNT];
	uint16_t count;
};

/* Counting sort of the cells by their level. */
static void group(struct grouping *by, const uint8_t *level, uint16_t count)
{
	uint16_t next[MAX_LEVELS + 1] = {0};
	for (uint16_t i = 0; i < count; i++)
		next[level[i] + 1]++;
	for (size_t l = 0; l < MAX_LEVELS; l++)
		next[l + 1] = (uint16_t)(next[l + 1] + next[l]);
	memcpy(by->start, next, sizeof next);
	for (uint16_t i = 0; i < count; i++)
		by->cell[next[level[i]]++] = i;
}

static void fill(const struct mxt_rounds *rounds, struct cells *cells)
{
	uint8_t level[FACTOR_COUNT][MAX_CELLS];
	uint16_t count = 0;
	for (size_t at = 0; at < rounds->n_rounds * rounds->n_entrants; at++) {
		size_t entrant = at % rounds->n_entrants;
		if (!(rounds->members & (UINT32_C(1) << entrant)))
			continue;
		cells->residual[count] = rounds->log_ns[at];
		level[BY_ROUND][count] = (uint8_t)(at / rounds->n_entrants);
		level[BY_ENTRANT][count] = (uint8_t)entrant;
		level[BY_POSITION][count] = rounds->position[at];
		count++;
	}
	for (int f = 0; f < FACTOR_COUNT; f++)
		group(&cells->by[f], level[f], count);
}

/* The mean of the middle half: nearly as still as a mean, nearly as sturdy as a median. */
static double midmean(double *values, size_t count)
{
	size_t quarter = (count + 3) / 4, most = (count - 1) / 2;
	return mxt_trimmed(values, count, quarter < most ? quarter : most).mean;
}

/* Moves the midmean of each level of a factor out of the residuals, and adds it to `effect`. */
static void sweep(struct cells *cells, enum factor factor, double *effect)
{
	const struct grouping *by = &cells->by[factor];
	double values[MAX_CELLS];
	for (size_t level = 0; level < MAX_LEVELS; level++) {
		const uint16_t *cell = by->cell + by->start[level];
		size_t n = (size_t)(by->start[level + 1] - by->start[level]);
		if (n == 0)
			continue;
		for (size_t i = 0; i < n; i++)
			values[i] = cells->residual[cell[i]];
		double middle = midmean(values, n);
		for (size_t i = 0; i < n; i++)
			cells->residual[cell[i]] -= middle;
		effect[level] += middle;
	}
}

void mxt_position_correct(const struct mxt_rounds *rounds, double *ret_log_ns)
{
	struct cells cells;
	double effect[FACTOR_COUNT][MAX_LEVELS] = {{0}};
	fill(rounds, &cells);
	for (unsigned i = 0; i < SWEEPS; i++)
		for (int f = 0; f < FACTOR_COUNT; f++)
			sweep(&cells, (enum factor)f, effect[f]);
	for (size_t at = 0; at < rounds->n_rounds * rounds->n_entrants; at++)
		ret_log_ns[at] = rounds->log_ns[at] - effect[BY_POSITION][rounds->position[at]];
}
