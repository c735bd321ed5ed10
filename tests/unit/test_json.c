/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "json_path.h"

static int parse(const char *text, enum mxt_json_dialect dialect, json_t **ret_value, struct mxt_error *err)
{
	return mxt_json_parse("x.json", text, strlen(text), dialect, ret_value, err);
}

static void expect_canonical(const char *text, const char *canonical)
{
	MXT_CLEANUP_JSON json_t *value = NULL;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	assert_int_equal(parse(text, MXT_JSON_CANONICAL, &value, NULL), 0);
	assert_int_equal(mxt_json_canonical(value, &buf, NULL), 0);
	assert_string_equal(mxt_buf_text(&buf), canonical);
}

static void writes_the_canonical_form(void **state)
{
	(void)state;
	expect_canonical("{}", "{}");
	expect_canonical(" [ ] \n", "[]");
	expect_canonical("{\"b\": 1, \"a\": [true, false, -7], \"\": {\"B\":0, \"_\":0, \"Aa\":0, \"A\":0}}",
			 "{\"\":{\"A\":0,\"Aa\":0,\"B\":0,\"_\":0},\"a\":[true,false,-7],\"b\":1}");
	expect_canonical("[9007199254740991, -9007199254740991]", "[9007199254740991,-9007199254740991]");
	expect_canonical("[\"\\u0041\\/\\\"\\\\\", \"\\u20ac\\ud83d\\ude00 \xc3\xa9\"]",
			 "[\"A/\\\"\\\\\",\"\xe2\x82\xac\xf0\x9f\x98\x80 \xc3\xa9\"]");
}

/* The bytes with the member left out, and `|` where it would stand. */
static void expect_without(const char *text, const char *key, const char *expected)
{
	MXT_CLEANUP_JSON json_t *value = NULL;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf marked = MXT_BUF_INIT;
	size_t at = 0;
	assert_int_equal(mxt_json_parse("t", text, strlen(text), MXT_JSON_CANONICAL, &value, NULL), 0);
	assert_int_equal(mxt_json_canonical_without(value, key, &buf, &at, NULL), 0);
	assert_true(at <= buf.len);
	mxt_buf_append(&marked, buf.data, at);
	mxt_buf_putc(&marked, '|');
	mxt_buf_puts(&marked, buf.data + at);
	assert_string_equal(mxt_buf_text(&marked), expected);
}

static void leaves_a_member_out(void **state)
{
	(void)state;
	expect_without("{\"c\": 3, \"b\": 2, \"a\": {\"b\": 1}}", "b", "{\"a\":{\"b\":1}|,\"c\":3}");
	expect_without("{\"c\": 3, \"a\": 1}", "b", "{\"a\":1|,\"c\":3}");
	expect_without("{\"b\": 3, \"a\": 1}", "b", "{\"a\":1|}");
	expect_without("{\"a\": 1}", "b", "{\"a\":1|}");
	expect_without("{\"b\": 3, \"c\": 1}", "b", "{|\"c\":1}");
	expect_without("{\"b\": 3}", "b", "{|}");
}

/* Both dialects of the restricted set, on one text: the same value, or the same refusal. */
static void expect_agreement(const char *text, size_t len, bool good)
{
	MXT_CLEANUP_JSON json_t *value = NULL;
	MXT_CLEANUP_JSON json_t *large = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_ERROR struct mxt_error large_err = MXT_ERROR_INIT;
	int rc = mxt_json_parse("t", text, len, MXT_JSON_CANONICAL, &value, &err);
	int large_rc = mxt_json_parse("t", text, len, MXT_JSON_LARGE, &large, &large_err);
	if ((rc == 0) != good || rc != large_rc || (good && !json_equal(value, large)))
		fail_msg("%s: %d %d", text, rc, large_rc);
	assert_string_equal(mxt_error_text(&err), mxt_error_text(&large_err));
}

static const char *const good_texts[] = {
    "{}",
    " [ ] ",
    "{\"a\":[1,-2,0,true,false,{\"\":\"\"}],\"b c\":{\"~\":[[]]}}\n",
    "[9007199254740991,-9007199254740991]",
    "[\"\\\\ \\\" \xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80\", \"\\u0041\\/\"]",
    "\t{\r\"a\" : 1 ,\n\"b\" : [ 1 , 2 ] }",
};

