/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is found before a run starts: each thing once, and a verdict that names no option that would not be enough.
 */
#include "remarks.h"

#include <string.h>

#include "cmocka_all.h"
#include "error.h"

static void expect_verdict(const struct mxt_remarks *remarks, const char *text)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_true(mxt_remarks_verdict(remarks, &err) < 0);
	assert_string_equal(mxt_error_text(&err), text);
}

static void test_nothing_is_refused(void **state)
{
	(void)state;
	MXT_CLEANUP_REMARKS struct mxt_remarks remarks = MXT_REMARKS_INIT;
	remarks.allowed = MXT_ALLOW_JIT;
	mxt_remark_note(&remarks, "a");
	mxt_remark_warn(&remarks, "b");
	mxt_remark_refuse(&remarks, MXT_E_LAUNCH_JIT, MXT_ALLOW_JIT, "c");
	assert_int_equal(mxt_remarks_verdict(&remarks, NULL), 0);
	assert_int_equal(remarks.items[2].kind, MXT_REMARK_ALLOWED);
}

static void test_each_thing_is_said_once(void **state)
{
	(void)state;
	MXT_CLEANUP_REMARKS struct mxt_remarks remarks = MXT_REMARKS_INIT;
	for (int i = 0; i < 3; i++) {
		mxt_remark_refuse(&remarks, MXT_E_LAUNCH_YAML, MXT_ALLOW_NOTHING, "run.yaml:%d: twice", 7);
		mxt_remark_warn(&remarks, "run.yaml:%d: twice", 7);
	}
	assert_int_equal(remarks.count, 2);
	expect_verdict(&remarks, "run.yaml:7: twice");
}

static void test_options_are_named_that_are_enough(void **state)
{
	(void)state;
	MXT_CLEANUP_REMARKS struct mxt_remarks remarks = MXT_REMARKS_INIT;
	mxt_remark_refuse(&remarks, MXT_E_LAUNCH_JIT, MXT_ALLOW_JIT, "it tunes");
	expect_verdict(&remarks, "it tunes; or give --allow-jit, which the record of the run then says");
	mxt_remark_refuse(&remarks, MXT_E_PLAN_MISMATCH, MXT_ALLOW_MISMATCH, "it differs");
	expect_verdict(&remarks, "refused for 2 reasons, named one by one; or give --allow-mismatch and --allow-jit, "
				 "which the record of the run then says");
}

static void test_no_option_where_none_helps(void **state)
{
	(void)state;
	MXT_CLEANUP_REMARKS struct mxt_remarks remarks = MXT_REMARKS_INIT;
	mxt_remark_refuse(&remarks, MXT_E_PLAN_MISMATCH, MXT_ALLOW_MISMATCH, "it differs");
	mxt_remark_refuse(&remarks, MXT_E_LAUNCH_YAML, MXT_ALLOW_NOTHING, "it cannot be read");
	mxt_remark_refuse(&remarks, MXT_E_LAUNCH_ENV, MXT_ALLOW_NOTHING, "it contradicts itself");
	expect_verdict(&remarks, "refused for 3 reasons, named one by one");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nothing_is_refused),
	    cmocka_unit_test(test_each_thing_is_said_once),
	    cmocka_unit_test(test_options_are_named_that_are_enough),
	    cmocka_unit_test(test_no_option_where_none_helps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
