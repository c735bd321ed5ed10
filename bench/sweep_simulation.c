/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints how far the heuristic check gets on simulated shapes whose best solution is known, as a Markdown table:
 *
 *   sweep_simulation [SHAPES [FIRST_SEED]]
 *
 * A shape has some hundred solutions; the library ranks them by an estimate of their times that is right for most
 * shapes and far off for some. How many there are, and how far the first of the ranking is from the best, follow public
 * measurements on MI300X (docs/benchmarks.md names them); how the times of the others are spread is an assumption.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "algorithm_race.h"
#include "clock.h"
#include "compiler.h"
#include "device_ops.h"
#include "error.h"
#include "number.h"
#include "statistics.h"

#define MOST       2000 /* solutions of a shape */
#define LEAST      137
#define MEDIAN     940
#define COUNT_LOG  0.45       /* deviation of their number, log */
#define SPREAD     0.35       /* of the times of a shape's solutions, log */
#define MISJUDGED  0.07       /* the estimates' error, log: its median over shapes, */
#define MISJUDGING 2.2        /* and the deviation of its logarithm */
#define NOISE      0.022      /* of one launch: quartiles are 1.5 % from the median */
#define OUTLIERS   0.005      /* of the launches take 2 to 10 times as long */
#define DRIFT      0.06       /* a card that is cold is slower, */
#define WARM_NS    5e9        /* until about then */
#define LAUNCH_NS  1.2e6      /* of the library's own choice */
#define HOST_NS    0.2e6      /* of wall clock around each launch */
#define LOAD_NS    3e6        /* of wall clock: a first call, and the calls that tell how many make a launch */
#define SOON_LIST  256        /* that the library is asked for where time is short */
#define SOON_NS    1000000000 /* as in lt/heuristic_check.c */

struct shape {
	double log_time[MOST]; /* in the library's order; the best has 0 */
	bool met[MOST];
	size_t count;
	struct mxt_rng rng;
	uint64_t now_ns;
};

/* ---- a shape ---- */

struct solution {
	double log_time, estimate;
};

static int by_estimate(const void *a, const void *b)
{
	const struct solution *x = a, *y = b;
	return x->estimate < y->estimate ? -1 : x->estimate > y->estimate;
}

/* The sum of two exponential deviates: few solutions are close to the best. */
static double draw_log_time(struct mxt_rng *rng)
{
	return -SPREAD * (log(1 - mxt_rng_unit(rng)) + log(1 - mxt_rng_unit(rng)));
}

static size_t draw_count(struct mxt_rng *rng)
{
	double count = MEDIAN * exp(COUNT_LOG * mxt_rng_normal(rng));
	return count < LEAST ? LEAST : count > MOST ? MOST : (size_t)count;
}

static void draw_shape(struct shape *shape, uint64_t seed)
{
	static struct solution solutions[MOST]; /* NOLINT: a program of one thread */
	double best = INFINITY;
	*shape = (struct shape){.rng = {seed}};
	shape->count = draw_count(&shape->rng);
	double error = MISJUDGED * exp(MISJUDGING * mxt_rng_normal(&shape->rng));
	for (size_t i = 0; i < shape->count; i++) {
		double log_time = draw_log_time(&shape->rng);
		solutions[i] = (struct solution){log_time, log_time + error * mxt_rng_normal(&shape->rng)};
		best = log_time < best ? log_time : best;
	}
	qsort(solutions, shape->count, sizeof *solutions, by_estimate);
	for (size_t i = 0; i < shape->count; i++)
		shape->log_time[i] = solutions[i].log_time - best;
}

/* ---- its race ---- */

static uint64_t shape_now(void *context)
{
	return ((const struct shape *)context)->now_ns;
}

static int shape_time(void *context, size_t algorithm, double *ret_ns, struct mxt_error *err)
{
	struct shape *shape = context;
	(void)err;
	double cold = 1 + DRIFT * exp(-(double)shape->now_ns / WARM_NS);
	double noise = exp(NOISE * mxt_rng_normal(&shape->rng));
	if (mxt_rng_unit(&shape->rng) < OUTLIERS)
		noise *= 2 + 8 * mxt_rng_unit(&shape->rng);
	*ret_ns = 1e5 * exp(shape->log_time[algorithm]) * cold * noise;
	shape->now_ns += (uint64_t)(LAUNCH_NS * cold * noise + HOST_NS + (shape->met[algorithm] ? 0 : LOAD_NS));
	shape->met[algorithm] = true;
	return 0;
}

