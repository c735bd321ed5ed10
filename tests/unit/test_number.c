/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in and out, without the locale. */
#include "number.h"

#include <errno.h>

#include "cmocka_all.h"
#include "compiler.h"

struct parse_case {
	const char *text;
	int status;
	uint64_t value;
	size_t used; /* characters */
};

static void test_parse_u64(void **state)
{
	(void)state;
	static const struct parse_case cases[] = {
	    {"0", 0, 0, 1},
	    {"42", 0, 42, 2},
	    {"42 kB", 0, 42, 2},
	    {"007", 0, 7, 3},
	    {"0x1f", 0, 31, 4},
	    {"0XFF,", 0, 255, 4},
	    {"0x", 0, 0, 1},
	    {"0xg", 0, 0, 1},
	    {"18446744073709551615", 0, UINT64_MAX, 20},
	    {"0xffffffffffffffff", 0, UINT64_MAX, 18},
	    {"18446744073709551616", -ERANGE, 0, 20},
	    {"99999999999999999999999", -ERANGE, 0, 23},
	    {"0x10000000000000000", -ERANGE, 0, 19},
	    {"", -EINVAL, 0, 0},
	    {"-1", -EINVAL, 0, 0},
	    {"+1", -EINVAL, 0, 0},
	    {" 1", -EINVAL, 0, 0},
	    {"a", -EINVAL, 0, 0},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		const char *end = NULL;
		uint64_t value = 12345;
		assert_int_equal(mxt_parse_u64(cases[i].text, &end, &value), cases[i].status);
		assert_ptr_equal(end, cases[i].text + cases[i].used);
		assert_true(value == (cases[i].status < 0 ? 12345 : cases[i].value));
	}
}

struct range_case {
	const char *text;
	int64_t min, max;
	int status;
	int64_t value;
};

static void test_parse_i64_in(void **state)
{
	(void)state;
	static const struct range_case cases[] = {
	    {"5", 1, 10, 0, 5},
	    {"-5", -10, 10, 0, -5},
	    {"0", 0, 0, 0, 0},
	    {"-0", 0, 0, 0, 0},
	    {"1", 1, 10, 0, 1},
	    {"10", 1, 10, 0, 10},
	    {"9223372036854775807", 0, INT64_MAX, 0, INT64_MAX},
	    {"0", 1, 10, -ERANGE, 0},
	    {"11", 1, 10, -ERANGE, 0},
	    {"9223372036854775808", 0, INT64_MAX, -ERANGE, 0},
	    {"99999999999999999999", 0, INT64_MAX, -ERANGE, 0},
	    {"", 0, 10, -EINVAL, 0},
	    {"-", -1, 10, -EINVAL, 0},
	    {"--1", -1, 10, -EINVAL, 0},
	    {"1.0", 0, 10, -EINVAL, 0},
	    {"1e1", 0, 10, -EINVAL, 0},
	    {"5 ", 0, 10, -EINVAL, 0},
	    {" 5", 0, 10, -EINVAL, 0},
	    {"05", 0, 10, -EINVAL, 0},
	    {"0x5", 0, 10, -EINVAL, 0},
	    {"5k", 0, 10, -EINVAL, 0},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		int64_t value = 777;
		assert_int_equal(mxt_parse_i64_in(cases[i].text, cases[i].min, cases[i].max, &value), cases[i].status);
		assert_true(value == (cases[i].status < 0 ? 777 : cases[i].value));
	}
}

struct format_case {
	int64_t value;
	unsigned scale, digits;
	const char *text;
};

static void test_format_fixed(void **state)
{
	(void)state;
	static const struct format_case cases[] = {
	    {12345678, 6, 2, "12.35"},
	    {12345678, 6, 0, "12"},
	    {12500000, 6, 0, "13"},
	    {-12500000, 6, 0, "-13"},
	    {12499999, 6, 0, "12"},
	    {999999, 6, 2, "1.00"},
	    {-1, 6, 2, "0.00"},
	    {-5000, 6, 2, "-0.01"},
	    {4999, 6, 2, "0.00"},
	    {5000, 6, 2, "0.01"},
	    {0, 6, 3, "0.000"},
	    {1, 0, 0, "1"},
	    {7, 0, 2, "7.00"},
	    {75, 1, 3, "7.500"},
	    {75, 2, 2, "0.75"},
	    {INT64_MAX, 9, 3, "9223372036.855"},
	    {INT64_MIN, 9, 3, "-9223372036.855"},
	    {INT64_MIN, 0, 9, "-9223372036854775808.000000000"},
	    {INT64_MAX, 18, 9, "9.223372037"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		char buf[32];
		assert_string_equal(mxt_format_fixed(buf, cases[i].value, cases[i].scale, cases[i].digits),
				    cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_parse_u64),
	    cmocka_unit_test(test_parse_i64_in),
	    cmocka_unit_test(test_format_fixed),
	};
	return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
