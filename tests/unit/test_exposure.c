/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"

#include <math.h>

#include "exposure.h"
#include "workload.h"

/* Lengths spread evenly over the sequence. */
static struct mxt_workload job(int32_t seq_len, int32_t micro_batch)
{
	struct mxt_workload w = {.training = {.seq_len = seq_len, .micro_batch = micro_batch, .gpus = 1, .nodes = 1},
				 .lengths = {.source = "assumed", .n_samples = MXT_LENGTH_SAMPLES, .longest = seq_len}};
	for (uint32_t i = 0; i < MXT_LENGTH_SAMPLES; i++)
		w.lengths.samples[i] = (int32_t)((i + 0.5) * seq_len / MXT_LENGTH_SAMPLES + 0.5);
	return w;
}

static void near(double value, double expected, double tolerance)
{
	if (fabs(value - expected) > tolerance)
		fail_msg("%g is not within %g of %g", value, tolerance, expected);
}

static void test_distinct_lengths(void **state)
{
	(void)state;
	struct mxt_workload w = job(1000, 1);
	near(mxt_exposure_distinct(&w, 1, 1), 1, 2e-3);
	near(mxt_exposure_distinct(&w, 1000, 1), 1000 * (1 - exp(-1)), 4); /* as in throwing balls into boxes */
	near(mxt_exposure_distinct(&w, 1000000000, 1), 1000, 1e-6);
	near(mxt_exposure_distinct(&w, 1000000000, 100), 10, 1e-6);
	w = job(1 << 20, 1); /* more lengths than are looked at one by one */
	near(mxt_exposure_distinct(&w, 1 << 20, 1), (1 << 20) * (1 - exp(-1)), 3000);
	near(mxt_exposure_distinct(&w, 5, 1 << 20), 1, 1e-2);
}

static void test_distinct_lengths_of_a_sample(void **state)
{
	(void)state;
	struct mxt_workload w = job(1000, 1);
	w.lengths.n_samples = 3; /* all documents are of one length */
	w.lengths.samples[0] = w.lengths.samples[1] = w.lengths.samples[2] = w.lengths.longest = 77;
	near(mxt_exposure_distinct(&w, 1000, 1), 1, 1e-3);
	w.lengths.samples[2] = w.lengths.longest = 1000; /* half of them are; the others spread */
	near(mxt_exposure_distinct(&w, 1000000000, 1), 1000 - 77 + 1, 2);
}

static void test_a_micro_batch_is_as_long_as_its_longest(void **state)
{
	(void)state;
	struct mxt_workload w = job(1000, 1);
	double one, four, square;
	mxt_exposure_tokens(&w, 1, &one, &square);
	near(one, 500, 1);
	near(square, 1e6 / 3, 1000);
	w.training.micro_batch = 4;
	mxt_exposure_tokens(&w, 1, &four, &square);
	near(four, 800, 1);
	mxt_exposure_tokens(&w, 1000, &four, &square);
	near(four, 1000, 1e-6);
}

static void test_passes(void **state)
{
	(void)state;
	struct mxt_exposure exposure;
	struct mxt_workload w = job(4096, 2);
	assert_int_equal(mxt_exposure_resolve(&w, -1, -1, NULL), 0);
	mxt_exposure_init(&exposure, &w);
	assert_true(exposure.varies);
	assert_int_equal(exposure.passes, 0);
	assert_null(exposure.passes_source);

	w.schedule.epochs = 1.5;
	w.lengths.documents = 1000;
	w.training.gpus = 2;
	assert_int_equal(mxt_exposure_resolve(&w, -1, -1, NULL), 0);
	mxt_exposure_init(&exposure, &w);
	assert_int_equal(exposure.passes, 375);
	assert_string_equal(exposure.passes_source, "assumed");

	w.schedule.max_steps = 10;
	w.schedule.accumulation = 4;
	assert_int_equal(mxt_exposure_resolve(&w, -1, -1, NULL), 0);
	mxt_exposure_init(&exposure, &w);
	assert_int_equal(exposure.passes, 40);
	assert_string_equal(exposure.passes_source, "config");
	assert_string_equal(exposure.distinct_source, "assumed");
	near(exposure.distinct, 40, 1);

	assert_int_equal(mxt_exposure_resolve(&w, 100, 7, NULL), 0);
	mxt_exposure_init(&exposure, &w);
	assert_int_equal(exposure.passes, 100);
	assert_string_equal(exposure.passes_source, "flags");
	assert_string_equal(exposure.distinct_source, "flags");
	near(exposure.distinct, 7, 0);

	w.training.packing = true;
	mxt_exposure_init(&exposure, &w);
	assert_false(exposure.varies);
	assert_int_equal(exposure.passes, 0);
}

static void test_break_even(void **state)
{
	(void)state;
	struct mxt_workload w = job(4096, 1);
	w.lengths.distinct = 40;
	assert_int_equal(mxt_exposure_break_even(&w, 131e6, 7.1e6), 739); /* 40 x 131 / 7.1 = 738.03 */
	assert_int_equal(mxt_exposure_break_even(&w, 131e6, 0), 0);
	assert_int_equal(mxt_exposure_break_even(&w, 0, 7.1e6), 1);
	assert_int_equal(mxt_exposure_break_even(&w, 1, 2), 1);
	w.lengths.distinct = 0; /* then the lengths grow with the passes, up to 4096 of them */
	near((double)mxt_exposure_break_even(&w, 131e6, 7.1e6), 4096 * 131 / 7.1, 80);
	w.schedule.multiple = 64;
	near((double)mxt_exposure_break_even(&w, 131e6, 7.1e6), 64 * 131 / 7.1, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_distinct_lengths),
	    cmocka_unit_test(test_distinct_lengths_of_a_sample),
	    cmocka_unit_test(test_a_micro_batch_is_as_long_as_its_longest),
	    cmocka_unit_test(test_passes),
	    cmocka_unit_test(test_break_even),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
