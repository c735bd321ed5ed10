/* SPDX-License-Identifier: Apache-2.0 */
/* Many ways to write a number, and what is none. */
#include "number_text.h"

#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "compiler.h"

static void test_whole_numbers(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t value;
	} cases[] = {
	    {"0", 0},
	    {"-0.0", 0},
	    {"0e9999", 0},
	    {"12", 12},
	    {"+12.", 12},
	    {"1_000", 1000},
	    {"1e3", 1000},
	    {"1.5E+1", 15},
	    {"-2500e-2", -25},
	    {"0000000000000000000000000000000000000000000001", 1},
	    {"9007199254740991", INT64_C(9007199254740991)},
	    {"-1e15", INT64_C(-1000000000000000)},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		struct mxt_number_text number;
		assert_true(mxt_number_text_read(cases[i].text, &number));
		assert_true(number.whole);
		assert_int_equal(number.value, cases[i].value);
	}
}

static void test_other_numbers(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
	    {"1e-4", "1e-4"},
	    {"0.0001", "1e-4"},
	    {"1.0e-04", "1e-4"},
	    {".5", "5e-1"},
	    {"-0.250", "-25e-2"},
	    {"9007199254740992", "9007199254740992e0"},
	    {"1e400", "1e400"},
	    {"1_0.2_5", "1025e-2"},
	    {"123456789012345678901234567890", "12345678901234567890123456789e1"},
	    {"1e16", "1e16"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		struct mxt_number_text number;
		assert_true(mxt_number_text_read(cases[i][0], &number));
		assert_false(number.whole);
		assert_string_equal(number.text, cases[i][1]);
	}
}

static void test_no_numbers(void **state)
{
	(void)state;
	static const char *const cases[] = {
	    "",    ".",    "-",    "e5",    "1e",  "1e+",  "1e12345",
	    "_1",  "1__0", "1_",   "1.5.2", "0x1", "1 ",   " 1",
	    "inf", "nan",  "1:30", "1e5x",  "--1", "1._5", "12345678901234567890123456789012345678901",
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		struct mxt_number_text number;
		if (mxt_number_text_read(cases[i], &number))
			fail_msg("\"%s\" was taken for a number", cases[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_whole_numbers),
	    cmocka_unit_test(test_other_numbers),
	    cmocka_unit_test(test_no_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
