/* SPDX-License-Identifier: Apache-2.0 */
/* Row loops against libm and plain sums, for every length around a vector's. */
#include <math.h>
#include <stdlib.h>

#include "cmocka_all.h"
#include "rng.h"
#include "vector_math.h"
#include "wide_math.h"

#define MAX_LENGTH 70

static void draw(struct mxt_rng *rng, float *row, size_t count, double scale)
{
	for (size_t i = 0; i < count; i++)
		row[i] = (float)((mxt_rng_unit(rng) - 0.5) * scale);
}

static void assert_near(double value, double expected, double relative)
{
	if (!(fabs(value - expected) <= relative * fabs(expected)))
		fail_msg("%.9g is not near %.9g", value, expected);
}

static void test_exp(void **state)
{
	(void)state;
	struct mxt_rng rng = {1};
	for (size_t length = 1; length < MAX_LENGTH; length++) {
		float row[MAX_LENGTH], before[MAX_LENGTH];
		draw(&rng, row, length, 160); /* -80 to 80 */
		for (size_t i = 0; i < length; i++)
			before[i] = row[i];
		double sum = 0;
		float got = mxt_row_exp(row, length, 0.5F, 1.0F);
		for (size_t i = 0; i < length; i++) {
			assert_near((double)row[i], exp((double)(0.5F * before[i] - 1.0F)), 3e-7);
			sum += (double)row[i];
		}
		assert_near((double)got, sum, 1e-5);
	}
}

static void test_exp_edges(void **state)
{
	(void)state;
	float row[] = {0, -87, -87.5F, -1000, -INFINITY, NAN, 88};
	(void)mxt_row_exp(row, sizeof row / sizeof row[0], 1, 0);
	assert_true(row[0] == 1);
	assert_near((double)row[1], exp(-87), 3e-7);
	assert_true(row[2] == 0 && row[3] == 0 && row[4] == 0);
	assert_true(isnan(row[5]));
	assert_near((double)row[6], exp(88), 3e-7);
}

static void test_sums(void **state)
{
	(void)state;
	struct mxt_rng rng = {2};
	for (size_t length = 1; length < MAX_LENGTH; length++) {
		float a[MAX_LENGTH], b[MAX_LENGTH];
		double wide[MAX_LENGTH], dot = 0;
		draw(&rng, a, length, 2);
		draw(&rng, b, length, 2);
		float max = a[0];
		for (size_t i = 0; i < length; i++) {
			dot += (double)a[i] * (double)b[i];
			max = fmaxf(max, a[i]);
			wide[i] = (double)a[i];
		}
		assert_true(mxt_row_max(a, length) == max);
		assert_true(fabs((double)mxt_row_dot(a, b, length) - dot) < 1e-5);
		assert_true(fabs(mxt_wide_dot(wide, b, length) - dot) < 1e-14);
	}
}

static void test_elementwise(void **state)
{
	(void)state;
	float row[19], weight[19], sum[19], streamed[19];
	double wide[19] = {0}, more[19];
	for (size_t i = 0; i < 19; i++) {
		row[i] = (float)i;
		weight[i] = 2;
		sum[i] = 1;
		more[i] = 3;
	}
	mxt_row_add(sum, row, 19);
	mxt_row_stream(streamed, row, 19);
	mxt_wide_add(wide, 2, row, 19);
	mxt_wide_sum(wide, more, 19);
	mxt_row_softmax_grad(row, weight, 19, 3, 0.5F);
	mxt_row_scale(sum, 19, 2);
	for (size_t i = 0; i < 19; i++) {
		assert_true(sum[i] == 2 * (float)(i + 1));
		assert_true(streamed[i] == 0.5F * (float)i + 1);
		assert_true(row[i] == (float)i - 3);
		assert_true(wide[i] == 2 * (double)i + 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_exp),
	    cmocka_unit_test(test_exp_edges),
	    cmocka_unit_test(test_sums),
	    cmocka_unit_test(test_elementwise),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
