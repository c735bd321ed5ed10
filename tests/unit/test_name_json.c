/* SPDX-License-Identifier: Apache-2.0 */
#include "name_json.h"

#include <stdlib.h>

#include "cleanup.h"
#include "cmocka_all.h"
#include "compiler.h"
#include "json.h"

static void expect_form(const char *name, const char *key, const char *form)
{
	MXT_CLEANUP_JSON json_t *object = json_object();
	const char *fault = "";
	assert_int_equal(mxt_name_json_set(object, "name", "name_bytes", name, NULL), 0);
	assert_int_equal(json_object_size(object), 1);
	assert_string_equal(mxt_json_text(object, key), form);
	MXT_CLEANUP_FREE char *again = mxt_name_json_read(object, "name", "name_bytes", &fault);
	assert_non_null(again);
	assert_null(fault);
	assert_string_equal(again, name);
}

static void test_every_name_comes_back(void **state)
{
	(void)state;
	expect_form("a b", "name", "a b");
	expect_form("\xc3\xa4", "name", "\xc3\xa4");
	expect_form("\xff", "name_bytes", "ff");
	expect_form("a\tb", "name_bytes", "610962");
}

static void test_one_name_has_one_form(void **state)
{
	static const char *const others[] = {
	    "{}",
	    "{\"name\": 1}",
	    "{\"name\": \"a\\u0000b\"}",
	    "{\"name\": \"a\\tb\"}",
	    "{\"name\": \"a\", \"name_bytes\": \"ff\"}",
	    "{\"name_bytes\": 255}",
	    "{\"name_bytes\": \"\"}",
	    "{\"name_bytes\": \"f\"}",
	    "{\"name_bytes\": \"FF\"}",
	    "{\"name_bytes\": \"ff00\"}",
	    "{\"name_bytes\": \"61\"}",
	};
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(others); i++) {
		MXT_CLEANUP_JSON json_t *object = json_loads(others[i], JSON_ALLOW_NUL, NULL);
		const char *fault = NULL;
		assert_non_null(object);
		MXT_CLEANUP_FREE char *name = mxt_name_json_read(object, "name", "name_bytes", &fault);
		if (name || !fault)
			fail_msg("row %zu", i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_name_comes_back),
	    cmocka_unit_test(test_one_name_has_one_form),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
