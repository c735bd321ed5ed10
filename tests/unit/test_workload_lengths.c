/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "buf.h"
#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "lengths.h"
#include "workload_lengths.h"

static struct mxt_workload job(void)
{
	return (struct mxt_workload){.training = {.seq_len = 4096, .micro_batch = 2, .gpus = 1, .nodes = 1},
				     .schedule = {.epochs = 1}};
}

static void stated_on_the_command_line(void **state)
{
	static const struct {
		const char *text;
		int32_t p50, p90;
		int64_t documents;
	} cases[] = {{NULL, 300, 1200, 0}, {"100", 100, 400, 0}, {"100:150", 100, 150, 0}, {"100:150:7", 100, 150, 7}};
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		struct mxt_workload w = job();
		assert_int_equal(mxt_workload_state_lengths(&w, cases[i].text, NULL), 0);
		assert_string_equal(w.lengths.source, cases[i].text ? "flags" : "assumed");
		assert_in_range(mxt_lengths_percentile(&w.lengths, 50), cases[i].p50 * 96 / 100, cases[i].p50 + 2);
		assert_in_range(mxt_lengths_percentile(&w.lengths, 90), cases[i].p90 * 92 / 100,
				cases[i].p90 * 103 / 100);
		assert_int_equal(w.lengths.documents, cases[i].documents);
	}
}

static void refuses_other_texts(void **state)
{
	static const char *const texts[] = {"",      "x",      "0",    "-5",      "100:",   ":100",
					    "100:0", "100:99", "1:2:", "1:2:3:4", "1:2:3x", "99999999999999999999"};
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(texts); i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		struct mxt_workload w = job();
		if (mxt_workload_state_lengths(&w, texts[i], &err) != -EINVAL || err.id != MXT_E_USAGE)
			fail_msg("'%s'", texts[i]);
	}
}

/* 600 documents of 10 tokens, 300 of 5000, 100 of 20. */
static struct mxt_lengths dataset(void)
{
	struct mxt_lengths l = {
	    .source = "dataset", .documents = 1000, .tokens = 1508000, .longest = 5000, .values = 3};
	for (l.n_samples = 0; l.n_samples < MXT_LENGTH_SAMPLES; l.n_samples++) {
		double at = (l.n_samples + 0.5) / MXT_LENGTH_SAMPLES;
		l.samples[l.n_samples] = at < 0.6 ? 10 : at < 0.7 ? 20 : 5000;
	}
	return l;
}

static void read_from_a_dataset(void **state)
{
	struct mxt_workload w = job();
	struct mxt_lengths read = dataset();
	(void)state;
	assert_int_equal(mxt_workload_state_lengths(&w, NULL, NULL), 0);
	assert_int_equal(mxt_workload_use_lengths(&w, &read, NULL), 0);
	assert_in_range(w.lengths.documents, 698, 702);
	assert_int_equal(mxt_lengths_longest(&w.lengths), 4096);
	assert_in_range(w.lengths.passes, 349, 351);
	assert_int_equal(w.n_notes, 1);
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_workload_lengths_text(&w, &text);
	assert_non_null(strstr(mxt_buf_text(&text), "documents, median 10, nine in ten up to 20 tokens (dataset); 35"));
	mxt_workload_finish(&w);
}

static void nothing_fits(void **state)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_workload w = job();
	struct mxt_lengths read = dataset();
	(void)state;
	w.training.seq_len = 8;
	assert_int_equal(mxt_workload_state_lengths(&w, NULL, NULL), 0);
	assert_int_equal(mxt_workload_use_lengths(&w, &read, &err), -EINVAL);
	assert_int_equal(err.id, MXT_E_LENGTHS);
	assert_string_equal(w.lengths.source, "assumed");
}

static void flags_stay(void **state)
{
	struct mxt_workload w = job();
	struct mxt_lengths read = dataset();
	(void)state;
	w.lengths.passes = 9;
	w.lengths.passes_source = "flags";
	w.lengths.distinct = 4;
	assert_int_equal(mxt_workload_use_lengths(&w, &read, NULL), 0);
	MXT_CLEANUP_JSON json_t *json = mxt_workload_lengths_json(&w);
	assert_int_equal(json_integer_value(json_object_get(json, "passes")), 9);
	assert_int_equal(json_integer_value(json_object_get(json, "distinct")), 4);
	assert_int_equal(json_integer_value(json_object_get(json, "p50")), 10);
	assert_int_equal(mxt_json_check(json, NULL), 0);
	mxt_workload_finish(&w);
}

static void told_in_words(void **state)
{
	struct mxt_workload w = job();
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	(void)state;
	w.lengths = (struct mxt_lengths){
	    .source = "dataset", .n_samples = 1, .samples = {141}, .documents = 1234567, .longest = 141};
	w.lengths.passes = 1000;
	mxt_workload_lengths_text(&w, &text);
	assert_string_equal(mxt_buf_text(&text),
			    "lengths: 1,234,567 documents, median 141, nine in ten up to 141 tokens "
			    "(dataset); 1,000 passes, about 1 shape");
	w.training.packing = true;
	mxt_buf_truncate(&text, 0);
	mxt_workload_lengths_text(&w, &text);
	assert_string_equal(mxt_buf_text(&text),
			    "lengths: 1,234,567 documents, median 141, nine in ten up to 141 tokens "
			    "(dataset); 1,000 passes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(stated_on_the_command_line),
	    cmocka_unit_test(refuses_other_texts),
	    cmocka_unit_test(read_from_a_dataset),
	    cmocka_unit_test(nothing_fits),
	    cmocka_unit_test(flags_stay),
	    cmocka_unit_test(told_in_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
