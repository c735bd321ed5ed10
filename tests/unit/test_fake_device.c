/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated device does what its scenario says: the figures of docs/scenario.md, and every file of the fixtures. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cmocka_all.h"
#include "device_ops.h"
#include "error.h"
#include "scratch.h"
#include "sysroot.h"

static const struct mxt_sysroot live = MXT_SYSROOT_LIVE;

/* The device under a scenario; the file's path goes into the variable that names it. */
static const struct mxt_device_ops *fake(const char *folder, const char *scenario)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(folder, "scenario.json", scenario);
	assert_int_equal(setenv("MINDXTRAIN_FAKE_SCENARIO", path, 1), 0);
	const struct mxt_device_ops *ops = mxt_device_find("fake");
	assert_non_null(ops);
	return ops;
}

static struct mxt_device *open_device(const struct mxt_device_ops *ops)
{
	struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_device *device = NULL;
	if (ops->open(&(struct mxt_device_target){.ordinal = 0}, &device, &err) < 0)
		fail_msg("%s", mxt_error_text(&err));
	return device;
}

static struct mxt_task *prepare(const struct mxt_device_ops *ops, struct mxt_device *device, enum mxt_problem_kind kind)
{
	struct mxt_problem problem = {.kind = kind};
	if (kind == MXT_PROBLEM_GEMM)
		problem.as.gemm = (struct mxt_gemm){.m = 10, .n = 10, .k = 50, .lda = 50, .ldb = 10, .ldc = 10};
	else
		problem.as.attention =
		    (struct mxt_attention){.batch = 1, .seq = 10, .heads = 1, .kv_heads = 1, .head_dim = 10};
	struct mxt_task *task = NULL;
	assert_int_equal(ops->prepare(device, &problem, &task, NULL), 0);
	return task;
}

static bool repeats(const struct mxt_device_ops *ops, bool deterministic)
{
	struct mxt_device *device = NULL;
	struct mxt_check check;
	assert_int_equal(ops->open(&(struct mxt_device_target){.deterministic = deterministic}, &device, NULL), 0);
	struct mxt_task *task = prepare(ops, device, MXT_PROBLEM_GEMM);
	assert_int_equal(ops->check(device, task, &check, NULL), 0);
	ops->release(device, task);
	ops->close(device);
	return check.repeatable;
}

/* Only where it was asked for, and not where the scenario says otherwise. */
static void results_repeat(void **state)
{
	const struct mxt_device_ops *ops = fake(*state, "{}");
	assert_true(repeats(ops, true));
	assert_false(repeats(ops, false));
	ops = fake(*state, "{\"bare\": {\"gemm\": {\"faults\": [{\"fault\": \"unrepeatable\", \"at\": \"check\"}]}}}");
	assert_false(repeats(ops, true));
}

static uint64_t time_of(const struct mxt_device_ops *ops, struct mxt_device *device, struct mxt_task *task,
			uint32_t repeats)
{
	const struct mxt_step step = {task, 0};
	uint64_t ns = 0;
	assert_int_equal(ops->time(device, &step, 1, repeats, &ns, NULL), 0);
	return ns;
}

