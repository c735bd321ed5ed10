/* SPDX-License-Identifier: Apache-2.0 */
/* How one time is taken, on a device whose times are a list. */
#include <errno.h>
#include <stdbool.h>

#include "clock.h"
#include "cmocka_all.h"
#include "error.h"
#include "measure.h"

/* Time of one run of the sequence at each launch; the last one repeats. */
struct mxt_device {
	const double *run_ns;
	size_t count;
	size_t launches;
	uint32_t repeats[64]; /* of each launch */
	size_t fail_at;       /* this launch fails; 0: none */
};

static int scripted_time(struct mxt_device *device, const struct mxt_step *steps, size_t n_steps, uint32_t repeats,
			 uint64_t *ret_ns, struct mxt_error *err)
{
	(void)steps;
	assert_int_equal(n_steps, 1);
	size_t i = device->launches++;
	if (i < 64)
		device->repeats[i] = repeats;
	if (device->launches == device->fail_at)
		return mxt_error_set(err, -EIO, MXT_E_INTERNAL, "lost");
	*ret_ns = (uint64_t)(device->run_ns[i < device->count ? i : device->count - 1] * repeats);
	return 0;
}

static const struct mxt_device_ops scripted = {.name = "scripted", .time = scripted_time};

static int measure(struct mxt_device *device, uint64_t max_warm_ns, uint64_t target_ns, struct mxt_timing *timing)
{
	const struct mxt_step step = {NULL, 1};
	const struct mxt_measure how = {&scripted, device, &step, 1, max_warm_ns, target_ns};
	struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_measure(&how, timing, &err);
	mxt_error_clear(&err);
	return rc;
}

static void warms_up_until_two_agree(void **state)
{
	(void)state;
	const double ns[] = {9e6, 5e6, 4e6, 3.9e6, 3.8e6, 3.7e6, 3.9e6};
	struct mxt_device device = {.run_ns = ns, .count = MXT_ARRAY_LEN(ns)};
	struct mxt_timing timing;
	assert_int_equal(measure(&device, UINT64_MAX, 11000000, &timing), 0);
	assert_int_equal(device.launches, 4 + 3); /* 4.0 and 3.9 agree; 3.8 + 3.7 + 3.9 reach 11 ms */
	assert_int_equal(timing.ns, 3800000);     /* the median of the three */
	assert_int_equal(timing.samples, 3);
	assert_int_equal(timing.repeats, 1);
}

static void warm_up_ends_when_its_time_is_spent(void **state)
{
	(void)state;
	const double ns[] = {9e6, 5e6, 9e6, 5e6, 9e6, 5e6};
	struct mxt_device device = {.run_ns = ns, .count = MXT_ARRAY_LEN(ns)};
	struct mxt_timing timing;
	assert_int_equal(measure(&device, 20000000, 0, &timing), 0);
	assert_int_equal(device.launches, 3 + 1); /* 9 + 5 + 9 ms, then at least one timed launch */
	assert_int_equal(timing.ns, 5000000);
	device.launches = 0;
	assert_int_equal(measure(&device, 1, 0, &timing), 0);
	assert_int_equal(device.launches, 1 + 1);
}

static void nothing_is_warmed_up_when_that_may_take_no_time(void **state)
{
	(void)state;
	const double ns[] = {9e6, 5e6};
	struct mxt_device device = {.run_ns = ns, .count = MXT_ARRAY_LEN(ns)};
	struct mxt_timing timing;
	assert_int_equal(measure(&device, 0, 10000000, &timing), 0);
	assert_int_equal(device.launches, 2);
	assert_int_equal(timing.ns, 7000000);
}

static void short_calls_are_repeated(void **state)
{
	(void)state;
	const double ns[] = {700};
	struct mxt_device device = {.run_ns = ns, .count = 1};
	struct mxt_timing timing;
	assert_int_equal(measure(&device, UINT64_MAX, 3 * MXT_NS_PER_MS, &timing), 0);
	assert_int_equal(timing.ns, 700);
	assert_true(timing.repeats * 700.0 >= (double)MXT_NS_PER_MS);
	assert_true(timing.repeats * 700.0 < 2.0 * (double)MXT_NS_PER_MS);
	for (size_t i = device.launches - timing.samples; i < device.launches; i++)
		assert_int_equal(device.repeats[i], timing.repeats);
}

/* The first call was slow, so that repeats were estimated too low: the launch that fell short does not count. */
static void a_launch_that_falls_short_does_not_count(void **state)
{
	(void)state;
	const double ns[] = {1e6, 1000};
	struct mxt_device device = {.run_ns = ns, .count = 2};
	struct mxt_timing timing;
	assert_int_equal(measure(&device, 1, 0, &timing), 0);
	assert_int_equal(timing.ns, 1000);
	assert_int_equal(timing.samples, 1);
	assert_true(timing.repeats >= 1000);
	assert_int_equal(device.launches, 3); /* the slow one, the short one, the timed one */
}

static void a_clock_that_stands_still_is_a_failure(void **state)
{
	(void)state;
	const double ns[] = {0};
	struct mxt_device device = {.run_ns = ns, .count = 1};
	struct mxt_timing timing = {.ns = 77};
	assert_int_equal(measure(&device, UINT64_MAX, MXT_NS_PER_MS, &timing), -EIO);
	assert_int_equal(timing.ns, 77);
}

static void a_failed_launch_ends_it(void **state)
{
	(void)state;
	const double ns[] = {2e6};
	for (size_t at = 1; at <= 5; at++) {
		struct mxt_device device = {.run_ns = ns, .count = 1, .fail_at = at};
		struct mxt_timing timing = {.ns = 77};
		assert_int_equal(measure(&device, UINT64_MAX, 20 * MXT_NS_PER_MS, &timing), -EIO);
		assert_int_equal(device.launches, at);
		assert_int_equal(timing.ns, 77);
	}
}

static void samples_are_limited(void **state)
{
	(void)state;
	const double ns[] = {1e6};
	struct mxt_device device = {.run_ns = ns, .count = 1};
	struct mxt_timing timing;
	assert_int_equal(measure(&device, UINT64_MAX, UINT64_MAX, &timing), 0);
	assert_int_equal(timing.samples, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(warms_up_until_two_agree),
	    cmocka_unit_test(warm_up_ends_when_its_time_is_spent),
	    cmocka_unit_test(nothing_is_warmed_up_when_that_may_take_no_time),
	    cmocka_unit_test(short_calls_are_repeated),
	    cmocka_unit_test(a_launch_that_falls_short_does_not_count),
	    cmocka_unit_test(a_clock_that_stands_still_is_a_failure),
	    cmocka_unit_test(a_failed_launch_ends_it),
	    cmocka_unit_test(samples_are_limited),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
