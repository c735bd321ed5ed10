/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said of a plan before a run starts, and which option lets it through.
 */
#include "plan_check.h"

#include <string.h>

#include "compiler.h"
#include "plan_check_fixture.h"

struct said {
	enum mxt_remark_kind kind;
	enum mxt_error_id id;
	const char *text; /* a part of it */
};

struct check {
	const char *folder;
	struct mxt_remarks remarks;
	struct mxt_plan_check_request request;
	struct mxt_sysroot root;
	struct mxt_plan_machine machine;
	char *config;
	char *environment[1];
};

static int setup(void **state)
{
	static struct check check;
	void *folder = NULL;
	assert_int_equal(mxt_scratch_setup(&folder), 0);
	plan_check_simulate(folder);
	check = (struct check){.folder = folder, .remarks = MXT_REMARKS_INIT, .root = MXT_SYSROOT_LIVE};
	check.machine = (struct mxt_plan_machine){.root = &check.root, .environment = check.environment};
	check.request = (struct mxt_plan_check_request){.use = MXT_PLAN_RUN, .machine = &check.machine, .nodes = 1};
	*state = &check;
	return 0;
}

static int teardown(void **state)
{
	struct check *check = *state;
	void *folder = (void *)check->folder;
	mxt_remarks_finish(&check->remarks);
	free(check->config);
	return mxt_scratch_teardown(&folder);
}

static void use_config(struct check *check, const char *text)
{
	free(check->config);
	check->config = mxt_scratch_write(check->folder, "run.yaml", text);
	check->request.config = check->config;
}

/* Checks the plan, which it releases, and looks for exactly these remarks. */
static void expect(struct check *check, struct mxt_plan *plan, const struct said *said, size_t count)
{
	unsigned allowed = check->remarks.allowed;
	check->request.plan = plan;
	assert_int_equal(mxt_plan_check(&check->request, &check->remarks, NULL), 0);
	assert_int_equal(check->remarks.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(check->remarks.items[i].kind, said[i].kind);
		assert_int_equal(check->remarks.items[i].id, said[i].id);
		if (!strstr(check->remarks.items[i].text, said[i].text))
			assert_string_equal(check->remarks.items[i].text, said[i].text);
	}
	mxt_remarks_finish(&check->remarks);
	check->remarks.allowed = allowed;
	mxt_plan_destroy(plan);
}

static void test_simulated(void **state)
{
	struct check *check = *state;
	const struct said refused[] = {{MXT_REMARK_REFUSED, MXT_E_PLAN_SIMULATED, "simulated hardware"}};
	const struct said allowed[] = {{MXT_REMARK_ALLOWED, MXT_E_PLAN_SIMULATED, "simulated hardware"}};
	expect(check, plan_check_plan(true, NULL, NULL), refused, 1);
	check->remarks.allowed = MXT_ALLOW_SIMULATED;
	expect(check, plan_check_plan(true, NULL, NULL), allowed, 1);
}

static void test_another_machine(void **state)
{
	struct check *check = *state;
	const struct said said[] = {
	    {MXT_REMARK_ALLOWED, MXT_E_PLAN_SIMULATED, ""},
	    {MXT_REMARK_REFUSED, MXT_E_PLAN_MISMATCH, "platform.memory_gib: 9, here 8"},
	    {MXT_REMARK_REFUSED, MXT_E_PLAN_MISMATCH, "platform.units: 4, here 2; make a plan here"}};
	const char *platform = "{\"vendor\":\"simulated\",\"arch\":\"simulated-1\",\"units\":4,\"memory_gib\":9}";
	check->remarks.allowed = MXT_ALLOW_SIMULATED;
	expect(check, plan_check_plan(true, "platform", platform), said, 3);
}

static void test_contract(void **state)
{
	struct check *check = *state;
	const struct said said[] = {
	    {MXT_REMARK_ALLOWED, MXT_E_PLAN_SIMULATED, ""},
	    {MXT_REMARK_ALLOWED, MXT_E_PLAN_MISMATCH,
	     "this environment: contract.CUBLAS_WORKSPACE_CONFIG: :4096:8, here nothing; set this variable"}};
	check->remarks.allowed = MXT_ALLOW_SIMULATED | MXT_ALLOW_MISMATCH;
	expect(check, plan_check_plan(true, "contract", "{\"CUBLAS_WORKSPACE_CONFIG\":\":4096:8\"}"), said, 2);
}

