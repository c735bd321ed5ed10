/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithm_race.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "choose.h"
#include "cleanup.h"
#include "clock.h"
#include "device_ops.h"
#include "error.h"
#include "gain.h"
#include "statistics.h"

#define MAX_ENTRIES  (MXT_ALGORITHM_RACE_MAX + 1) /* the twin is the last */
#define LEAST_SCREEN 2
#define MOST_SCREEN  8
#define LEAST_DECIDE 4
#define MOST_DECIDE  16
#define SCREEN_SHARE 60 /* per cent of the time, when that is short */
#define TRIM_OF(n)   ((n) / 6)

struct course {
	const struct mxt_algorithm_race *race;
	struct mxt_rng rng;
	bool out[MAX_ENTRIES];                   /* cannot run */
	double log_ns[MAX_ENTRIES][MOST_DECIDE]; /* of one stage */
	size_t n_rounds;                         /* of it */
	uint64_t longest_ns;                     /* round of it */
};

static size_t twin_of(const struct course *c)
{
	return c->race->count;
}

static int time_entry(struct course *c, size_t entry, struct mxt_error *err)
{
	double ns = 0;
	size_t algorithm = entry == twin_of(c) ? 0 : entry;
	int rc = c->race->time(c->race->context, algorithm, &ns, err);
	if (rc == -ENOTSUP && algorithm != 0) {
		mxt_error_clear(err);
		c->out[entry] = true;
		return 0;
	}
	if (rc == 0 && !(ns > 0))
		rc = mxt_error_set(err, -EIO, MXT_E_DEVICE_TIME, "the device reports a time of 0 ns for a product");
	if (rc == 0)
		c->log_ns[entry][c->n_rounds] = log(ns);
	return rc;
}

/* Times each entry once. */
static int run_round(struct course *c, uint32_t *order, size_t count, struct mxt_error *err)
{
	const struct mxt_clock *clock = c->race->clock;
	uint64_t began = mxt_now_ns(clock);
	int rc = 0;
	mxt_rng_shuffle(&c->rng, order, count);
	for (size_t i = 0; rc == 0 && i < count; i++)
		if (!c->out[order[i]])
			rc = time_entry(c, order[i], err);
	c->n_rounds++;
	uint64_t took = mxt_now_ns(clock) - began;
	c->longest_ns = took > c->longest_ns ? took : c->longest_ns;
	return rc;
}

