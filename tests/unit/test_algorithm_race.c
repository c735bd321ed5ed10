/* SPDX-License-Identifier: Apache-2.0 */
/* The heuristic check on algorithms whose times are drawn. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "algorithm_race.h"
#include "clock.h"
#include "cmocka_all.h"
#include "compiler.h"
#include "device_ops.h"
#include "error.h"
#include "rng.h"

#define MAX 8

struct bench {
	double ns[MAX];
	double sigma;
	struct mxt_rng rng;
	bool wrong[MAX], refuses[MAX], refuses_check[MAX];
	bool broken; /* the device fails */
	size_t checks;
	uint64_t now_ns;
};

static uint64_t bench_now(void *context)
{
	return ((const struct bench *)context)->now_ns;
}

static int bench_time(void *context, size_t algorithm, double *ret_ns, struct mxt_error *err)
{
	struct bench *bench = context;
	if (bench->broken)
		return mxt_error_set(err, -EIO, MXT_E_INTERNAL, "lost");
	if (bench->refuses[algorithm])
		return mxt_error_set(err, -ENOTSUP, MXT_E_INTERNAL, "not today");
	*ret_ns = bench->ns[algorithm] * exp(bench->sigma * mxt_rng_normal(&bench->rng));
	bench->now_ns += (uint64_t)*ret_ns;
	return 0;
}

static int bench_check(void *context, size_t algorithm, bool *ret_right, struct mxt_error *err)
{
	struct bench *bench = context;
	bench->checks++;
	if (bench->refuses_check[algorithm])
		return mxt_error_set(err, -ENOTSUP, MXT_E_INTERNAL, "not today");
	*ret_right = !bench->wrong[algorithm];
	return 0;
}

static int run(struct bench *bench, size_t count, uint64_t limit_ns, struct mxt_ranking *ret_ranking)
{
	const struct mxt_clock clock = {bench_now, bench};
	const struct mxt_algorithm_race race = {.count = count,
						.context = bench,
						.time = bench_time,
						.check = bench_check,
						.clock = &clock,
						.end_ns = bench->now_ns + limit_ns,
						.seed = 7};
	struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_algorithm_race(&race, ret_ranking, &err);
	mxt_error_clear(&err);
	return rc;
}

static void finds_what_is_faster(void **state)
{
	(void)state;
	struct bench bench = {.ns = {1000000, 1010000, 970000, 1200000}, .sigma = 0.002, .rng = {1}};
	struct mxt_ranking ranking;
	assert_int_equal(run(&bench, 4, UINT64_MAX / 2, &ranking), 0);
	assert_int_equal(ranking.algorithms, 4);
	assert_int_equal(ranking.rounds, 8 + 16);
	assert_in_range(ranking.gain_ppm, 28000, 32000);
	assert_in_range(ranking.default_ns, 995000, 1005000);
	assert_in_range(ranking.best_ns, 965000, 975000);
	assert_in_range(ranking.floor_ppm, 0, 3000);
	assert_int_equal(bench.checks, 1);
}

/* Eight equal algorithms under noise of 5 %: one of them always looks some per cent faster. */
static void luck_is_no_gain(void **state)
{
	(void)state;
	double sum = 0;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct bench bench = {.sigma = 0.05, .rng = {seed}};
		struct mxt_ranking ranking;
		for (size_t i = 0; i < MAX; i++)
			bench.ns[i] = 1000000;
		assert_int_equal(run(&bench, MAX, UINT64_MAX / 2, &ranking), 0);
		sum += ranking.gain_ppm;
	}
	assert_true(fabs(sum / 300) < 3000);
}

static void the_default_may_be_the_best(void **state)
{
	(void)state;
	struct bench bench = {.ns = {1000000, 1100000, 1200000}, .sigma = 0.002, .rng = {3}};
	struct mxt_ranking ranking;
	assert_int_equal(run(&bench, 3, UINT64_MAX / 2, &ranking), 0);
	assert_int_equal(ranking.gain_ppm, 0);
	assert_int_equal(ranking.best_ns, ranking.default_ns);
	assert_int_equal(ranking.rounds, 8);
	assert_int_equal(bench.checks, 0);
	struct bench alone = {.ns = {1000000}, .rng = {3}};
	assert_int_equal(run(&alone, 1, UINT64_MAX / 2, &ranking), 0);
	assert_int_equal(ranking.algorithms, 1);
	assert_int_equal(ranking.gain_ppm, 0);
}

static void what_is_wrong_is_not_fast(void **state)
{
	(void)state;
	struct bench bench = {.ns = {1000000, 500000, 600000, 950000},
			      .wrong = {false, true},
			      .refuses_check = {false, false, true},
			      .rng = {4}};
	struct mxt_ranking ranking;
	assert_int_equal(run(&bench, 4, UINT64_MAX / 2, &ranking), 0);
	assert_int_equal(ranking.best_ns, 950000);
	assert_int_equal(ranking.gain_ppm, 50000);
	assert_int_equal(ranking.algorithms, 2);
	assert_int_equal(bench.checks, 3);
}

static void what_refuses_leaves(void **state)
{
	(void)state;
	struct bench bench = {.ns = {1000000, 500000, 900000}, .refuses = {false, true}, .rng = {5}};
	struct mxt_ranking ranking;
	assert_int_equal(run(&bench, 3, UINT64_MAX / 2, &ranking), 0);
	assert_int_equal(ranking.algorithms, 2);
	assert_int_equal(ranking.best_ns, 900000);
	struct bench lost = {.ns = {1000000, 500000}, .refuses = {true}, .rng = {5}};
	assert_int_equal(run(&lost, 2, UINT64_MAX / 2, &ranking), -ENOTSUP);
	struct bench broken = {.ns = {1000000, 500000}, .broken = true};
	assert_int_equal(run(&broken, 2, UINT64_MAX / 2, &ranking), -EIO);
	struct bench instant = {.ns = {0, 500000}};
	assert_int_equal(run(&instant, 2, UINT64_MAX / 2, &ranking), -EIO);
}

/* A round of all takes 4 ms, one of three 2.9 ms. */
static void keeps_to_its_time(void **state)
{
	(void)state;
	static const struct {
		uint64_t limit_ms;
		int rc;
	} cases[] = {{0, -ENOTSUP}, {5, -ENOTSUP}, {12, -ENOTSUP}, {25, 0}, {40, 0}, {80, 0}};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		struct bench bench = {.ns = {1000000, 1000000, 900000}, .rng = {6}};
		struct mxt_ranking ranking = {.rounds = 0};
		uint64_t limit_ns = cases[i].limit_ms * MXT_NS_PER_MS;
		assert_int_equal(run(&bench, 3, limit_ns, &ranking), cases[i].rc);
		assert_true(bench.now_ns <= limit_ns + 4 * MXT_NS_PER_MS);
		assert_int_equal(ranking.rounds > 0, cases[i].rc == 0);
		if (cases[i].rc == 0)
			assert_true(bench.now_ns <= limit_ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(finds_what_is_faster),        cmocka_unit_test(luck_is_no_gain),
	    cmocka_unit_test(the_default_may_be_the_best), cmocka_unit_test(what_is_wrong_is_not_fast),
	    cmocka_unit_test(what_refuses_leaves),         cmocka_unit_test(keeps_to_its_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