static void costs_are_as_written(void **state)
{
	const struct mxt_device_ops *ops = fake(
	    *state,
	    "{\"bare\": {\"gemm\": {\"cost\": {\"fixed_ns\": 100, \"ns_per_flop\": 0.5, \"first_call_ns\": 7000}},"
	    " \"attention\": {\"cost\": {\"ns_per_flop\": 2, \"fixed_ns\": 0}}},"
	    " \"candidates\": [{\"name\": \"half\", \"probe\": \"gemm\", \"env\": {\"X\": \"1\"}, \"factor\": 0.5},"
	    " {\"name\": \"both\", \"probe\": \"gemm\", \"env\": {\"X\": \"1\", \"Y\": \"2\"}, \"factor\": 0.1},"
	    " {\"name\": \"other\", \"probe\": \"attention\", \"env\": {\"X\": \"1\"}, \"cost\": {\"ns_per_flop\": "
	    "1}}]}");
	static const struct {
		const char *x, *y;
		uint64_t gemm, attention;
	} cases[] = {
	    {NULL, NULL, 100 + 5000, 8000}, {"1", NULL, 2550, 4000}, {"1", "2", 510, 4000}, {"2", "2", 5100, 8000}};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		(void)(cases[i].x ? setenv("X", cases[i].x, 1) : unsetenv("X"));
		(void)(cases[i].y ? setenv("Y", cases[i].y, 1) : unsetenv("Y"));
		struct mxt_device *device = open_device(ops);
		struct mxt_task *gemm = prepare(ops, device, MXT_PROBLEM_GEMM);
		struct mxt_task *attention = prepare(ops, device, MXT_PROBLEM_ATTENTION);
		assert_int_equal(time_of(ops, device, gemm, 1), cases[i].gemm + 7000);
		assert_int_equal(time_of(ops, device, gemm, 3), 3 * cases[i].gemm);
		assert_int_equal(time_of(ops, device, attention, 1), cases[i].attention);
		ops->release(device, gemm);
		ops->release(device, attention);
		ops->close(device);
	}
	(void)unsetenv("X");
	(void)unsetenv("Y");
}

/* Mean and standard deviation of the logs of many launches. */
static void observe(const struct mxt_device_ops *ops, struct mxt_device *device, double *ret_mean, double *ret_sigma)
{
	enum { LAUNCHES = 4000 };
	struct mxt_task *task = prepare(ops, device, MXT_PROBLEM_GEMM);
	double sum = 0, squares = 0;
	for (int i = 0; i < LAUNCHES; i++) {
		double x = log((double)time_of(ops, device, task, 1));
		sum += x;
		squares += x * x;
	}
	ops->release(device, task);
	*ret_mean = sum / LAUNCHES;
	*ret_sigma = sqrt(squares / LAUNCHES - *ret_mean * *ret_mean);
}

static void noise_has_its_size_and_repeats(void **state)
{
	const struct mxt_device_ops *ops = fake(
	    *state, "{\"seed\": 5, \"bare\": {\"gemm\": {\"cost\": {\"fixed_ns\": 1e9, \"ns_per_flop\": 0}, \"noise\": "
		    "{\"sigma\": 0.05}}}}");
	double mean[2], sigma[2];
	for (size_t i = 0; i < 2; i++) {
		struct mxt_device *device = open_device(ops);
		observe(ops, device, &mean[i], &sigma[i]);
		ops->close(device);
	}
	assert_true(sigma[0] > 0.045 && sigma[0] < 0.055);
	assert_true(fabs(mean[0] - log(1e9)) < 0.005);
	assert_true(mean[0] == mean[1] && sigma[0] == sigma[1]);
}

static void tails_are_rare_and_long(void **state)
{
	const struct mxt_device_ops *ops = fake(
	    *state, "{\"seed\": 5, \"bare\": {\"gemm\": {\"cost\": {\"fixed_ns\": 1e6, \"ns_per_flop\": 0}, \"noise\": "
		    "{\"tail_probability\": 0.1, \"tail_size\": 2}}}}");
	struct mxt_device *device = open_device(ops);
	struct mxt_task *task = prepare(ops, device, MXT_PROBLEM_GEMM);
	int disturbed = 0;
	double extra = 0;
	for (int i = 0; i < 4000; i++) {
		uint64_t ns = time_of(ops, device, task, 1);
		assert_true(ns >= 1000000);
		disturbed += ns > 1000000;
		extra += (double)ns / 1e6 - 1;
	}
	assert_in_range(disturbed, 320, 480);
	assert_true(extra / disturbed > 1.6 && extra / disturbed < 2.4);
	ops->release(device, task);
	ops->close(device);
}

