/* SPDX-License-Identifier: Apache-2.0 */
#include "affix.h"

#include "cmocka_all.h"

static void test_prefix(void **state)
{
	(void)state;
	assert_true(mxt_has_prefix("manifest.b3", "manifest."));
	assert_true(mxt_has_prefix("manifest.b3", "manifest.b3"));
	assert_true(mxt_has_prefix("", ""));
	assert_false(mxt_has_prefix("manifest", "manifest."));
	assert_false(mxt_has_prefix("a.manifest.", "manifest."));
}

static void test_suffix(void **state)
{
	(void)state;
	assert_true(mxt_has_suffix("manifest.b3", ".b3"));
	assert_true(mxt_has_suffix(".b3", ".b3"));
	assert_true(mxt_has_suffix("", ""));
	assert_false(mxt_has_suffix("b3", ".b3"));
	assert_false(mxt_has_suffix("manifest.b3.json", ".b3"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_prefix),
	    cmocka_unit_test(test_suffix),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
