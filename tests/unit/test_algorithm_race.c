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

#define MAX     MXT_ALGORITHM_RACE_MAX
#define FOREVER (UINT64_MAX / 4)

struct bench {
	double ns[MAX];
	bool wrong[MAX], gone[MAX], met[MAX];
	bool refuses[MAX], refuses_later[MAX]; /* at once, or once it was checked */
	double sigma, drift;                   /* noise; what the clock of the device loses per launch, of 1 */
	double load_ns;                        /* of wall clock: a first call's, beside the launch */
	struct mxt_rng rng;
	bool broken; /* the device fails */
	size_t launches, checks;
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
	if (bench->refuses[algorithm] || (bench->refuses_later[algorithm] && bench->checks > 0))
		return mxt_error_set(err, -ENOTSUP, MXT_E_INTERNAL, "not today");
	double slow = 1 + bench->drift * (double)bench->launches++;
	*ret_ns = bench->ns[algorithm] * slow * exp(bench->sigma * mxt_rng_normal(&bench->rng));
	bench->now_ns += (uint64_t)(*ret_ns + (bench->met[algorithm] ? 0 : bench->load_ns));
	bench->met[algorithm] = true;
	return 0;
}

static int bench_check(void *context, size_t algorithm, struct mxt_error *err)
{
	struct bench *bench = context;
	bench->checks++;
	if (bench->gone[algorithm])
		return mxt_error_set(err, -ENOTSUP, MXT_E_INTERNAL, "number %zu is gone", algorithm);
	if (bench->wrong[algorithm])
		return mxt_error_set(err, -ENOTSUP, MXT_E_INTERNAL, "number %zu computes wrong", algorithm);
	return 0;
}

struct answer {
	int rc;
	size_t fastest;
	struct mxt_ranking ranking;
};

static struct answer race(struct bench *bench, size_t count, uint64_t limit_ns)
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
	struct answer answer = {.fastest = SIZE_MAX};
	answer.rc = mxt_algorithm_race(&race, &answer.ranking, &answer.fastest, &err);
	mxt_error_clear(&err);
	return answer;
}

/* Owned by the caller; all take 1 ms. */
static struct bench *bench_create(uint64_t seed, double sigma)
{
	struct bench *bench = calloc(1, sizeof *bench);
	assert_non_null(bench);
	bench->rng = (struct mxt_rng){seed};
	bench->sigma = sigma;
	for (size_t i = 0; i < MAX; i++)
		bench->ns[i] = 1000000;
	return bench;
}

static void finds_what_is_faster(void **state)
{
	(void)state;
	struct bench *bench = bench_create(1, 0.002);
	bench->ns[1] = 1010000;
	bench->ns[2] = 970000;
	bench->ns[3] = 1200000;
	struct answer a = race(bench, 4, FOREVER);
	assert_int_equal(a.rc, 0);
	assert_int_equal(a.fastest, 2);
	assert_int_equal(a.ranking.algorithms, 4);
	assert_int_equal(a.ranking.solution,
			 MXT_SOLUTION_DEFAULT); /* whose numbers these are, the race does not know */
	assert_in_range(a.ranking.gain_ppm, 28000, 32000);
	assert_in_range(a.ranking.bound_ppm, 24000, a.ranking.gain_ppm);
	assert_in_range(a.ranking.default_ns, 995000, 1005000);
	assert_in_range(a.ranking.best_ns, 965000, 975000);
	assert_in_range(a.ranking.floor_ppm, 0, 3000);
	assert_true(a.ranking.rounds > 16);
	assert_string_equal(a.ranking.remark, "");
	assert_int_equal(bench->checks, 1);
	free(bench);
}

/* Eight equal algorithms under noise of 5 %: one of them always looks some per cent faster. */
static void luck_is_no_gain(void **state)
{
	(void)state;
	double sum = 0;
	size_t named = 0;
	struct bench *bench = bench_create(0, 0.05);
	for (uint64_t seed = 0; seed < 500; seed++) {
		bench->rng = (struct mxt_rng){seed};
		struct answer a = race(bench, 8, FOREVER);
		assert_int_equal(a.rc, 0);
		assert_true(a.ranking.gain_ppm >= 0);
		assert_int_equal(a.ranking.gain_ppm > 0, a.fastest != 0);
		sum += a.ranking.gain_ppm;
		named += a.fastest != 0;
	}
	assert_true(sum / 500 < 3000);
	assert_true(named <= 15); /* 1 % is promised, 5 expected */
	free(bench);
}

static void the_default_may_be_the_best(void **state)
{
	(void)state;
	struct bench *bench = bench_create(3, 0.002);
	bench->ns[1] = 1100000;
	bench->ns[2] = 1200000;
	struct answer a = race(bench, 3, FOREVER);
	assert_int_equal(a.rc, 0);
	assert_int_equal(a.fastest, 0);
	assert_int_equal(a.ranking.gain_ppm, 0);
	assert_int_equal(a.ranking.bound_ppm, 0);
	assert_int_equal(a.ranking.best_ns, a.ranking.default_ns);
	assert_int_equal(bench->checks, 0);
	a = race(bench, 1, FOREVER);
	assert_int_equal(a.rc, 0);
	assert_int_equal(a.ranking.algorithms, 1);
	assert_int_equal(a.ranking.gain_ppm, 0);
	free(bench);
}