static const char *const bad_texts[] = {
    "",
    "1",
    "\"a\"",
    "true",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{1:2}",
    "{a:1}",
    "[]]",
    "[] x",
    "[1.5]",
    "[1e3]",
    "[-0]",
    "[01]",
    "[-]",
    "[+1]",
    "[null]",
    "[tru]",
    "[truee]",
    "[NaN]",
    "{\"a\":1,\"a\":1}",
    "[9007199254740992]",
    "[-9007199254740992]",
    "[99999999999999999999]",
    "[\"a]",
    "[\"\\\"]",
    "[\"\\x\"]",
    "[\"\\u000a\"]",
    "[\"\x01\"]",
    "[\"\x7f\"]",
    "[\"\xc2\x80\"]",
    "[\"\xff\"]",
    "[\"\xc3\"]",
    "[\"\xe2\x82\"]",
    "[\"\xc0\x80\"]",
    "[\"\xed\xa0\x80\"]",
    "{\"\xc3\xbc\":1}",
    "{\"a\\\"\":",
    "[\"\n\"]",
    "\xef\xbb\xbf[]",
};

static void reads_large_documents_alike(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(good_texts); i++)
		expect_agreement(good_texts[i], strlen(good_texts[i]), true);
	for (size_t i = 0; i < MXT_ARRAY_LEN(bad_texts); i++)
		expect_agreement(bad_texts[i], strlen(bad_texts[i]), false);
	expect_agreement("[]", 3, false); /* with its NUL */
	expect_agreement("{\"a\\\\\":1}", 9, true);
	for (size_t cut = 0; cut < strlen(good_texts[4]); cut++)
		expect_agreement(good_texts[4], cut, false);
}

static void bounds_how_many_values_there_are(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	json_t *value = NULL;
	char *text = malloc(MXT_JSON_MAX_VALUES);
	assert_non_null(text);
	memset(text, '[', MXT_JSON_MAX_VALUES);
	assert_true(mxt_json_parse("t", text, MXT_JSON_MAX_VALUES, MXT_JSON_LARGE, &value, &err) < 0);
	assert_int_equal(err.id, MXT_E_TOO_LARGE);
	memset(text, ' ', 70);
	assert_true(mxt_json_parse("t", text, MXT_JSON_MAX_VALUES, MXT_JSON_LARGE, &value, &err) < 0);
	assert_int_equal(err.id, MXT_E_JSON_DEPTH);
	free(text);
}

static void reads_large_documents_as_deep(void **state)
{
	(void)state;
	char text[2 * (MXT_JSON_MAX_DEPTH + 1)];
	for (size_t depth = MXT_JSON_MAX_DEPTH; depth <= MXT_JSON_MAX_DEPTH + 1; depth++) {
		memset(text, '[', depth);
		memset(text + depth, ']', depth);
		expect_agreement(text, 2 * depth, depth == MXT_JSON_MAX_DEPTH);
	}
}

static void sorts_many_members(void **state)
{
	(void)state;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf sorted = MXT_BUF_INIT;
	for (int i = 99; i >= 10; i--)
		mxt_buf_printf(&text, "%s\"k%d\": %d", i == 99 ? "{" : ",", i, i);
	for (int i = 10; i <= 99; i++)
		mxt_buf_printf(&sorted, "%s\"k%d\":%d", i == 10 ? "{" : ",", i, i);
	mxt_buf_putc(&text, '}');
	mxt_buf_putc(&sorted, '}');
	expect_canonical(mxt_buf_text(&text), mxt_buf_text(&sorted));
}

struct bad_case {
	const char *text;
	enum mxt_error_id id;
	const char *words; /* that the error holds: the place */
};