static int shape_check(void *context, size_t algorithm, struct mxt_error *err)
{
	(void)context, (void)algorithm, (void)err;
	return 0;
}

struct result {
	double own, answer; /* share of the best that the library's choice and the check's answer reach */
	double timed;       /* solutions */
	bool refused;       /* there was no time */
	bool worse;         /* the answer is slower than the library's choice */
};

static void run_shape(struct shape *shape, uint64_t limit_ns, uint64_t seed, struct result *ret_result)
{
	const struct mxt_clock clock = {shape_now, shape};
	size_t listed = limit_ns < SOON_NS && shape->count > SOON_LIST ? SOON_LIST : shape->count;
	const struct mxt_algorithm_race race = {.count = listed,
						.context = shape,
						.time = shape_time,
						.check = shape_check,
						.clock = &clock,
						.end_ns = limit_ns,
						.seed = seed};
	struct mxt_ranking ranking;
	size_t fastest = 0;
	struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_algorithm_race(&race, &ranking, &fastest, &err);
	mxt_error_clear(&err);
	double own = exp(-shape->log_time[0]);
	*ret_result = (struct result){.own = own, .answer = own, .refused = rc < 0};
	if (rc < 0)
		return;
	ret_result->answer = exp(-shape->log_time[fastest]);
	ret_result->timed = ranking.algorithms;
	ret_result->worse = ret_result->answer < own;
}

/* ---- the table ---- */

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* Mean and the quantiles of what a member says. Sorts. */
static void print_shares(double *values, size_t count)
{
	qsort(values, count, sizeof *values, ascending);
	printf(" %.1f | %.1f | %.1f | %.1f |", 100 * mxt_mean(values, count), 100 * mxt_quantile(values, count, 0.5),
	       100 * mxt_quantile(values, count, 0.1), 100 * values[0]);
}

static int print_row(uint64_t limit_ns, size_t count, uint64_t first_seed)
{
	struct shape *shape = malloc(sizeof *shape);
	double *own = calloc(3 * count, sizeof *own), *answer = own + count, *timed = answer + count;
	size_t worse = 0, refused = 0;
	for (size_t i = 0; shape && own && i < count; i++) {
		struct result result;
		draw_shape(shape, first_seed + i);
		run_shape(shape, limit_ns, first_seed + i, &result);
		own[i] = result.own;
		answer[i] = result.answer;
		timed[i] = result.timed;
		worse += result.worse;
		refused += result.refused;
	}
	int rc = shape && own ? 0 : -1;
	if (rc == 0) {
		printf("| %llu |", (unsigned long long)(limit_ns / MXT_NS_PER_MS));
		print_shares(own, count);
		print_shares(answer, count);
		qsort(timed, count, sizeof *timed, ascending);
		printf(" %.0f | %.0f | %zu | %zu |\n", mxt_quantile(timed, count, 0.5), mxt_quantile(timed, count, 0.9),
		       worse, refused);
	}
	free(own);
	free(shape);
	return rc;
}

static int number(int argc, char **argv, int index, int64_t *ret_value)
{
	return argc > index ? mxt_parse_i64_in(argv[index], 1, 1000000, ret_value) : 0;
}

int main(int argc, char **argv)
{
	static const uint64_t limits_ms[] = {100, 150, 200, 400, 1000, 4000};
	int64_t shapes = 117, first_seed = 1;
	if (argc > 3 || number(argc, argv, 1, &shapes) < 0 || number(argc, argv, 2, &first_seed) < 0) {
		(void)fprintf(stderr, "usage: sweep_simulation [SHAPES [FIRST_SEED]]\n");
		return 2;
	}
	printf("| ms for a shape | own choice, %% of the best: mean | median | p10 | least | answer: mean | median | "
	       "p10 | "
	       "least | timed solutions: median | p90 | answers slower than the own choice | without answer |\n"
	       "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < MXT_ARRAY_LEN(limits_ms); i++)
		if (print_row(limits_ms[i] * MXT_NS_PER_MS, (size_t)shapes, (uint64_t)first_seed) < 0)
			return 1;
	return 0;
}
