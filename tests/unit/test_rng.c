/* SPDX-License-Identifier: Apache-2.0 */
/* The seeded generator: the published sequence, ranges, and that a shuffle is one. */
#include "rng.h"

#include <math.h>

#include "cmocka_all.h"
#include "compiler.h"

/* The first outputs of SplitMix64 for seed 1234567, as published with the algorithm's reference code. */
static void test_known_sequence(void **state)
{
	(void)state;
	static const uint64_t expected[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
					    UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
					    UINT64_C(16408922859458223821)};
	struct mxt_rng rng = {1234567};
	for (size_t i = 0; i < MXT_ARRAY_LEN(expected); i++)
		assert_true(mxt_rng_u64(&rng) == expected[i]);
}

static void test_unit_and_below_stay_in_range(void **state)
{
	(void)state;
	struct mxt_rng rng = {1};
	double sum = 0;
	unsigned counts[6] = {0};
	for (int i = 0; i < 60000; i++) {
		double unit = mxt_rng_unit(&rng);
		assert_true(unit >= 0 && unit < 1);
		sum += unit;
		uint32_t face = mxt_rng_below(&rng, 6);
		assert_in_range(face, 0, 5);
		counts[face]++;
	}
	assert_true(fabs(sum / 60000 - 0.5) < 0.01);
	for (size_t i = 0; i < 6; i++)
		assert_in_range(counts[i], 9500, 10500);
	assert_int_equal(mxt_rng_below(&rng, 1), 0);
}

static void test_normal_moments(void **state)
{
	(void)state;
	struct mxt_rng rng = {2};
	const int n = 100000;
	double sum = 0, squares = 0;
	for (int i = 0; i < n; i++) {
		double x = mxt_rng_normal(&rng);
		assert_true(isfinite(x));
		sum += x;
		squares += x * x;
	}
	assert_true(fabs(sum / n) < 0.02);
	assert_true(fabs(squares / n - 1) < 0.03);
}

static void test_shuffle_permutes(void **state)
{
	(void)state;
	struct mxt_rng rng = {3};
	uint32_t first[8] = {0};
	for (int round = 0; round < 8000; round++) {
		uint32_t items[8], seen = 0;
		for (uint32_t i = 0; i < 8; i++)
			items[i] = i;
		mxt_rng_shuffle(&rng, items, 8);
		for (uint32_t i = 0; i < 8; i++)
			seen |= UINT32_C(1) << items[i];
		assert_int_equal(seen, 0xff);
		first[items[0]]++;
	}
	for (size_t i = 0; i < 8; i++) /* every item comes first as often as any other */
		assert_in_range(first[i], 850, 1150);
	mxt_rng_shuffle(&rng, NULL, 0);
}

static void test_equal_seeds_equal_orders(void **state)
{
	(void)state;
	struct mxt_rng a = {99}, b = {99};
	uint32_t left[5] = {0, 1, 2, 3, 4}, right[5] = {0, 1, 2, 3, 4};
	mxt_rng_shuffle(&a, left, 5);
	mxt_rng_shuffle(&b, right, 5);
	assert_memory_equal(left, right, sizeof left);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_known_sequence),           cmocka_unit_test(test_unit_and_below_stay_in_range),
	    cmocka_unit_test(test_normal_moments),           cmocka_unit_test(test_shuffle_permutes),
	    cmocka_unit_test(test_equal_seeds_equal_orders),
	};
	return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