static const struct bad_case bad_cases[] = {
    {"", MXT_E_JSON_TEXT, "x.json is empty"},
    {" \n\t", MXT_E_JSON_TEXT, "is empty"},
    {"\xef\xbb\xbf{}", MXT_E_JSON_TEXT, "byte-order mark"},
    {"{\n  \"a\": 1,\n  \"a\": 2}", MXT_E_JSON_TEXT, "line 3"},
    {"{\"a\": 1", MXT_E_JSON_TEXT, "line 1"},
    {"{} x", MXT_E_JSON_TEXT, "end of file expected"},
    {"{\"a\": NaN}", MXT_E_JSON_TEXT, "line 1, column"},
    {"{\"a\": Infinity}", MXT_E_JSON_TEXT, "line 1"},
    {"{\"a\": 1e400}", MXT_E_JSON_TEXT, "line 1"},
    {"{\"a\": 99999999999999999999}", MXT_E_JSON_TEXT, "too big integer"},
    {"{\"a\": 01}", MXT_E_JSON_TEXT, "line 1"},
    {"{\"a\": \"\x01\"}", MXT_E_JSON_TEXT, "line 1"},
    {"{\"a\": \"\\u0000\"}", MXT_E_JSON_TEXT, "line 1"},
    {"{\"a\": \"\\ud800\"}", MXT_E_JSON_TEXT, "line 1"},
    {"{\"a\": \"\xff\"}", MXT_E_JSON_TEXT, "unable to decode byte 0xff"},
    {"{\"a\": \"\xc0\xaf\"}", MXT_E_JSON_TEXT, "decode"},
    {"17", MXT_E_JSON_TEXT, "expected"},
    {"{\"a\": -0}", MXT_E_JSON_VALUE, "line 1, column 7"},
    {"{\"a\": {\"b\": [1, 1.5]}}", MXT_E_JSON_VALUE, "x.json: a.b[1]: "},
    {"{\"a\": -0.0}", MXT_E_JSON_VALUE, "x.json: a: "},
    {"{\"a\": 1e-05}", MXT_E_JSON_VALUE, "x.json: a: a fraction"},
    {"{\"a\": 1e0}", MXT_E_JSON_VALUE, "x.json: a: "},
    {"{\"a\": null}", MXT_E_JSON_VALUE, "x.json: a: null"},
    {"{\"a\": 9007199254740992}", MXT_E_JSON_VALUE, "x.json: a: "},
    {"{\"a\": -9007199254740992}", MXT_E_JSON_VALUE, "x.json: a: "},
    {"{\"a\": \"\\u001f\"}", MXT_E_JSON_VALUE, "control character"},
    {"{\"a\": \"\\n\"}", MXT_E_JSON_VALUE, "control character"},
    {"{\"a\": \"\x7f\"}", MXT_E_JSON_VALUE, "control character"},
    {"{\"a\": \"\xc2\x9b\"}", MXT_E_JSON_VALUE, "control character"},
    {"{\"\xc3\xa9\": 1}", MXT_E_JSON_VALUE, "x.json: [\"\\xc3\\xa9\"]: "},
    {"{\"a\": {\"\\u001b[2J\": 1}}", MXT_E_JSON_VALUE, "x.json: a[\"\\x1b[2J\"]: "},
};

static void refuses_with_the_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(bad_cases); i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		json_t *value = NULL;
		int rc = parse(bad_cases[i].text, MXT_JSON_CANONICAL, &value, &err);
		if (rc >= 0 || err.id != bad_cases[i].id || !strstr(mxt_error_text(&err), bad_cases[i].words))
			fail_msg("case %zu: %d, id %d, '%s'", i, rc, (int)err.id, mxt_error_text(&err));
		assert_null(value);
	}
}

/* `levels` arrays around `inside`. */
static void nest(struct mxt_buf *buf, int levels, const char *inside)
{
	for (int i = 0; i < levels; i++)
		mxt_buf_putc(buf, '[');
	mxt_buf_puts(buf, inside);
	for (int i = 0; i < levels; i++)
		mxt_buf_putc(buf, ']');
}

static int parse_nested(int levels, enum mxt_error_id *ret_id)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_JSON json_t *value = NULL;
	nest(&buf, levels, "\"[[[[\\\"[[\"");
	int rc = parse(mxt_buf_text(&buf), MXT_JSON_FOREIGN, &value, &err);
	*ret_id = err.id;
	return rc;
}

static void numbers_of_python_become_null(void **state)
{
	(void)state;
	MXT_CLEANUP_JSON json_t *value = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	static const char text[] = "{\"a\": [0.0, Infinity, -Infinity,NaN], \"b\": \"NaN\\\"Infinity\", \"c\":NaN}";
	assert_int_equal(parse(text, MXT_JSON_FOREIGN, &value, &err), 0);
	const json_t *list = json_object_get(value, "a");
	for (size_t i = 1; i < 4; i++)
		assert_true(json_is_null(json_array_get(list, i)));
	assert_string_equal(json_string_value(json_object_get(value, "b")), "NaN\"Infinity");
	assert_true(json_is_null(json_object_get(value, "c")));
	json_t *bad = NULL;
	assert_true(parse("[InfinityNaN]", MXT_JSON_FOREIGN, &bad, &err) < 0);
	mxt_error_clear(&err);
	assert_true(parse("[NaN]", MXT_JSON_CANONICAL, &bad, &err) < 0);
	assert_int_equal(err.id, MXT_E_JSON_TEXT);
}

static void bounds_the_depth(void **state)
{
	(void)state;
	enum mxt_error_id id = MXT_E_NONE;
	assert_int_equal(parse_nested(MXT_JSON_MAX_DEPTH, &id), 0);
	assert_true(parse_nested(MXT_JSON_MAX_DEPTH + 1, &id) < 0);
	assert_int_equal(id, MXT_E_JSON_DEPTH);
	assert_true(parse_nested(1000000, &id) < 0);
	assert_int_equal(id, MXT_E_JSON_DEPTH);
}