static void what_may_not_win_leaves_with_a_reason(void **state)
{
	(void)state;
	struct bench *bench = bench_create(4, 0);
	bench->ns[1] = 500000;
	bench->ns[2] = 600000;
	bench->ns[3] = 950000;
	bench->wrong[1] = true;
	bench->gone[2] = true;
	struct answer a = race(bench, 4, FOREVER);
	assert_int_equal(a.rc, 0);
	assert_int_equal(a.fastest, 3);
	assert_int_equal(a.ranking.best_ns, 950000);
	assert_in_range(a.ranking.gain_ppm, 49999, 50001);
	assert_int_equal(a.ranking.algorithms, 2);
	assert_string_equal(a.ranking.remark, "number 1 computes wrong");
	bench->gone[3] = true;
	a = race(bench, 4, FOREVER);
	assert_int_equal(a.fastest, 0);
	assert_int_equal(a.ranking.algorithms, 1);
	free(bench);
}

static void what_refuses_leaves(void **state)
{
	(void)state;
	struct bench *bench = bench_create(5, 0);
	bench->ns[1] = 500000;
	bench->ns[2] = 900000;
	bench->refuses[1] = true;
	struct answer a = race(bench, 3, FOREVER);
	assert_int_equal(a.rc, 0);
	assert_int_equal(a.ranking.algorithms, 2);
	assert_int_equal(a.ranking.best_ns, 900000);
	bench->refuses[1] = false;
	bench->refuses_later[1] = true;
	bench->checks = 0;
	a = race(bench, 3, FOREVER);
	assert_int_equal(a.fastest, 2);
	assert_int_equal(a.ranking.best_ns, 900000);
	bench->refuses[0] = true;
	assert_int_equal(race(bench, 3, FOREVER).rc, -ENOTSUP);
	bench->broken = true;
	assert_int_equal(race(bench, 3, FOREVER).rc, -EIO);
	bench->broken = bench->refuses[0] = false;
	bench->ns[0] = 0;
	assert_int_equal(race(bench, 3, FOREVER).rc, -EIO);
	free(bench);
}

/* A clock that loses 15 % over the race touches all alike. */
static void drift_is_no_gain(void **state)
{
	(void)state;
	struct bench *bench = bench_create(6, 0.002);
	bench->drift = 0.001;
	struct answer a = race(bench, 8, FOREVER);
	assert_int_equal(a.fastest, 0);
	bench->ns[5] = 960000;
	bench->launches = 0;
	a = race(bench, 8, FOREVER);
	assert_int_equal(a.fastest, 5);
	assert_in_range(a.ranking.gain_ppm, 35000, 45000);
	free(bench);
}

/* However little time there is, it is kept to, but for what was begun; and what was not compared is not called best. */
static void keeps_to_its_time(void **state)
{
	(void)state;
	struct bench *bench = bench_create(8, 0);
	bench->ns[1] = 950000;
	bench->ns[2] = 900000;
	for (uint64_t limit_ms = 0; limit_ms < 100; limit_ms++) {
		bench->now_ns = 0;
		struct answer a = race(bench, 3, limit_ms * MXT_NS_PER_MS);
		assert_true(bench->now_ns <= (limit_ms + 5) * MXT_NS_PER_MS);
		assert_true(a.rc == 0 || (a.rc == -ENOTSUP && a.fastest == SIZE_MAX));
		assert_true(a.rc < 0 || a.fastest == 1 || a.fastest == 2);
		assert_true(limit_ms > 15 || a.rc < 0);
		assert_true(limit_ms < 40 || a.fastest == 2);
	}
	free(bench);
}

static size_t met(const struct bench *bench, size_t first, size_t last)
{
	size_t count = 0;
	for (size_t i = first; i < last; i++)
		count += bench->met[i];
	return count;
}

/* A short time is spent on some sixteen of a thousand: the best-ranked, and a spread over the rest. */
static void a_long_list_in_a_short_time(void **state)
{
	(void)state;
	struct bench *bench = bench_create(9, 0.01);
	bench->load_ns = 1e6;
	bench->ns[4] = 800000;
	struct answer a = race(bench, 1000, 150 * MXT_NS_PER_MS);
	assert_int_equal(a.rc, 0);
	assert_int_equal(a.fastest, 4);
	assert_true(bench->now_ns <= 155 * MXT_NS_PER_MS);
	assert_in_range(a.ranking.algorithms, 10, 24);
	assert_int_equal(met(bench, 0, 1000), a.ranking.algorithms);
	assert_in_range(met(bench, 1, 20), 8, 18);
	assert_in_range(met(bench, 20, 1000), 2, 6);
	free(bench);
}

/* With time enough all of them are met, and one that is ranked last is found. */
static void a_long_list_in_a_long_time(void **state)
{
	(void)state;
	struct bench *bench = bench_create(10, 0.01);
	bench->ns[MAX - 1] = 900000;
	struct answer a = race(bench, MAX, FOREVER);
	assert_int_equal(a.rc, 0);
	assert_int_equal(a.fastest, MAX - 1);
	assert_int_equal(a.ranking.algorithms, MAX);
	assert_in_range(a.ranking.gain_ppm, 90000, 110000);
	free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(finds_what_is_faster),        cmocka_unit_test(luck_is_no_gain),
	    cmocka_unit_test(the_default_may_be_the_best), cmocka_unit_test(what_may_not_win_leaves_with_a_reason),
	    cmocka_unit_test(what_refuses_leaves),         cmocka_unit_test(drift_is_no_gain),
	    cmocka_unit_test(keeps_to_its_time),           cmocka_unit_test(a_long_list_in_a_short_time),
	    cmocka_unit_test(a_long_list_in_a_long_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
