/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"
#include "lengths.h"

/* Documents of 1 to n tokens, all of them known. */
static struct mxt_lengths ramp(uint32_t n)
{
	struct mxt_lengths lengths = {.source = "dataset", .n_samples = n, .documents = n, .longest = (int32_t)n};
	for (uint32_t i = 0; i < n; i++)
		lengths.samples[i] = (int32_t)i + 1;
	lengths.tokens = (int64_t)n * (n + 1) / 2;
	lengths.values = n;
	return lengths;
}

static void assumed_is_log_normal(void **state)
{
	struct mxt_lengths lengths = {.passes = 7};
	(void)state;
	mxt_lengths_assume(&lengths, &(struct mxt_lengths_shape){200, 800, 1000}, 1 << 20, "flags");
	assert_string_equal(lengths.source, "flags");
	assert_int_equal(lengths.documents, 1000);
	assert_int_equal(lengths.passes, 7);
	assert_in_range(mxt_lengths_percentile(&lengths, 50), 199, 202);
	assert_in_range(mxt_lengths_percentile(&lengths, 90), 790, 815);
	/* exp(mu + sigma^2 / 2) of this distribution is 358.9; a sample of quantiles loses a little of the tail */
	assert_true(mxt_lengths_mean(&lengths) > 345 && mxt_lengths_mean(&lengths) < 360);
	for (uint32_t i = 1; i < lengths.n_samples; i++)
		assert_true(lengths.samples[i - 1] <= lengths.samples[i]);
}

/* What is above the limit is left out, not piled up at it: 90 % of the documents stay, and theirs is another median. */
static void assumed_is_cut(void **state)
{
	struct mxt_lengths lengths = {.passes = 0};
	(void)state;
	mxt_lengths_assume(&lengths, &(struct mxt_lengths_shape){200, 800, 1000}, 800, "assumed");
	assert_in_range(lengths.documents, 898, 902);
	assert_true(lengths.samples[lengths.n_samples - 1] <= 800);
	assert_true(lengths.samples[lengths.n_samples - 2] < 800);
	assert_true(mxt_lengths_percentile(&lengths, 50) < 180);
}

static void assumed_of_one_length(void **state)
{
	struct mxt_lengths lengths = {.passes = 0};
	(void)state;
	mxt_lengths_assume(&lengths, &(struct mxt_lengths_shape){300, 300, 10}, 4096, "flags");
	assert_int_equal(lengths.samples[0], 300);
	assert_int_equal(lengths.samples[MXT_LENGTH_SAMPLES - 1], 300);
	assert_int_equal(lengths.tokens, 3000);
	mxt_lengths_assume(&lengths, &(struct mxt_lengths_shape){300, 300, 10}, 100, "flags");
	assert_int_equal(lengths.documents, 0);
	assert_int_equal(lengths.samples[0], 100);
}

static void share_of_all_documents_is_exact(void **state)
{
	struct mxt_lengths lengths = ramp(100);
	(void)state;
	assert_true(mxt_lengths_exact(&lengths));
	assert_true(mxt_lengths_share(&lengths, 0) == 0);
	assert_true(mxt_lengths_share(&lengths, 25) == 0.25);
	assert_true(mxt_lengths_share(&lengths, 25.9) == 0.25);
	assert_true(mxt_lengths_share(&lengths, 1000) == 1);
}

static void share_of_a_sample_is_interpolated(void **state)
{
	struct mxt_lengths lengths = {
	    .n_samples = 4, .samples = {100, 200, 200, 300}, .documents = 4000, .longest = 500};
	(void)state;
	assert_false(mxt_lengths_exact(&lengths));
	assert_true(mxt_lengths_share(&lengths, 98) == 0);
	assert_true(mxt_lengths_share(&lengths, 100) == 0.125);
	assert_true(mxt_lengths_share(&lengths, 150) == 0.25);
	assert_true(mxt_lengths_share(&lengths, 200) == 0.625); /* a step */
	assert_true(mxt_lengths_share(&lengths, 400) == 0.9375);
	assert_true(mxt_lengths_share(&lengths, 500) == 1);
}

static void longer_ones_are_dropped(void **state)
{
	struct mxt_lengths lengths = ramp(100);
	(void)state;
	assert_int_equal(mxt_lengths_drop_longer(&lengths, 100), 0);
	assert_int_equal(lengths.documents, 100);
	assert_int_equal(mxt_lengths_drop_longer(&lengths, 40), 60);
	assert_int_equal(lengths.documents, 40);
	assert_int_equal(lengths.n_samples, 40);
	assert_int_equal(lengths.tokens, 820);
	assert_int_equal(lengths.values, 40);
	assert_int_equal(mxt_lengths_longest(&lengths), 40);
	struct mxt_lengths all = {.n_samples = 2, .samples = {50, 60}, .documents = 2, .longest = 60};
	assert_int_equal(mxt_lengths_drop_longer(&all, 40), 2);
	assert_int_equal(all.documents, 2);
}

static void nothing_known(void **state)
{
	struct mxt_lengths lengths = {.source = NULL};
	(void)state;
	assert_true(mxt_lengths_mean(&lengths) == 0);
	assert_int_equal(mxt_lengths_percentile(&lengths, 90), 0);
	assert_int_equal(mxt_lengths_longest(&lengths), 0);
	assert_true(mxt_lengths_share(&lengths, 5) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(assumed_is_log_normal),
	    cmocka_unit_test(assumed_is_cut),
	    cmocka_unit_test(assumed_of_one_length),
	    cmocka_unit_test(share_of_all_documents_is_exact),
	    cmocka_unit_test(share_of_a_sample_is_interpolated),
	    cmocka_unit_test(longer_ones_are_dropped),
	    cmocka_unit_test(nothing_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