/* Values made in memory go through the same bounds: the depth, and NUL bytes that text could never hold. */
static void checks_values_made_in_memory(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_JSON json_t *deep = json_array();
	for (int i = 1; i < MXT_JSON_MAX_DEPTH; i++)
		deep = json_pack("[o]", deep);
	assert_int_equal(mxt_json_check(deep, &err), 0);
	deep = json_pack("[o]", deep);
	assert_true(mxt_json_check(deep, &err) < 0);
	assert_int_equal(err.id, MXT_E_JSON_DEPTH);

	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	MXT_CLEANUP_JSON json_t *nul = json_pack("{s:s#}", "a", "b\0c", 3);
	assert_true(mxt_json_canonical(nul, &buf, &err) < 0);
	assert_int_equal(buf.len, 0);
	MXT_CLEANUP_JSON json_t *key = json_object();
	assert_int_equal(json_object_setn_new_nocheck(key, "a\0b", 3, json_true()), 0);
	assert_true(mxt_json_canonical(key, &buf, &err) < 0);
}

static void foreign_files_may_hold_more(void **state)
{
	(void)state;
	MXT_CLEANUP_JSON json_t *value = NULL;
	assert_int_equal(
	    parse("{\"\xc3\xa9\": [1.5, null, -0, 9007199254740993, \"\\n\"]}", MXT_JSON_FOREIGN, &value, NULL), 0);
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	json_t *twice = NULL;
	assert_true(parse("{\"a\":1,\"a\":2}", MXT_JSON_FOREIGN, &twice, &err) < 0);
	assert_int_equal(err.id, MXT_E_JSON_TEXT);
}

static void refuses_huge_text(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	char *text = malloc(MXT_JSON_MAX_BYTES + 1);
	assert_non_null(text);
	memset(text, ' ', MXT_JSON_MAX_BYTES + 1);
	memcpy(text, "{}", 2);
	MXT_CLEANUP_JSON json_t *value = NULL;
	assert_int_equal(mxt_json_parse("x", text, MXT_JSON_MAX_BYTES, MXT_JSON_CANONICAL, &value, &err), 0);
	json_t *huge = NULL;
	assert_true(mxt_json_parse("x", text, MXT_JSON_MAX_BYTES + 1, MXT_JSON_CANONICAL, &huge, &err) < 0);
	assert_int_equal(err.id, MXT_E_TOO_LARGE);
	free(text);
}

static void names_paths(void **state)
{
	(void)state;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	const struct mxt_json_path root = MXT_JSON_ROOT;
	mxt_json_path_text(&root, &buf);
	assert_string_equal(mxt_buf_text(&buf), "the top level");
	mxt_buf_truncate(&buf, 0);
	const struct mxt_json_path env = {&root, "env", 0}, element = {&env, NULL, 3}, odd = {&element, "a b\"", 0},
				   plain = {&odd, "x", 0};
	mxt_json_path_text(&plain, &buf);
	assert_string_equal(mxt_buf_text(&buf), "env[3][\"a b\\\"\"].x");
}

static void expect_clean(const char *text, size_t max, const char *clean)
{
	MXT_CLEANUP_JSON json_t *value = mxt_json_clean_text(text, max);
	assert_string_equal(json_string_value(value), clean);
	assert_int_equal(mxt_json_check(value, NULL), 0);
}

static void cleans_the_words_of_others(void **state)
{
	(void)state;
	expect_clean("", 10, "");
	expect_clean("Segmentation fault\n", 100, "Segmentation fault");
	expect_clean("\n\na\r\n\tb\x1b[1m\xc2\x9b", 100, "a b [1m");
	expect_clean("\xff\xc0\xaf\xe2\x82", 100, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	expect_clean("\xed\xa0\x80", 100, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	expect_clean("\xe2\x82\xac\xf0\x9f\x98\x80", 100, "\xe2\x82\xac\xf0\x9f\x98\x80");
	expect_clean("0123456789abc", 10, "0123456789...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(writes_the_canonical_form),
	    cmocka_unit_test(leaves_a_member_out),
	    cmocka_unit_test(sorts_many_members),
	    cmocka_unit_test(reads_large_documents_alike),
	    cmocka_unit_test(reads_large_documents_as_deep),
	    cmocka_unit_test(bounds_how_many_values_there_are),
	    cmocka_unit_test(refuses_with_the_place),
	    cmocka_unit_test(numbers_of_python_become_null),
	    cmocka_unit_test(bounds_the_depth),
	    cmocka_unit_test(checks_values_made_in_memory),
	    cmocka_unit_test(foreign_files_may_hold_more),
	    cmocka_unit_test(refuses_huge_text),
	    cmocka_unit_test(names_paths),
	    cmocka_unit_test(cleans_the_words_of_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
