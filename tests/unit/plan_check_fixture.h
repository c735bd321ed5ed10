/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan of the simulated device, and a config, for tests of what is checked before a run starts.
 */
#ifndef MXT_TESTS_PLAN_CHECK_FIXTURE_H
#define MXT_TESTS_PLAN_CHECK_FIXTURE_H

#include <stdlib.h>

#include "buf.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "plan.h"
#include "plan_check.h"
#include "plan_example.h"
#include "plan_fit.h"
#include "remarks.h"
#include "scratch.h"
#include "sysroot.h"

/* What trains the example's workload, but for its model. */
static const char plan_check_config[] = "base_model: instella-3b\n"
					"sequence_len: 4096\n"
					"micro_batch_size: 8\n"
					"gradient_accumulation_steps: 1\n"
					"sample_packing: true\n"
					"adapter: lora\n"
					"lora_r: 16\n"
					"lora_target_linear: true\n"
					"lora_mlp_kernel: false\n"
					"lora_qkv_kernel: false\n"
					"lora_o_kernel: false\n"
					"attn_implementation: flash_attention_2\n";

/* The simulated device of the scenario. */
static const char plan_check_platform[] =
    "{\"vendor\":\"simulated\",\"arch\":\"simulated-1\",\"units\":2,\"memory_gib\":8}";
static const char plan_check_stack[] = "{\"torch\":\"2.11.0\"}";

static inline struct mxt_plan *plan_check_seal(const json_t *decision, const json_t *evidence)
{
	MXT_CLEANUP_JSON json_t *document = NULL;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	struct mxt_plan *plan = NULL;
	assert_int_equal(mxt_plan_seal(decision, evidence, &document, NULL), 0);
	assert_int_equal(mxt_json_canonical(document, &text, NULL), 0);
	assert_int_equal(mxt_plan_parse("plan.json", text.data, text.len, &plan, NULL), 0);
	return plan;
}

static inline void plan_check_on_simulated(json_t *decision, json_t *evidence)
{
	assert_int_equal(plan_example_set(decision, "platform", plan_check_platform), 0);
	assert_int_equal(plan_example_set(decision, "stack", plan_check_stack), 0);
	assert_int_equal(plan_example_set(evidence, "simulated", "true"), 0);
}

/* A sealed plan; `path` and `value` change its decision (see plan_example_set()), NULL: they do not. */
static inline struct mxt_plan *plan_check_plan(bool simulated, const char *path, const char *value)
{
	MXT_CLEANUP_JSON json_t *decision = plan_example(plan_example_decision);
	MXT_CLEANUP_JSON json_t *evidence = plan_example(plan_example_evidence);
	if (simulated)
		plan_check_on_simulated(decision, evidence);
	if (path)
		assert_int_equal(plan_example_set(decision, path, value), 0);
	return plan_check_seal(decision, evidence);
}

/* Puts the scenario of that device in force. */
static inline void plan_check_simulate(const char *folder)
{
	MXT_CLEANUP_BUF struct mxt_buf scenario = MXT_BUF_INIT;
	mxt_buf_printf(&scenario,
		       "{\"seed\":1,\"inventory\":{\"platform\":%s,\"stack\":%s},"
		       "\"bare\":{\"attention\":{\"choice\":\"math\"},\"gemm\":{\"choice\":\"openblas\"}},"
		       "\"candidates\":[]}",
		       plan_check_platform, plan_check_stack);
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(folder, "scenario.json", mxt_buf_text(&scenario));
	assert_int_equal(setenv("MINDXTRAIN_FAKE_SCENARIO", path, 1), 0);
}

#endif
