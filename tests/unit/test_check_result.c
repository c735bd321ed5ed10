/* SPDX-License-Identifier: Apache-2.0 */
/* Facts and findings of a check, and their two renderings. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "check_result.h"
#include "cmocka_all.h"
#include "doctor.h"
#include "doctor_json.h"
#include "doctor_text.h"

static int set_up(void **state)
{
	static struct mxt_check_result result;
	mxt_check_result_init(&result, "id", "Title");
	*state = &result;
	return 0;
}

static int tear_down(void **state)
{
	mxt_check_result_finish(*state);
	return 0;
}

static bool lists(const struct mxt_check_result *result, const char *key)
{
	for (size_t i = 0; i < json_array_size(result->not_reported); i++)
		if (strcmp(json_string_value(json_array_get(result->not_reported, i)), key) == 0)
			return true;
	return false;
}

static void test_facts(void **state)
{
	struct mxt_check_result *result = *state;
	mxt_fact_number(result, "zero", mxt_reading_of(0));
	mxt_fact_number(result, "none", (struct mxt_reading){0, false});
	mxt_fact_number(result, "huge", mxt_reading_of(UINT64_C(1) << 53));
	mxt_fact_flag(result, "off", mxt_reading_of(0));
	mxt_fact_flag(result, "unknown", (struct mxt_reading){1, false});
	mxt_fact_text(result, "text", "a");
	mxt_fact_text(result, "empty", "");
	mxt_fact_text(result, "null", NULL);
	assert_int_equal(json_object_size(result->facts), 3);
	assert_int_equal(json_integer_value(json_object_get(result->facts, "zero")), 0);
	assert_true(json_is_false(json_object_get(result->facts, "off")));
	assert_string_equal(json_string_value(json_object_get(result->facts, "text")), "a");
	assert_int_equal(json_array_size(result->not_reported), 5);
	assert_true(lists(result, "none") && lists(result, "huge") && lists(result, "unknown"));
	assert_true(lists(result, "empty") && lists(result, "null"));
	assert_int_equal(mxt_check_result_status(result, NULL), 0);
}

static void test_findings(void **state)
{
	struct mxt_check_result *result = *state;
	assert_int_equal(mxt_check_result_worst(result), MXT_CHECK_OK);
	mxt_wrong(result, "there is no finding yet");
	mxt_find(result, MXT_CHECK_WARN, "%d of %s", 3, "them");
	mxt_wrong(result, "wrong");
	mxt_todo(result, "todo");
	mxt_find(result, MXT_CHECK_NOTE, "two");
	mxt_todo(result, "first");
	mxt_todo(result, "second");
	assert_int_equal(result->n_findings, 2);
	assert_string_equal(result->findings[0].what, "3 of them");
	assert_string_equal(result->findings[0].wrong, "wrong");
	assert_string_equal(result->findings[0].todo, "todo");
	assert_null(result->findings[1].wrong);
	assert_string_equal(result->findings[1].todo, "second");
	assert_int_equal(mxt_check_result_worst(result), MXT_CHECK_WARN);
}

static void test_texts_are_made_printable(void **state)
{
	struct mxt_check_result *result = *state;
	char text[] = "a\033[31mb\nc\xff...d \xc3\xa9";
	static const unsigned char mark[] = {0xe2, 0x80, 0xae}; /* turns the reading direction around */
	memcpy(strstr(text, "..."), mark, sizeof mark);
	mxt_find(result, MXT_CHECK_OK, "%s", text);
	assert_string_equal(result->findings[0].what, "a?[31mb c??d \xc3\xa9");
	mxt_fact_text(result, "text", "x\a\ny");
	assert_string_equal(json_string_value(json_object_get(result->facts, "text")), "x? y");
}

static void test_long_texts_are_cut(void **state)
{
	struct mxt_check_result *result = *state;
	char text[5000];
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	mxt_find(result, MXT_CHECK_OK, "%s", text);
	assert_int_equal(strlen(result->findings[0].what), 2048 + 3);
	assert_string_equal(result->findings[0].what + 2048, "...");
	text[2048] = '\0';
	mxt_find(result, MXT_CHECK_OK, "%s", text);
	assert_string_equal(result->findings[1].what, text);
}

static void expect_wrapped(const char *text, size_t indent, size_t width, const char *expected)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	mxt_wrap_text(text, indent, width, &buf);
	assert_string_equal(mxt_buf_text(&buf), expected);
}

static void test_wrap(void **state)
{
	(void)state;
	expect_wrapped("", 4, 20, "\n");
	expect_wrapped("  one  two ", 0, 20, "one two\n");
	expect_wrapped("12345 789", 0, 9, "12345 789\n");
	expect_wrapped("12345 7890", 0, 9, "12345\n7890\n");
	expect_wrapped("aa bb cc", 3, 8, "aa bb\n   cc\n");
	expect_wrapped("a /a/very/long/path b", 2, 8, "a\n  /a/very/long/path\n  b\n");
	expect_wrapped("\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9", 0, 6,
		       "\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9\n");
}

static void test_renderings(void **state)
{
	struct mxt_check_result *result = *state;
	mxt_fact_number(result, "n", mxt_reading_of(7));
	mxt_fact_text(result, "missing", NULL);
	mxt_find(result, MXT_CHECK_OK, "fine");
	mxt_find(result, MXT_CHECK_FAIL, "broken");
	mxt_wrong(result, "because");
	mxt_todo(result, "mend it");
	const struct mxt_doctor_report report = {result, 1};
	MXT_CLEANUP_BUF struct mxt_buf json = MXT_BUF_INIT;
	assert_int_equal(mxt_doctor_json(&report, false, &json, NULL), 0);
	assert_string_equal(mxt_buf_text(&json),
			    "{\"checks\":[{\"facts\":{\"n\":7},\"findings\":[{\"status\":\"ok\",\"what\":\"fine\"},"
			    "{\"status\":\"fail\",\"todo\":\"mend it\",\"what\":\"broken\",\"wrong\":\"because\"}],"
			    "\"id\":\"id\",\"not_reported\":[\"missing\"],\"status\":\"fail\"}],"
			    "\"event\":\"doctor\",\"recorded\":false,\"status\":\"fail\",\"v\":1}");
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	const struct mxt_doctor_style style = {1, true}; /* narrower than is possible */
	mxt_doctor_text(&report, &style, &text);
	assert_string_equal(mxt_buf_text(&text), "Title      \033[32mok\033[0m    fine\n"
						 "           \033[1;31mfail\033[0m  broken\n"
						 "                 because\n"
						 "                 -> mend it\n"
						 "\n"
						 "1 failed, 0 warnings, 0 notes. Nothing\n"
						 "can be measured here yet.\n");
}

#define WITH_RESULT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    WITH_RESULT(test_facts),
	    WITH_RESULT(test_findings),
	    WITH_RESULT(test_texts_are_made_printable),
	    WITH_RESULT(test_long_texts_are_cut),
	    cmocka_unit_test(test_wrap),
	    WITH_RESULT(test_renderings),
	};
	return cmocka_run_group_tests_name("check_result", tests, NULL, NULL);
}