static void test_self_test(void **state)
{
	struct check *check = *state;
	const struct said said[] = {{MXT_REMARK_REFUSED, MXT_E_PLAN_SELF_TEST, "self-test"}};
	check->request.use = MXT_PLAN_TRAIN;
	check->remarks.allowed = MXT_ALLOW_SIMULATED | MXT_ALLOW_MISMATCH | MXT_ALLOW_JIT;
	expect(check, plan_check_plan(false, NULL, NULL), said, 1);
	const struct said simulated[] = {{MXT_REMARK_ALLOWED, MXT_E_PLAN_SIMULATED, ""},
					 {MXT_REMARK_ALLOWED, MXT_E_PLAN_MISMATCH, "stack.torch: none, here 2.11.0"}};
	check->request.use = MXT_PLAN_RUN;
	expect(check, plan_check_plan(true, "stack", "{\"torch\":\"none\"}"), simulated, 2);
}

static void test_nodes(void **state)
{
	struct check *check = *state;
	const struct said said[] = {
	    {MXT_REMARK_ALLOWED, MXT_E_PLAN_SIMULATED, ""},
	    {MXT_REMARK_REFUSED, MXT_E_LAUNCH_PLAN_NODES, "the plan is for 1 node, and 2 take part"},
	};
	const struct said fewer[] = {
	    said[0], {MXT_REMARK_REFUSED, MXT_E_LAUNCH_PLAN_NODES, "the plan is for 4 nodes, and 2 take part"}};
	check->remarks.allowed = MXT_ALLOW_SIMULATED | MXT_ALLOW_MISMATCH | MXT_ALLOW_JIT;
	check->request.nodes = 2;
	expect(check, plan_check_plan(true, NULL, NULL), said, 2);
	expect(check, plan_check_plan(true, "workload.training.nodes", "2"), said, 1);
	expect(check, plan_check_plan(true, "workload.training.nodes", "4"), fewer, 2);
}

static void test_config(void **state)
{
	struct check *check = *state;
	const struct said said[] = {
	    {MXT_REMARK_ALLOWED, MXT_E_PLAN_SIMULATED, ""},
	    {MXT_REMARK_REFUSED, MXT_E_PLAN_MISMATCH, "workload.training.lora_rank: 8, the config says 16 ("},
	};
	check->remarks.allowed = MXT_ALLOW_SIMULATED;
	use_config(check, plan_check_config);
	expect(check, plan_check_plan(true, NULL, NULL), said, 1);
	expect(check, plan_check_plan(true, "workload.training.lora_rank", "8"), said, 2);
}

static void test_config_that_cannot_be_compared(void **state)
{
	struct check *check = *state;
	const struct said said[] = {
	    {MXT_REMARK_ALLOWED, MXT_E_PLAN_SIMULATED, ""},
	    {MXT_REMARK_ALLOWED, MXT_E_MODEL_NOT_FOUND, "the plan cannot be compared with the config: "},
	};
	check->remarks.allowed = MXT_ALLOW_SIMULATED | MXT_ALLOW_MISMATCH;
	use_config(check, "base_model: nobody/nothing\n");
	expect(check, plan_check_plan(true, NULL, NULL), said, 2);
}

static const char recorded[] = "{\"recorded\":\"0123456789012345678901234567890123456789012345678901234567890123\"}";

static void test_recording_alone(void **state)
{
	struct check *check = *state;
	const struct said said[] = {{MXT_REMARK_ALLOWED, MXT_E_PLAN_SIMULATED, ""},
				    {MXT_REMARK_WARNING, MXT_E_NONE, "3 take part"},
				    {MXT_REMARK_NOTE, MXT_E_NONE, "of a recording alone"}};
	check->remarks.allowed = MXT_ALLOW_SIMULATED;
	check->request.nodes = 3;
	use_config(check, plan_check_config);
	expect(check, plan_check_plan(true, "workload", recorded), said, 3);
}

/* What a plan sets for collectives may tell for how many nodes it is. */
static void test_recording_of_one_node(void **state)
{
	struct check *check = *state;
	MXT_CLEANUP_JSON json_t *decision = plan_example(plan_example_decision);
	MXT_CLEANUP_JSON json_t *evidence = plan_example(plan_example_evidence);
	const struct said said[] = {
	    {MXT_REMARK_ALLOWED, MXT_E_PLAN_SIMULATED, ""},
	    {MXT_REMARK_REFUSED, MXT_E_LAUNCH_PLAN_NODES, "the plan is for 1 node, and 3 take part"}};
	plan_check_on_simulated(decision, evidence);
	assert_int_equal(plan_example_set(decision, "workload", recorded), 0);
	assert_int_equal(plan_example_set(decision, "collective.config", "\"8gpu_xgmi\""), 0);
	check->remarks.allowed = MXT_ALLOW_SIMULATED;
	check->request.nodes = 3;
	expect(check, plan_check_seal(decision, evidence), said, 2);
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    ROW(test_simulated),
	    ROW(test_another_machine),
	    ROW(test_contract),
	    ROW(test_self_test),
	    ROW(test_nodes),
	    ROW(test_config),
	    ROW(test_config_that_cannot_be_compared),
	    ROW(test_recording_alone),
	    ROW(test_recording_of_one_node),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
