/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "plan_diff.h"

static void expect_diff(const char *left, const char *right, const char *differences)
{
	MXT_CLEANUP_JSON json_t *a = left ? json_loads(left, 0, NULL) : NULL;
	MXT_CLEANUP_JSON json_t *b = right ? json_loads(right, 0, NULL) : NULL;
	MXT_CLEANUP_JSON json_t *list = NULL;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	assert_int_equal(mxt_plan_diff("d", a, b, &list, NULL), 0);
	mxt_plan_differences_text(list, "here", "\n", &buf);
	if (buf.len)
		mxt_buf_putc(&buf, '\n');
	assert_string_equal(mxt_buf_text(&buf), differences);
}

static void finds_differences(void **state)
{
	(void)state;
	expect_diff("{}", "{}", "");
	expect_diff(NULL, NULL, "");
	expect_diff("{\"a\":1,\"b\":[1,{\"c\":2}]}", "{\"b\":[1,{\"c\":2}],\"a\":1}", "");
	expect_diff("{\"a\":1}", "{\"a\":2}", "d.a: 1, here 2\n");
	expect_diff("{\"a\":1}", "{\"a\":\"1\"}", "d.a: 1, here 1\n");
	expect_diff("{\"z\":1,\"a\":{\"y\":1,\"b\":2}}", "{\"m\":true,\"a\":{\"y\":1,\"c\":3}}",
		    "d.a.b: 2, here nothing\nd.a.c: nothing, here 3\nd.m: nothing, here true\nd.z: 1, here nothing\n");
	expect_diff("{\"a\":[1,2]}", "{\"a\":[2,1]}", "d.a: [1,2], here [2,1]\n");
	expect_diff("{\"a\":{}}", NULL, "d: {\"a\":{}}, here nothing\n");
	expect_diff(NULL, "[]", "d: nothing, here []\n");
}

static void compares_parts_of_a_decision(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_JSON json_t *a = json_pack("{s:s, s:i}", "torch", "none", "x", 1);
	MXT_CLEANUP_JSON json_t *b = json_pack("{s:s, s:i}", "torch", "2.11.0", "x", 2);
	assert_int_equal(mxt_plan_compare_part("stack", a, a, &err), 0);
	assert_true(mxt_plan_compare_part("stack", a, b, &err) < 0);
	assert_int_equal(err.id, MXT_E_PLAN_MISMATCH);
	assert_non_null(strstr(mxt_error_text(&err), "stack.torch: none, here 2.11.0; stack.x: 1, here 2"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(finds_differences),
	    cmocka_unit_test(compares_parts_of_a_decision),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