static void drift_grows_with_device_time(void **state)
{
	const struct mxt_device_ops *ops =
	    fake(*state,
		 "{\"drift_per_s\": 0.5, \"bare\": {\"gemm\": {\"cost\": {\"fixed_ns\": 1e9, \"ns_per_flop\": 0}}}}");
	struct mxt_device *device = open_device(ops);
	struct mxt_task *task = prepare(ops, device, MXT_PROBLEM_GEMM);
	assert_int_equal(time_of(ops, device, task, 1), 1000000000);
	assert_int_equal(time_of(ops, device, task, 1), 1500000000);
	assert_int_equal(time_of(ops, device, task, 1), 2250000000);
	ops->release(device, task);
	ops->close(device);
}

static void inventory_and_candidates_are_told(void **state)
{
	const struct mxt_device_ops *ops = fake(
	    *state,
	    "{\"inventory\": {\"units\": 304, \"memory_bytes\": 4294967296, \"peak_gflops\": 2.5},"
	    " \"bare\": {\"gemm\": {\"choice\": \"mkl\"}},"
	    " \"candidates\": [{\"name\": \"a\", \"probe\": \"gemm\", \"env\": {\"X\": \"1\"}, \"skip\": \"not here\"},"
	    " {\"name\": \"b\", \"probe\": \"attention\", \"env\": {\"X\": \"1\"}, \"choice\": \"flash\","
	    " \"deterministic\": true}]}");
	struct mxt_inventory inventory;
	assert_int_equal(ops->inventory(&live, &(struct mxt_device_target){.ordinal = 0}, NULL, &inventory, NULL), 0);
	assert_int_equal(inventory.units, 304);
	assert_true(inventory.memory_bytes == (uint64_t)4 << 30);
	assert_true(inventory.peak_flops == 2.5e9);
	assert_int_equal(json_integer_value(json_object_get(inventory.platform, "memory_gib")), 4);
	char *environment[] = {NULL, NULL};
	char variable[256];
	(void)snprintf(variable, sizeof variable, "MINDXTRAIN_FAKE_SCENARIO=%s", getenv("MINDXTRAIN_FAKE_SCENARIO"));
	environment[0] = variable;
	struct mxt_candidate_list list;
	assert_int_equal(ops->candidates(&live, &inventory, MXT_PROBLEM_GEMM, environment, &list, NULL), 0);
	assert_int_equal(list.count, 1);
	assert_string_equal(list.bare_choice, "mkl");
	assert_string_equal(list.items[0].choice, "a");
	assert_string_equal(list.items[0].skip, "not here");
	mxt_candidate_list_finish(&list);
	assert_int_equal(ops->candidates(&live, &inventory, MXT_PROBLEM_ATTENTION, environment, &list, NULL), 0);
	assert_int_equal(list.count, 1);
	assert_string_equal(list.bare_choice, "math");
	assert_string_equal(list.items[0].choice, "flash");
	assert_true(list.items[0].deterministic && !list.items[0].skip);
	mxt_candidate_list_finish(&list);
	mxt_inventory_finish(&inventory);
}

static void bits_tell_functions_apart(void **state)
{
	const struct mxt_device_ops *ops =
	    fake(*state, "{\"candidates\": [{\"name\": \"a\", \"probe\": \"gemm\", \"env\": {\"X\": \"a\"}},"
			 " {\"name\": \"b\", \"probe\": \"gemm\", \"env\": {\"X\": \"b\"}, \"bits\": \"same\"}]}");
	struct mxt_check checks[3];
	static const char *const values[] = {"", "a", "b"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(values); i++) {
		(void)setenv("X", values[i], 1);
		struct mxt_device *device = open_device(ops);
		struct mxt_task *task = prepare(ops, device, MXT_PROBLEM_GEMM);
		assert_int_equal(ops->check(device, task, &checks[i], NULL), 0);
		ops->release(device, task);
		ops->close(device);
	}
	(void)unsetenv("X");
	assert_memory_not_equal(checks[0].bits, checks[1].bits, sizeof checks[0].bits);
	assert_memory_equal(checks[0].bits, checks[2].bits, sizeof checks[0].bits);
}

