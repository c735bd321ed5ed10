/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "budget.h"

static uint64_t read_fake(void *context)
{
	return *(uint64_t *)context;
}

static void work_ends_before_the_limit(void **state)
{
	(void)state;
	uint64_t now = 100;
	const struct mxt_clock clock = {read_fake, &now};
	struct mxt_budget budget;
	mxt_budget_init(&budget, &clock, 100, 60 * MXT_NS_PER_S);
	assert_int_equal(mxt_budget_left_ns(&budget), 57 * MXT_NS_PER_S);
	now += 10 * MXT_NS_PER_S;
	assert_int_equal(mxt_budget_used_ns(&budget), 10 * MXT_NS_PER_S);
	assert_int_equal(mxt_budget_left_ns(&budget), 47 * MXT_NS_PER_S);
	now += 50 * MXT_NS_PER_S;
	assert_int_equal(mxt_budget_left_ns(&budget), 0);
}

static void time_spent_before_counts(void **state)
{
	(void)state;
	uint64_t now = 5 * MXT_NS_PER_S;
	const struct mxt_clock clock = {read_fake, &now};
	struct mxt_budget budget;
	mxt_budget_init(&budget, &clock, 1 * MXT_NS_PER_S, 10 * MXT_NS_PER_S);
	assert_int_equal(mxt_budget_used_ns(&budget), 4 * MXT_NS_PER_S);
	assert_true(mxt_budget_left_ns(&budget) < 6 * MXT_NS_PER_S);
}

static void a_stage_gets_its_share_of_what_is_left(void **state)
{
	(void)state;
	uint64_t now = 0;
	const struct mxt_clock clock = {read_fake, &now};
	struct mxt_budget budget;
	mxt_budget_init(&budget, &clock, 0, 100 * MXT_NS_PER_S);
	now = 45 * MXT_NS_PER_S; /* work ends at 95 s */
	assert_int_equal(mxt_budget_stage_end_ns(&budget, 50), 70 * MXT_NS_PER_S);
	assert_int_equal(mxt_budget_stage_end_ns(&budget, 100), 95 * MXT_NS_PER_S);
}

static void a_tiny_limit_leaves_no_work(void **state)
{
	(void)state;
	uint64_t now = 0;
	const struct mxt_clock clock = {read_fake, &now};
	struct mxt_budget budget;
	mxt_budget_init(&budget, &clock, 0, 1);
	assert_int_equal(mxt_budget_left_ns(&budget), 0);
	assert_int_equal(mxt_budget_stage_end_ns(&budget, 50), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(work_ends_before_the_limit),
	    cmocka_unit_test(time_spent_before_counts),
	    cmocka_unit_test(a_stage_gets_its_share_of_what_is_left),
	    cmocka_unit_test(a_tiny_limit_leaves_no_work),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