/* Rounds of one stage over the entries in `order`: at most `most`, and no more than fit; -ENOTSUP below `least`. */
static int run_rounds(struct course *c, uint32_t *order, size_t count, const size_t limits[2], uint64_t end_ns,
		      struct mxt_error *err)
{
	c->n_rounds = 0;
	c->longest_ns = 0;
	while (c->n_rounds < limits[1]) {
		uint64_t now = mxt_now_ns(c->race->clock);
		if (now + c->longest_ns >= end_ns && c->n_rounds >= limits[0])
			break;
		if (now + c->longest_ns >= c->race->end_ns)
			return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED, "no time to compare algorithms");
		int rc = run_round(c, order, count, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* The log time of the library's choice in a round: it was taken twice. */
static double default_log(const struct course *c, size_t round)
{
	return (c->log_ns[0][round] + c->log_ns[twin_of(c)][round]) / 2;
}

/* By how much the entry is faster than the library's choice, on the log scale. */
static double gain_of(const struct course *c, size_t entry)
{
	double gains[MOST_DECIDE];
	for (size_t r = 0; r < c->n_rounds; r++)
		gains[r] = default_log(c, r) - c->log_ns[entry][r];
	return mxt_trimmed(gains, c->n_rounds, TRIM_OF(c->n_rounds)).mean;
}

/* How far the library's choice and its twin are apart. */
static double floor_of(const struct course *c)
{
	double ratios[MOST_DECIDE];
	for (size_t r = 0; r < c->n_rounds; r++)
		ratios[r] = c->log_ns[0][r] - c->log_ns[twin_of(c)][r];
	return fabs(mxt_trimmed(ratios, c->n_rounds, TRIM_OF(c->n_rounds)).mean);
}

static uint64_t median_ns(const struct course *c, size_t entry)
{
	double logs[MOST_DECIDE];
	for (size_t r = 0; r < c->n_rounds; r++)
		logs[r] = entry == 0 ? default_log(c, r) : c->log_ns[entry][r];
	double ns = exp(mxt_median(logs, c->n_rounds)) + 0.5;
	return ns < 1 ? 1 : (uint64_t)ns;
}

static int screen(struct course *c, struct mxt_error *err)
{
	uint32_t order[MAX_ENTRIES];
	size_t count = c->race->count + 1;
	uint64_t now = mxt_now_ns(c->race->clock);
	uint64_t left = c->race->end_ns > now ? c->race->end_ns - now : 0;
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	return run_rounds(c, order, count, (const size_t[]){LEAST_SCREEN, MOST_SCREEN}, now + left / 100 * SCREEN_SHARE,
			  err);
}

/* The fastest entry of the screen that is not out; 0 when none is faster than the library's choice. */
static size_t fastest(const struct course *c)
{
	size_t best = 0;
	double most = 0;
	for (size_t i = 1; i < c->race->count; i++) {
		double gain = c->out[i] ? 0 : gain_of(c, i);
		if (gain > most) {
			most = gain;
			best = i;
		}
	}
	return best;
}

/* What computes wrong is not called fast. */
static int pick(struct course *c, size_t *ret_pick, struct mxt_error *err)
{
	for (;;) {
		size_t best = fastest(c);
		bool right = true;
		int rc = best ? c->race->check(c->race->context, best, &right, err) : 0;
		if (rc < 0 && rc != -ENOTSUP)
			return rc;
		if (rc == 0 && right) {
			*ret_pick = best;
			return 0;
		}
		mxt_error_clear(err);
		c->out[best] = true;
	}
}

/* The pick against the library's choice, in fresh rounds. */
static int decide(struct course *c, size_t picked, struct mxt_error *err)
{
	uint32_t order[] = {0, (uint32_t)picked, (uint32_t)twin_of(c)};
	int rc = run_rounds(c, order, MXT_ARRAY_LEN(order), (const size_t[]){LEAST_DECIDE, MOST_DECIDE},
			    c->race->end_ns, err);
	if (rc == 0 && c->out[picked])
		rc = mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED,
				   "the fastest algorithm ran at first and then refused");
	return rc;
}

static uint32_t runnable(const struct course *c)
{
	uint32_t n = 0;
	for (size_t i = 0; i < c->race->count; i++)
		n += c->out[i] ? 0 : 1;
	return n;
}

int mxt_algorithm_race(const struct mxt_algorithm_race *race, struct mxt_ranking *ret_ranking, struct mxt_error *err)
{
	MXT_CLEANUP_FREE struct course *c = calloc(1, sizeof *c);
	size_t picked = 0;
	if (!c)
		return mxt_error_oom(err);
	c->race = race;
	c->rng = (struct mxt_rng){race->seed};
	int rc = screen(c, err);
	size_t screened = c->n_rounds;
	if (rc == 0)
		rc = pick(c, &picked, err);
	if (rc == 0 && picked != 0)
		rc = decide(c, picked, err);
	if (rc < 0)
		return rc;
	*ret_ranking = (struct mxt_ranking){
	    .algorithms = runnable(c),
	    .rounds = (uint32_t)(screened + (picked ? c->n_rounds : 0)),
	    .default_ns = median_ns(c, 0),
	    .best_ns = median_ns(c, picked),
	    .gain_ppm = picked ? mxt_gain_ppm(gain_of(c, picked)) : 0,
	    .floor_ppm = (uint32_t)mxt_gain_ppm(floor_of(c)),
	    .bound_ppm = MXT_BOUND_UNKNOWN_PPM,
	    .solution = MXT_SOLUTION_DEFAULT,
	};
	return 0;
}