static void expect_refusal(const char *folder, const char *scenario, const char *words)
{
	const struct mxt_device_ops *ops = fake(folder, scenario);
	struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_inventory inventory;
	assert_true(ops->inventory(&live, &(struct mxt_device_target){.ordinal = 0}, NULL, &inventory, &err) < 0);
	if (!strstr(mxt_error_text(&err), words) || !strstr(mxt_error_text(&err), "scenario"))
		fail_msg("%s: %s", scenario, mxt_error_text(&err));
	assert_int_equal(mxt_error_class_of(err.id), MXT_CLASS_INPUT);
	mxt_error_clear(&err);
}

static void mistakes_are_named(void **state)
{
	expect_refusal(*state, "{\"sed\": 1}", "sed");
	expect_refusal(*state, "{", "line 1");
	expect_refusal(*state, "{\"seed\": -2}", "seed must lie between");
	expect_refusal(*state, "{\"bare\": {\"gemm\": {\"noise\": {\"sigma\": -1}}}}", "sigma must lie between");
	expect_refusal(*state, "{\"inventory\": {\"units\": 0}}", "out of range");
	expect_refusal(*state, "{\"inventory\": {\"platform\": []}}", "are objects");
	expect_refusal(*state, "{\"candidates\": [{\"name\": \"a\", \"probe\": \"gemm\", \"env\": {}}]}",
		       "sets no variable");
	expect_refusal(*state, "{\"candidates\": [{\"name\": \"a\", \"probe\": \"g\", \"env\": {\"X\": \"1\"}}]}",
		       "unknown probe 'g'");
	expect_refusal(*state, "{\"bare\": {\"gemm\": {\"faults\": [{\"fault\": \"boom\"}]}}}", "unknown fault 'boom'");
	(void)unsetenv("MINDXTRAIN_FAKE_SCENARIO");
	struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_device *device = NULL;
	assert_int_equal(mxt_device_find("fake")->open(&(struct mxt_device_target){.ordinal = 0}, &device, &err),
			 -ENODEV);
	assert_non_null(strstr(mxt_error_text(&err), "MINDXTRAIN_FAKE_SCENARIO"));
	mxt_error_clear(&err);
}

static void every_fixture_is_a_scenario(void **state)
{
	(void)state;
	char folder[512];
	const char *root = getenv("MXT_SOURCE_ROOT");
	(void)snprintf(folder, sizeof folder, "%s/tests/fixtures/scenarios", root ? root : ".");
	MXT_CLEANUP_DIR DIR *dir = opendir(folder);
	assert_non_null(dir);
	size_t count = 0;
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
		char path[1024];
		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		assert_int_equal(setenv("MINDXTRAIN_FAKE_SCENARIO", path, 1), 0);
		struct mxt_error err = MXT_ERROR_INIT;
		struct mxt_inventory inventory;
		if (mxt_device_find("fake")->inventory(&live, &(struct mxt_device_target){.ordinal = 0}, NULL,
						       &inventory, &err) < 0)
			fail_msg("%s", mxt_error_text(&err));
		mxt_inventory_finish(&inventory);
		count++;
	}
	assert_true(count > 30);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, mxt_scratch_setup, mxt_scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(results_repeat),
	    TEST(costs_are_as_written),
	    TEST(noise_has_its_size_and_repeats),
	    TEST(tails_are_rare_and_long),
	    TEST(drift_grows_with_device_time),
	    TEST(inventory_and_candidates_are_told),
	    TEST(bits_tell_functions_apart),
	    TEST(mistakes_are_named),
	    TEST(every_fixture_is_a_scenario),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
