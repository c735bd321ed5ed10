/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"
#include "compiler.h"
#include "steadiness.h"

static struct mxt_steadiness after(const uint64_t *readings, size_t count)
{
	struct mxt_steadiness steadiness = {.count = 0};
	for (size_t i = 0; i < count; i++)
		mxt_steadiness_add(&steadiness, readings[i]);
	return steadiness;
}

static void a_second_must_agree(void **state)
{
	(void)state;
	const uint64_t readings[] = {1000, 1010, 990, 1005};
	struct mxt_steadiness steadiness = after(readings, 3);
	assert_false(mxt_steadiness_reached(&steadiness));
	steadiness = after(readings, 4);
	assert_true(mxt_steadiness_reached(&steadiness));
	assert_int_equal(mxt_steadiness_moved_ppm(&steadiness), -4975);
}

/* Every reading is near the one before, and still the clock moves. */
static void a_slow_ramp_is_no_steady_clock(void **state)
{
	(void)state;
	const uint64_t readings[] = {1500, 1485, 1470, 1455, 1440, 1425, 1410};
	const struct mxt_steadiness steadiness = after(readings, MXT_ARRAY_LEN(readings));
	assert_false(mxt_steadiness_reached(&steadiness));
	assert_int_equal(mxt_steadiness_moved_ppm(&steadiness), 63829);
}

static void only_the_latest_count(void **state)
{
	(void)state;
	const uint64_t readings[] = {1500, 1400, 1200, 1000, 1001, 999, 1000};
	struct mxt_steadiness steadiness = after(readings, 6);
	assert_false(mxt_steadiness_reached(&steadiness));
	steadiness = after(readings, 7);
	assert_true(mxt_steadiness_reached(&steadiness));
	assert_int_equal(mxt_steadiness_moved_ppm(&steadiness), 500000);
}

static void nothing_is_known_without_readings(void **state)
{
	(void)state;
	const struct mxt_steadiness steadiness = {.count = 0};
	assert_false(mxt_steadiness_reached(&steadiness));
	assert_int_equal(mxt_steadiness_moved_ppm(&steadiness), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_second_must_agree),
	    cmocka_unit_test(a_slow_ramp_is_no_steady_clock),
	    cmocka_unit_test(only_the_latest_count),
	    cmocka_unit_test(nothing_is_known_without_readings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
