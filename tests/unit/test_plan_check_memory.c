/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of the check before a run fails once. A refusal that was lost would start the run.
 */
#include <errno.h>

#include "alloc_faults.h"
#include "plan_check_fixture.h"

/* Two differences of the machine, one of the config, and that the plan is simulated. */
#define N_REMARKS 4

static int check(void *context)
{
	struct mxt_remarks remarks = MXT_REMARKS_INIT;
	remarks.allowed = MXT_ALLOW_SIMULATED;
	int rc = mxt_plan_check(context, &remarks, NULL);
	if (rc == 0 && !mxt_test_allocation_failed())
		assert_int_equal(remarks.count, N_REMARKS);
	if (rc == 0)
		assert_true(mxt_remarks_verdict(&remarks, NULL) < 0);
	mxt_remarks_finish(&remarks);
	return rc;
}

static void test_every_allocation(void **state)
{
	const struct mxt_sysroot root = MXT_SYSROOT_LIVE;
	char *environment[] = {NULL};
	const struct mxt_plan_machine machine = {.root = &root, .environment = environment};
	const char *platform = "{\"vendor\":\"simulated\",\"arch\":\"simulated-1\",\"units\":4,\"memory_gib\":9}";
	MXT_CLEANUP_PLAN struct mxt_plan *plan = plan_check_plan(true, "platform", platform);
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text, "%sload_in_4bit: true\n", plan_check_config);
	MXT_CLEANUP_FREE char *config = mxt_scratch_write(*state, "run.yaml", mxt_buf_text(&text));
	struct mxt_plan_check_request request = {
	    .plan = plan, .use = MXT_PLAN_RUN, .machine = &machine, .config = config, .nodes = 1};
	plan_check_simulate(*state);
	json_set_alloc_funcs(mxt_test_malloc, free);
	assert_true(mxt_test_each_allocation(check, &request) > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_every_allocation, mxt_scratch_setup, mxt_scratch_teardown)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
