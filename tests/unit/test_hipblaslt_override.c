/* SPDX-License-Identifier: Apache-2.0 */
/* Pins as hipBLASLt reads them: both generations of its reader. */
#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "hipblaslt_override.h"
#include "json.h"
#include "pin.h"

/* A decision with two pins, for a library of that version. */
static json_t *make_decision(const char *built)
{
	json_t *decision = json_pack(
	    "{s:{s:s, s:{s:s, s:s}, s:[{s:{s:s, s:i, s:i, s:i, s:s, s:b, s:b}, s:i}, {s:{s:s, s:i, s:i, s:i, s:s, s:i, "
	    "s:b}, s:i}]}}",
	    "gemm", "library", "hipblaslt", "built", "arch", "gfx942:sramecc+:xnack-", "hipblaslt", built, "pins",
	    "problem", "op", "gemm", "m", 100, "n", 200, "k", 20, "dtype", "bfloat16", "trans_b", 1, "bias", 1,
	    "solution", 4711, "problem", "op", "gemm", "m", 4, "n", 5, "k", 6, "dtype", "float16", "batch", 3,
	    "accumulate", 1, "solution", 12);
	assert_non_null(decision);
	return decision;
}

static void write_file(const char *built, struct mxt_buf *buf)
{
	MXT_CLEANUP_JSON json_t *decision = make_decision(built);
	assert_int_equal(mxt_hipblaslt_override(decision, buf, NULL), 0);
}

static void knows_versions(void **state)
{
	(void)state;
	const char *revision = NULL;
	assert_int_equal(mxt_hipblaslt_version("100202-dabb6df2b9", &revision), 100202);
	assert_string_equal(revision, "dabb6df2b9");
	assert_int_equal(mxt_hipblaslt_version("1200-a-b", &revision), 1200);
	assert_string_equal(revision, "a-b");
	static const char *const bad[] = {"", "-x", "1200", "0.12.0-abc", "99999999999-x", "x"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(bad); i++)
		assert_int_equal(mxt_hipblaslt_version(bad[i], NULL), 0);
}

#define NAMES "transA,transB,batch_count,m,n,k,a_type,b_type,c_type,compute_type,solution_index\n"

static void newer_libraries_get_named_columns(void **state)
{
	(void)state;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	write_file("100000-abc", &buf);
	assert_string_equal(mxt_buf_text(&buf),
			    "Git Version: abc\n" NAMES "T,N,1,200,100,20,bf16_r,bf16_r,bf16_r,f32_r,4711\n" NAMES
			    "N,N,3,5,4,6,f16_r,f16_r,f16_r,f32_r,12\n");
}

/* Field number `wanted` of a line, up to the comma or the end of the line. */
static void expect_field(const char *line, int wanted, const char *text)
{
	for (int i = 0; i < wanted; i++) {
		line = strchr(line, ',');
		assert_non_null(line);
		line++;
	}
	assert_int_equal(strcspn(line, ",\n"), strlen(text));
	assert_memory_equal(line, text, strlen(text));
}

static void older_libraries_get_37_fields(void **state)
{
	(void)state;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	write_file("1200-abc", &buf);
	static const struct {
		int field;
		const char *first, *second;
	} cases[] = {{0, "T", "N"},       {1, "N", "N"},           {3, "1", "3"},           {4, "200", "5"},
		     {5, "100", "4"},     {6, "20", "6"},          {8, "20", "5"},          {9, "4000", "30"},
		     {10, "0", "1"},      {11, "20", "6"},         {12, "2000", "24"},      {13, "200", "5"},
		     {14, "20000", "20"}, {17, "bf16_r", "f16_r"}, {19, "bf16_r", "f16_r"}, {21, "f32_r", "f32_r"},
		     {28, "1", "0"},      {34, "4711", "12"}};
	const char *line = mxt_buf_text(&buf);
	assert_memory_equal(line, "Git Version: abc\n", strlen("Git Version: abc\n"));
	const char *first = strchr(line, '\n') + 1, *second = strchr(first, '\n') + 1;
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		expect_field(first, cases[i].field, cases[i].first);
		expect_field(second, cases[i].field, cases[i].second);
	}
	int commas = 0;
	for (const char *c = first; c < second; c++)
		commas += *c == ',';
	assert_int_equal(commas, 36);
	assert_string_equal(strchr(second, '\n'), "\n");
}

static void says_when_it_cannot_be_written(void **state)
{
	(void)state;
	static const char *const builds[] = {"1000-abc", "1200-", "nothing"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(builds); i++) {
		MXT_CLEANUP_JSON json_t *decision = make_decision(builds[i]);
		MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		assert_true(mxt_hipblaslt_override(decision, &buf, &err) < 0);
		assert_int_equal(err.id, MXT_E_PLAN_HANDOFF);
	}
	const struct mxt_pin zero = {.product = {.m = 1, .n = 1, .k = 1}, .solution = 0};
	const struct mxt_pin one = {.product = {.m = 1, .n = 1, .k = 1}, .solution = 1};
	assert_false(mxt_hipblaslt_override_can_pin("hipblaslt", &zero));
	assert_true(mxt_hipblaslt_override_can_pin("hipblaslt", &one));
	assert_false(mxt_hipblaslt_override_can_pin("rocblas", &one));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(knows_versions),
	    cmocka_unit_test(newer_libraries_get_named_columns),
	    cmocka_unit_test(older_libraries_get_37_fields),
	    cmocka_unit_test(says_when_it_cannot_be_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
