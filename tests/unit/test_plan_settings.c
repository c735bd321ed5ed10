/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "plan_settings.h"
#include "run_plan_example.h"

static const char cpu_platform[] =
    "{\"vendor\":\"amd\",\"arch\":\"x86_64-v4\",\"family\":26,\"model\":2,\"units\":2,\"memory_gib\":24}";
static const char amd_platform[] = "{\"vendor\":\"amd\",\"arch\":\"gfx942\",\"units\":304,\"memory_gib\":192}";

/* What is set for a plan with these parts of its decision; "": nothing. */
static const struct {
	const char *backend, *env, *torch, *platform;
	const char *sdpa;
} rows[] = {
    {"cudnn", NULL, NULL, NULL, ""},              /* bare took it when it was measured */
    {"flash", NULL, NULL, NULL, "flash"},         /* forced: nothing exported leads there */
    {"efficient", NULL, NULL, NULL, "efficient"}, /* no variable at all leads there */
    {"math", NULL, NULL, NULL, "math"},
    {"flash", "{\"TORCH_CUDNN_SDPA_DEPRIORITIZED\":\"1\"}", NULL, NULL, ""},
    {"flash", "{\"TORCH_CUDNN_SDPA_DEPRIORITIZED\":\"0\"}", NULL, NULL, "flash"},
    {"flash", "{\"TORCH_CUDNN_SDPA_DEPRIORITIZED\":\"1\"}", "2.10.0", NULL, "flash"}, /* which does not read it */
    {"math", NULL, NULL, cpu_platform, "math"},
    {"ck", NULL, NULL, amd_platform, "ck"},
    {"ck", "{\"TORCH_ROCM_FA_PREFER_CK\":\"1\"}", NULL, amd_platform, ""},
    {"aotriton", NULL, NULL, amd_platform, ""}, /* what torch takes by itself */
    {"aotriton", "{\"TORCH_ROCM_FA_PREFER_CK\":\"1\"}", NULL, amd_platform, "aotriton"},
    {"fa2", NULL, NULL, NULL, ""}, /* not one of torch's dispatcher */
    {"eager", NULL, NULL, NULL, ""},
};

static void set_quoted(json_t *decision, const char *path, const char *text)
{
	json_t *value = json_string(text);
	char *quoted = json_dumps(value, JSON_ENCODE_ANY);
	assert_int_equal(plan_example_set(decision, path, quoted), 0);
	free(quoted);
	json_decref(value);
}

static struct mxt_plan *plan_of(size_t i)
{
	MXT_CLEANUP_JSON json_t *decision = plan_example(run_plan_decision);
	set_quoted(decision, "attention.backend", rows[i].backend);
	if (rows[i].torch)
		set_quoted(decision, "stack.torch", rows[i].torch);
	if (rows[i].env)
		assert_int_equal(plan_example_set(decision, "env", rows[i].env), 0);
	if (rows[i].platform)
		assert_int_equal(plan_example_set(decision, "platform", rows[i].platform), 0);
	char *text = json_dumps(decision, 0);
	struct mxt_plan *plan = run_plan_of(text, NULL);
	free(text);
	return plan;
}

static void sdpa(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		MXT_CLEANUP_PLAN struct mxt_plan *plan = plan_of(i);
		struct mxt_plan_settings settings;
		assert_int_equal(mxt_plan_settings(plan, &settings, NULL), 0);
		if (strcmp(settings.sdpa ? settings.sdpa : "", rows[i].sdpa) != 0)
			print_message("row %zu: %s\n", i, settings.sdpa ? settings.sdpa : "nothing");
		assert_string_equal(settings.sdpa ? settings.sdpa : "", rows[i].sdpa);
		assert_int_equal(mxt_plan_needs_plugin(&settings), rows[i].sdpa[0] != '\0');
	}
}

static void expect_deterministic(const char *path, const char *value, bool wanted)
{
	MXT_CLEANUP_PLAN struct mxt_plan *plan = run_plan(path, value, NULL);
	struct mxt_plan_settings settings;
	assert_int_equal(mxt_plan_settings(plan, &settings, NULL), 0);
	assert_int_equal(settings.deterministic, wanted);
	assert_int_equal(mxt_plan_needs_plugin(&settings), wanted);
}

static void deterministic(void **state)
{
	(void)state;
	expect_deterministic(NULL, NULL, false);
	expect_deterministic("workload.training.deterministic", "true", true);
	expect_deterministic("workload",
			     "{\"recorded\":\"00000000000000000000000000000000"
			     "00000000000000000000000000000000\",\"deterministic\":true}",
			     true);
}

/* The built-in provider's plans train nothing. */
static void self_test(void **state)
{
	(void)state;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = run_plan_of(plan_example_decision, plan_example_evidence);
	struct mxt_plan_settings settings;
	assert_int_equal(mxt_plan_settings(plan, &settings, NULL), 0);
	assert_false(mxt_plan_needs_plugin(&settings));
	assert_string_equal(mxt_plan_winner(plan, "attention"), "flash");
	assert_string_equal(mxt_plan_winner(plan, "gemm"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sdpa),
	    cmocka_unit_test(deterministic),
	    cmocka_unit_test(self_test),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
