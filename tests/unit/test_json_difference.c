/* SPDX-License-Identifier: Apache-2.0 */
/* The first difference of two values, in words. */
#include "json_difference.h"

#include <string.h>

#include "buf.h"
#include "cmocka_all.h"

static const char *const names[2] = {"A", "B"};

static void expect(const char *left, const char *right, const char *words)
{
	json_t *a = json_loads(left, JSON_DECODE_ANY, NULL), *b = json_loads(right, JSON_DECODE_ANY, NULL);
	struct mxt_buf text = MXT_BUF_INIT;
	assert_int_equal(mxt_json_difference(a, b, names, &text), words[0] != '\0');
	assert_string_equal(mxt_buf_text(&text), words);
	mxt_buf_finish(&text);
	json_decref(a);
	json_decref(b);
}

static void test_differences(void **state)
{
	(void)state;
	expect("{\"b\":1,\"a\":[2]}", "{\"a\":[2],\"b\":1}", "");
	expect("{\"z\":1,\"b\":1}", "{\"b\":2,\"z\":2}", "b is 1 in A and 2 in B");
	expect("{\"z\":1}", "{\"a\":\"x\"}", "a is absent in A and x in B");
	expect("{\"a\":{\"z\":true}}", "{\"a\":{\"z\":true,\"y\":{\"c\":[1]}}}",
	       "a.y is absent in A and {\"c\":[1]} in B");
	expect("{\"d\":[1,{\"t\":\"x\"}]}", "{\"d\":[1,{\"t\":\"y\"}]}", "d[1].t is x in A and y in B");
	expect("[1,2]", "[1]", "[1] is 2 in A and absent in B");
	expect("{\"a\":1}", "[1]", "the top level is {\"a\":1} in A and [1] in B");
}

static void test_long_values_are_cut(void **state)
{
	(void)state;
	char text[300];
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	json_t *a = json_string(text), *b = json_integer(1);
	struct mxt_buf found = MXT_BUF_INIT;
	assert_true(mxt_json_difference(a, b, names, &found));
	assert_true(found.len < 200);
	assert_non_null(strstr(mxt_buf_text(&found), "xxx... in A and 1 in B"));
	mxt_buf_finish(&found);
	assert_true(mxt_json_difference(a, NULL, names, &found));
	assert_false(mxt_json_difference(NULL, NULL, names, &found));
	mxt_buf_finish(&found);
	json_decref(a);
	json_decref(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_differences),
	    cmocka_unit_test(test_long_values_are_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
