/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "gpu_rules.h"
#include "json.h"
#include "plan.h"
#include "plan_example.h"

/* What the refusal must say; NULL: there is none. */
static const struct {
	int32_t gpus;
	const char *words;
} counts[] = {
    {1, NULL},
    {2, "1 of its 7 links in use, 48 GB/s (1 x 48) against 336 with all 8"},
    {3, "2 of its 7 links in use, 96 GB/s"},
    {4, "3 of its 7 links in use, 144 GB/s (3 x 48) against 336 with all 8"},
    {5, "192 GB/s (4 x 48) against 336 with all 8; on MI355X"},
    {6, "240 GB/s"},
    {7, "288 GB/s"},
    {8, NULL},
    {9, "9 GPUs on a node are refused"},
    {16, "16 GPUs on a node are refused"},
    {1 << 24, "16777216 GPUs on a node are refused"},
};

static void counts_of_gpus(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(counts); i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		int rc = mxt_gpu_count_check(counts[i].gpus, &err);
		assert_int_equal(rc, counts[i].words ? -ENODEV : 0);
		if (!counts[i].words)
			continue;
		assert_int_equal(err.id, MXT_E_GPU_COUNT);
		assert_non_null(strstr(mxt_error_text(&err), counts[i].words));
		assert_non_null(strstr(mxt_error_text(&err), "--gpus 1"));
		assert_non_null(strstr(mxt_error_text(&err), "--gpus 8"));
	}
}

/* NCCL_MIN_NCHANNELS in a plan: for which GPUs, how many, on how many nodes (0: one, and the key is absent). */
static const struct {
	const char *arch, *channels;
	int gpus, nodes;
	const char *words; /* NULL: the plan is good */
} channels[] = {
    {"gfx942", "112", 8, 0, NULL},
    {"gfx950", "112", 8, 0, NULL},
    {"gfx942", "112", 1, 0, "8 ranks on one node only"},
    {"gfx942", "112", 4, 0, "8 ranks on one node only"},
    {"gfx950", "65", 7, 0, "8 ranks on one node only"},
    {"gfx942", "112", 8, 2, "64 channels at most where there are several nodes"},
    {"gfx942", "64", 8, 2, NULL},
    {"gfx942", "64", 1, 0, NULL},
    {"sm_90", "112", 2, 0, NULL},
    {"sm_90", "128", 8, 2, NULL},
};

static void set_integer(json_t *object, const char *key, int value)
{
	if (value > 0)
		assert_int_equal(json_object_set_new(object, key, json_integer(value)), 0);
}

static int seal(size_t row, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *decision = plan_example(plan_example_decision);
	MXT_CLEANUP_JSON json_t *evidence = plan_example(plan_example_evidence);
	MXT_CLEANUP_JSON json_t *plan = NULL;
	json_t *training = json_object_get(json_object_get(decision, "workload"), "training");
	json_t *platform = json_object_get(decision, "platform");
	const char *vendor = strncmp(channels[row].arch, "gfx", 3) == 0 ? "amd" : "nvidia";
	assert_int_equal(json_object_set_new(platform, "vendor", json_string(vendor)), 0);
	assert_int_equal(json_object_set_new(platform, "arch", json_string(channels[row].arch)), 0);
	json_t *value = json_string(channels[row].channels);
	assert_int_equal(json_object_set_new(json_object_get(decision, "env"), "NCCL_MIN_NCHANNELS", value), 0);
	assert_int_equal(json_object_del(decision, "collective"), 0);
	set_integer(training, "gpus", channels[row].gpus > 1 ? channels[row].gpus : 0);
	set_integer(training, "nodes", channels[row].nodes);
	return mxt_plan_seal(decision, evidence, &plan, err);
}

static void channels_of_rccl(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(channels); i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		int rc = seal(i, &err);
		if (!channels[i].words) {
			assert_int_equal(rc, 0);
			continue;
		}
		assert_true(rc < 0);
		assert_int_equal(err.id, MXT_E_PLAN_FIELD);
		assert_non_null(strstr(mxt_error_text(&err), "decision.env.NCCL_MIN_NCHANNELS"));
		assert_non_null(strstr(mxt_error_text(&err), channels[i].words));
	}
}

/* Without model and training, the collectives' config tells how many there are. */
static void a_recording_alone(void **state)
{
	(void)state;
	static const struct {
		const char *config;
		bool good;
	} rows[] = {{"\"8gpu_xgmi\"", true}, {"\"1gpu_noop\"", false}};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		MXT_CLEANUP_JSON json_t *decision = plan_example(plan_example_decision);
		MXT_CLEANUP_JSON json_t *evidence = plan_example(plan_example_evidence);
		MXT_CLEANUP_JSON json_t *plan = NULL;
		json_t *hash = json_string("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
		assert_int_equal(plan_example_set(decision, "workload", "{}"), 0);
		assert_int_equal(json_object_set_new(json_object_get(decision, "workload"), "recorded", hash), 0);
		assert_int_equal(plan_example_set(decision, "platform.arch", "\"gfx942\""), 0);
		assert_int_equal(plan_example_set(decision, "env.NCCL_MIN_NCHANNELS", "\"112\""), 0);
		assert_int_equal(plan_example_set(decision, "collective.config", rows[i].config), 0);
		int rc = mxt_plan_seal(decision, evidence, &plan, &err);
		assert_int_equal(rc == 0, rows[i].good);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(counts_of_gpus),
	    cmocka_unit_test(channels_of_rccl),
	    cmocka_unit_test(a_recording_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
