/* SPDX-License-Identifier: Apache-2.0 */
/* The race of algorithms and what holds its answers, when memory runs out. */
#include <errno.h>

#include "algorithm_race.h"
#include "alloc_faults.h"
#include "clock.h"
#include "cmocka_all.h"
#include "device_ops.h"
#include "error.h"

static uint64_t now(void *context)
{
	return *(uint64_t *)context += 1000;
}

static int time_any(void *context, size_t algorithm, double *ret_ns, struct mxt_error *err)
{
	(void)context, (void)err;
	*ret_ns = algorithm == 3 ? 900 : 1000;
	return 0;
}

static int refuse(void *context, size_t algorithm, struct mxt_error *err)
{
	(void)context;
	return mxt_error_set(err, -ENOTSUP, MXT_E_INTERNAL, "number %zu is gone", algorithm);
}

static int race(void *context)
{
	uint64_t time_ns = 0;
	const struct mxt_clock clock = {now, &time_ns};
	const struct mxt_algorithm_race race = {
	    .count = 20, .time = time_any, .check = refuse, .clock = &clock, .end_ns = MXT_NS_PER_S, .seed = 1};
	struct mxt_ranking ranking;
	size_t fastest = 0;
	struct mxt_error err = MXT_ERROR_INIT;
	(void)context;
	int rc = mxt_algorithm_race(&race, &ranking, &fastest, &err);
	mxt_error_clear(&err);
	return rc;
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	assert_true(mxt_test_each_allocation(race, NULL) >= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
