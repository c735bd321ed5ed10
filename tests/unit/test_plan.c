/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "hash.h"
#include "json.h"
#include "plan.h"
#include "plan_example.h"

/* Seals the example with one change each to its two parts (NULL path: none). */
static int seal_changed(const char *decision_path, const char *decision_value, const char *evidence_path,
			const char *evidence_value, json_t **ret_plan, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *decision = plan_example(plan_example_decision);
	MXT_CLEANUP_JSON json_t *evidence = plan_example(plan_example_evidence);
	assert_non_null(decision);
	assert_non_null(evidence);
	if (decision_path)
		assert_int_equal(plan_example_set(decision, decision_path, decision_value), 0);
	if (evidence_path)
		assert_int_equal(plan_example_set(evidence, evidence_path, evidence_value), 0);
	return mxt_plan_seal(decision, evidence, ret_plan, err);
}

static struct mxt_plan *parse_document(const json_t *document)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_plan *plan = NULL;
	assert_int_equal(mxt_json_canonical(document, &buf, NULL), 0);
	if (mxt_plan_parse("p.json", buf.data, buf.len, &plan, &err) < 0)
		fail_msg("%s", mxt_error_text(&err));
	return plan;
}

static struct mxt_plan *example_with(const char *decision_path, const char *decision_value, const char *evidence_path,
				     const char *evidence_value)
{
	MXT_CLEANUP_JSON json_t *document = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (seal_changed(decision_path, decision_value, evidence_path, evidence_value, &document, &err) < 0)
		fail_msg("%s", mxt_error_text(&err));
	return parse_document(document);
}

static void round_trip(void **state)
{
	(void)state;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = example_with(NULL, NULL, NULL, NULL);
	size_t len = 0;
	const char *canonical = mxt_plan_canonical(plan, &len);
	char id[MXT_HASH_HEX_SIZE];
	mxt_hash_hex(canonical, len, id);
	assert_string_equal(mxt_plan_id(plan), id);
	assert_string_equal(mxt_plan_string(plan, "plan_id"), id);

	MXT_CLEANUP_PLAN struct mxt_plan *again = parse_document(mxt_plan_document(plan));
	assert_string_equal(mxt_plan_id(again), id);
	MXT_CLEANUP_JSON json_t *sealed = NULL;
	assert_int_equal(mxt_plan_seal(mxt_plan_decision(plan), mxt_plan_evidence(plan), &sealed, NULL), 0);
	assert_true(json_equal(sealed, (json_t *)mxt_plan_document(plan)));
}

static void evidence_is_not_in_the_id(void **state)
{
	(void)state;
	MXT_CLEANUP_PLAN struct mxt_plan *a = example_with(NULL, NULL, NULL, NULL);
	MXT_CLEANUP_PLAN struct mxt_plan *b = example_with(NULL, NULL, "created", "\"later\"");
	MXT_CLEANUP_PLAN struct mxt_plan *c = example_with("attention.backend", "\"math\"", NULL, NULL);
	assert_string_equal(mxt_plan_id(a), mxt_plan_id(b));
	assert_string_not_equal(mxt_plan_id(a), mxt_plan_id(c));
}

static void sealing_brings_the_decision_into_form(void **state)
{
	(void)state;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = example_with("contract", "{}", NULL, NULL);
	MXT_CLEANUP_PLAN struct mxt_plan *plain = example_with(NULL, NULL, NULL, NULL);
	assert_string_equal(mxt_plan_id(plan), mxt_plan_id(plain));
	MXT_CLEANUP_PLAN struct mxt_plan *swapped =
	    example_with("unset", "[\"OMP_NUM_THREADS\", \"BLIS_NUM_THREADS\"]", NULL, NULL);
	assert_string_equal(mxt_plan_id(swapped), mxt_plan_id(plain));
	MXT_CLEANUP_PLAN struct mxt_plan *bare = example_with("env", "{}", NULL, NULL);
	assert_int_equal(mxt_plan_env_count(bare), 0);
}

static void answers_queries(void **state)
{
	(void)state;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = example_with(NULL, NULL, NULL, NULL);
	assert_string_equal(mxt_plan_string(plan, "decision.attention.backend"), "flash");
	assert_null(mxt_plan_string(plan, "decision.attention.forward"));
	assert_null(mxt_plan_string(plan, "decision.attention"));
	assert_null(mxt_plan_string(plan, "decision.platform.units"));
	assert_null(mxt_plan_string(plan, ""));
	assert_null(mxt_plan_string(plan, "..decision"));
	int64_t units = 7;
	assert_int_equal(mxt_plan_integer(plan, "decision.platform.units", &units), 0);
	assert_int_equal(units, 2);
	assert_true(mxt_plan_integer(plan, "decision.platform.vendor", &units) < 0);
	assert_int_equal(units, 2);
	assert_int_equal(mxt_plan_env_count(plan), 2);
	assert_string_equal(mxt_plan_env_name(plan, 0), "MINDXTRAIN_CPU_ATTENTION");
	assert_string_equal(mxt_plan_env_value(plan, 1), "Haswell");
	assert_int_equal(mxt_plan_unset_count(plan), 2);
	assert_string_equal(mxt_plan_unset_name(plan, 1), "OMP_NUM_THREADS");
}

static void says_what_it_may_be_used_for(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_PLAN struct mxt_plan *self_test = example_with(NULL, NULL, NULL, NULL);
	assert_true(mxt_plan_is_self_test(self_test));
	assert_true(mxt_plan_usable(self_test, MXT_PLAN_RUN, true, &err) < 0);
	assert_true(mxt_plan_usable(self_test, MXT_PLAN_TRAIN, true, &err) < 0);
	assert_int_equal(err.id, MXT_E_PLAN_SELF_TEST);

	MXT_CLEANUP_PLAN struct mxt_plan *simulated = example_with("stack.torch", "\"2.11.0\"", "simulated", "true");
	assert_false(mxt_plan_is_self_test(simulated));
	assert_true(mxt_plan_is_simulated(simulated));
	assert_true(mxt_plan_usable(simulated, MXT_PLAN_RUN, false, &err) < 0);
	assert_int_equal(err.id, MXT_E_PLAN_SIMULATED);
	assert_true(mxt_plan_usable(simulated, MXT_PLAN_TRAIN, false, &err) < 0);
	assert_int_equal(mxt_plan_usable(simulated, MXT_PLAN_TRAIN, true, &err), 0);
}

struct change {
	const char *path, *value;
	enum mxt_error_id id;
	const char *words; /* in the error: the place, or the remedy */
};

/* Every one of these gets a correct id. */
static const struct change bad_decisions[] = {
    {"surprise", "1", MXT_E_PLAN_KEY, "decision.surprise: unknown key"},
    {"polcy", "\"aot_only\"", MXT_E_PLAN_KEY, "did you mean 'policy'?"},
    {"platform.color", "\"red\"", MXT_E_PLAN_KEY, "decision.platform.color"},
    {"workload.model.name", "\"x\"", MXT_E_PLAN_KEY, "decision.workload.model.name"},
    {"workload.not_modelled", "[\"x\"]", MXT_E_PLAN_KEY, "decision.workload.not_modelled"},
    {"policy", NULL, MXT_E_PLAN_FIELD, "decision.policy: the key is missing"},
    {"policy", "\"jit\"", MXT_E_PLAN_FIELD, "decision.policy: \"jit\" is not allowed; expected one of aot_only"},
    {"version", "2", MXT_E_PLAN_FIELD, "decision.version"},
    {"platform", "[]", MXT_E_PLAN_FIELD, "decision.platform: an empty array is not allowed; expected an object"},
    {"platform.units", "-1", MXT_E_PLAN_FIELD, "decision.platform.units: -1 is not allowed; expected a whole number"},
    {"platform.units", "9007199254740991", MXT_E_PLAN_FIELD, "decision.platform.units"},
    {"platform.units", "\"2\"", MXT_E_PLAN_FIELD, "decision.platform.units: \"2\""},
    {"platform.vendor", "\"\"", MXT_E_PLAN_FIELD, "decision.platform.vendor"},
    {"platform.vendor", "\"caf\xc3\xa9\"", MXT_E_PLAN_FIELD, "decision.platform.vendor"},
    {"stack.capabilities", "[\"b\",\"a\"]", MXT_E_PLAN_FIELD, "decision.stack.capabilities"},
    {"stack.capabilities", "[]", MXT_E_PLAN_FIELD, "decision.stack.capabilities"},
    {"workload.model.layers", "0", MXT_E_PLAN_FIELD, "decision.workload.model.layers"},
    {"workload.model.kv_heads", "32", MXT_E_PLAN_FIELD, "kv_heads: equals heads"},
    {"workload.model.kv_heads", "5", MXT_E_PLAN_FIELD, "kv_heads: does not divide heads"},
    {"workload.model.head_dim", "80", MXT_E_PLAN_FIELD, "head_dim: equals hidden / heads"},
    {"workload.model.attention_layers", "36", MXT_E_PLAN_FIELD, "attention_layers"},
    {"workload.model.gated_mlp", "true", MXT_E_PLAN_FIELD, "leave the key out for: true"},
    {"workload.training.gpus", "1", MXT_E_PLAN_FIELD, "leave the key out for: 1"},
    {"workload.deterministic", "true", MXT_E_PLAN_FIELD, "belongs into training"},
    {"workload.training.lora_rank", NULL, MXT_E_PLAN_FIELD, "adapter and lora_rank belong together"},
    {"workload.training.adapter", NULL, MXT_E_PLAN_FIELD, "adapter and lora_rank belong together"},
    {"workload.training.lora_targets", "[\"v\",\"q\"]", MXT_E_PLAN_FIELD, "in this order"},
    {"workload.training.lora_targets", "[\"q\",\"q\"]", MXT_E_PLAN_FIELD, "lora_targets"},
    {"workload.excluded", "[]", MXT_E_PLAN_FIELD, "decision.workload.excluded"},
    {"attention.forward", "\"flash\"", MXT_E_PLAN_FIELD, "decision.attention.forward: equals backend"},
    {"attention.backend", "\"../../x\"", MXT_E_PLAN_FIELD, "decision.attention.backend"},
    {"gemm.mode", "\"pinned\"", MXT_E_PLAN_FIELD, "decision.gemm.pins"},
    {"gemm.pins", "[]", MXT_E_PLAN_FIELD, "decision.gemm.pins: an empty array"},
    {"gemm.pins", "[{\"problem\":{\"op\":\"gemm\",\"m\":1,\"n\":1,\"k\":1,\"dtype\":\"float32\"},\"solution\":0}]",
     MXT_E_PLAN_FIELD, "if, and only if, mode is pinned"},
    {"collective.config", "\"3gpu\"", MXT_E_PLAN_FIELD, "decision.collective.config"},
    {"collective.config", "\"8gpu_xgmi\"", MXT_E_PLAN_FIELD, "decision.collective.config: is for 8 GPUs"},
    {"env", "[1]", MXT_E_PLAN_FIELD, "decision.env"},
    {"env", "17", MXT_E_PLAN_FIELD, "decision.env"},
    {"unset", "[1]", MXT_E_PLAN_FIELD, "decision.unset"},
    {"unset", "[\"BLIS_NUM_THREADS\",\"BLIS_NUM_THREADS\"]", MXT_E_PLAN_FIELD, "decision.unset"},
    {"unset.#", "\"OPENBLAS_NUM_THREADS\"", MXT_E_NONE, ""},
    {"unset.#", "\"MINDXTRAIN_CPU_ATTENTION\"", MXT_E_PLAN_FIELD, "the variable is exported too"},
    {"unset.#", "\"LD_PRELOAD\"", MXT_E_PLAN_VARIABLE, "no plan may ever remove LD_PRELOAD"},
    {"unset.#", "\"PATH\"", MXT_E_PLAN_VARIABLE, "decision.unset[2]"},
    {"unset.#", "\"MADE_UP\"", MXT_E_PLAN_VARIABLE, "MADE_UP: it is not in the table"},
    {"unset.#", "\"OPENBLAS_CORETYPE\"", MXT_E_PLAN_VARIABLE, "may not remove OPENBLAS_CORETYPE"},
    {"env.LD_PRELOAD", "\"/tmp/x.so\"", MXT_E_PLAN_VARIABLE,
     "decision.env.LD_PRELOAD: no plan may ever set LD_PRELOAD"},
    {"env.PATH", "\"/tmp\"", MXT_E_PLAN_VARIABLE, "decision.env.PATH"},
    {"env.PYTHONPATH", "\"/tmp\"", MXT_E_PLAN_VARIABLE, "decision.env.PYTHONPATH"},
    {"env.NCCL_TUNER_PLUGIN", "\"/tmp/x.so\"", MXT_E_PLAN_VARIABLE, "loads code"},
    {"env.MADE_UP", "\"1\"", MXT_E_PLAN_VARIABLE, "decision.env.MADE_UP: no plan may set MADE_UP"},
    {"env.omp_num_threads", "\"1\"", MXT_E_PLAN_VARIABLE, "did you mean OMP_NUM_THREADS?"},
    {"env.A;reboot", "\"1\"", MXT_E_PLAN_VARIABLE, "decision.env[\"A;reboot\"]"},
    {"env.CUDA_LAUNCH_BLOCKING", "\"1\"", MXT_E_PLAN_VARIABLE, "stays as the caller has it"},
    {"env.OPENBLAS_NUM_THREADS", "\"0\"", MXT_E_PLAN_VALUE, "expected a whole number from 1 to 4096"},
    {"env.OPENBLAS_NUM_THREADS", "2", MXT_E_PLAN_VALUE, "decision.env.OPENBLAS_NUM_THREADS"},
    {"env.OPENBLAS_NUM_THREADS", "\"2; reboot\"", MXT_E_PLAN_VALUE, "'2; reboot' is not allowed"},
    {"env.OPENBLAS_CORETYPE", "\"$(reboot)\"", MXT_E_PLAN_VALUE, "decision.env.OPENBLAS_CORETYPE"},
    {"env.PYTORCH_TUNABLEOP_TUNING", "\"1\"", MXT_E_PLAN_VALUE, "expected one of 0"},
    {"env.NCCL_TUNER_CONFIG_FILE", "\"/etc/passwd\"", MXT_E_PLAN_VALUE, "@file:NAME@"},
    {"env.OPENBLAS_NUM_THREADS", "\"@file:collectives.csv@\"", MXT_E_PLAN_VALUE, "OPENBLAS_NUM_THREADS"},
    {"contract", "{\"OMP_NUM_THREADS\":\"1\"}", MXT_E_PLAN_VARIABLE, "it selects kernels"},
    {"contract", "{\"LD_PRELOAD\":\"x\"}", MXT_E_PLAN_VARIABLE, "decision.contract.LD_PRELOAD"},
    {"contract", "{\"CUBLAS_WORKSPACE_CONFIG\":\":1:1\"}", MXT_E_PLAN_VALUE, "one of :4096:8, :16:8"},
    {"contract", "{\"OPENBLAS_CORETYPE\":\"Zen\"}", MXT_E_PLAN_FIELD, "the variable is exported too"},
    {"contract", "{\"CUBLAS_WORKSPACE_CONFIG\":\":16:8\"}", MXT_E_NONE, ""},
    {"gemm.library", "1.5", MXT_E_JSON_VALUE, "gemm.library: a fraction"},
    {"gemm.library", "null", MXT_E_JSON_VALUE, "gemm.library: null"},
};

static const struct change bad_evidence[] = {
    {"version", NULL, MXT_E_PLAN_FIELD, "evidence.version: the key is missing"},
    {"version", "0", MXT_E_PLAN_FIELD, "evidence.version"},
    {"simulated", "false", MXT_E_PLAN_FIELD, "evidence.simulated"},
    {"simulated", "1", MXT_E_PLAN_FIELD, "evidence.simulated"},
    {"samples", "{}", MXT_E_PLAN_FIELD, "evidence.samples"},
    {"samples.#", "[]", MXT_E_PLAN_FIELD, "evidence.samples[1]: an object is expected here"},
    {"samples.#", "{\"probe\":\"gemm\",\"candidate\":\"x\",\"status\":\"good\"}", MXT_E_PLAN_FIELD,
     "evidence.samples[1].status"},
    {"choices.#", "{\"probe\":\"gemm\"}", MXT_E_PLAN_FIELD, "evidence.choices[1].incumbent: the key is missing"},
    {"budget.used_ns", "-1", MXT_E_PLAN_FIELD, "evidence.budget.used_ns"},
    {"created", "\"a\\nb\"", MXT_E_JSON_VALUE, "created: the string holds a control character"},
    {"unheard_of", "[1, {\"x\": true}]", MXT_E_NONE, ""},
    {"samples", "[]", MXT_E_NONE, ""},
    {"unheard_of", "1.5", MXT_E_JSON_VALUE, "unheard_of: a fraction"},
};

/* `of_decision`: which part the change is for. MXT_E_NONE: the change is fine. */
static void expect_verdict(const struct change *change, bool of_decision)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_JSON json_t *plan = NULL;
	int rc = of_decision ? seal_changed(change->path, change->value, NULL, NULL, &plan, &err)
			     : seal_changed(NULL, NULL, change->path, change->value, &plan, &err);
	if ((rc < 0) != (change->id != MXT_E_NONE) || err.id != change->id ||
	    (rc < 0 && !strstr(mxt_error_text(&err), change->words)))
		fail_msg("%s = %s: status %d, id %d, '%s'", change->path, change->value ? change->value : "(removed)",
			 rc, (int)err.id, mxt_error_text(&err));
	assert_true((plan != NULL) == (rc == 0));
}

static void refuses_bad_decisions(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(bad_decisions); i++)
		expect_verdict(&bad_decisions[i], true);
}

static void refuses_bad_evidence(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(bad_evidence); i++)
		expect_verdict(&bad_evidence[i], false);
}

static void newer_evidence_is_not_looked_at(void **state)
{
	(void)state;
	MXT_CLEANUP_JSON json_t *decision = plan_example(plan_example_decision);
	MXT_CLEANUP_JSON json_t *evidence =
	    plan_example("{\"version\":2,\"samples\":\"elsewhere\",\"simulated\":true}");
	MXT_CLEANUP_JSON json_t *document = NULL;
	assert_int_equal(mxt_plan_seal(decision, evidence, &document, NULL), 0);
	MXT_CLEANUP_PLAN struct mxt_plan *plan = parse_document(document);
	assert_true(mxt_plan_is_simulated(plan));
	assert_int_equal(json_object_set_new(evidence, "simulated", json_string("no")), 0);
	json_t *refused = NULL;
	assert_true(mxt_plan_seal(decision, evidence, &refused, NULL) < 0);
}

struct text_case {
	const char *text;
	enum mxt_error_id id;
	const char *words;
};

static const struct text_case bad_texts[] = {
    {"", MXT_E_JSON_TEXT, "empty"},
    {"{", MXT_E_JSON_TEXT, "line 1"},
    {"[]", MXT_E_PLAN_SCHEMA, "this is no plan"},
    {"{}", MXT_E_PLAN_SCHEMA, "mindxtrain autotune"},
    {"{\"architectures\":[\"LlamaForCausalLM\"]}", MXT_E_PLAN_SCHEMA, "this is no plan"},
    {"{\"schema\":1}", MXT_E_PLAN_SCHEMA, "this is no plan"},
    {"{\"schema\":\"mindxtrain.plan/2\"}", MXT_E_PLAN_SCHEMA, "another version"},
    {"{\"schema\":\"mindxtrain.plan/1\"}", MXT_E_PLAN_FIELD, "plan_id: the key is missing"},
    {"{\"schema\":\"mindxtrain.plan/1\",\"decision\":[],\"evidence\":{},\"plan_id\":\"00\"}", MXT_E_PLAN_FIELD,
     "decision: an empty array"},
    {"{\"schema\":\"mindxtrain.plan/1\",\"decision\":{},\"evidence\":{},\"plan_id\":\"00\"}", MXT_E_PLAN_ID,
     "x.json: plan_id"},
};

static void refuses_what_is_no_plan(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(bad_texts); i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		struct mxt_plan *plan = NULL;
		const char *text = bad_texts[i].text;
		int rc = mxt_plan_parse("x.json", text, strlen(text), &plan, &err);
		if (rc >= 0 || err.id != bad_texts[i].id || !strstr(mxt_error_text(&err), bad_texts[i].words))
			fail_msg("%s: id %d, '%s'", text, (int)err.id, mxt_error_text(&err));
		assert_null(plan);
	}
}

/* A changed decision with the old id, an unknown key at the top, and every cut of the text. */
static void refuses_damaged_plans(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_JSON json_t *document = NULL;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	struct mxt_plan *plan = NULL;
	assert_int_equal(seal_changed(NULL, NULL, NULL, NULL, &document, &err), 0);
	assert_int_equal(mxt_json_canonical(document, &buf, NULL), 0);
	for (size_t len = 0; len < buf.len; len++)
		assert_true(mxt_plan_parse("x", buf.data, len, &plan, &err) < 0);

	assert_int_equal(plan_example_set(document, "extra", "1"), 0);
	mxt_buf_truncate(&buf, 0);
	assert_int_equal(mxt_json_canonical(document, &buf, NULL), 0);
	assert_true(mxt_plan_parse("x", buf.data, buf.len, &plan, &err) < 0);
	assert_int_equal(err.id, MXT_E_PLAN_KEY);

	assert_int_equal(plan_example_set(document, "extra", NULL), 0);
	assert_int_equal(plan_example_set(document, "decision.attention.backend", "\"math\""), 0);
	mxt_buf_truncate(&buf, 0);
	assert_int_equal(mxt_json_canonical(document, &buf, NULL), 0);
	assert_true(mxt_plan_parse("x", buf.data, buf.len, &plan, &err) < 0);
	assert_int_equal(err.id, MXT_E_PLAN_ID);
}

#define ROW(collective, bytes)                                                                                         \
	"{\"collective\":\"" collective "\",\"max_bytes\":" #bytes ",\"algorithm\":\"ring\",\"protocol\":\"simple\"}"

static void collective_rows_are_sorted(void **state)
{
	(void)state;
	static const struct change cases[] = {
	    {"collective.table", "[" ROW("allgather", 5) "," ROW("allgather", 6) "," ROW("allreduce", 1) "]",
	     MXT_E_NONE, ""},
	    {"collective.table", "[" ROW("allgather", 6) "," ROW("allgather", 5) "]", MXT_E_PLAN_FIELD,
	     "decision.collective.table[1]"},
	    {"collective.table", "[" ROW("allgather", 6) "," ROW("allgather", 6) "]", MXT_E_PLAN_FIELD, "sorted"},
	    {"collective.table", "[" ROW("allreduce", 6) "," ROW("allgather", 7) "]", MXT_E_PLAN_FIELD, "sorted"},
	    {"collective.table", "[" ROW("gather", 6) "]", MXT_E_PLAN_FIELD, "decision.collective.table[0].collective"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++)
		expect_verdict(&cases[i], true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(round_trip),
	    cmocka_unit_test(evidence_is_not_in_the_id),
	    cmocka_unit_test(sealing_brings_the_decision_into_form),
	    cmocka_unit_test(answers_queries),
	    cmocka_unit_test(says_what_it_may_be_used_for),
	    cmocka_unit_test(refuses_bad_decisions),
	    cmocka_unit_test(refuses_bad_evidence),
	    cmocka_unit_test(newer_evidence_is_not_looked_at),
	    cmocka_unit_test(refuses_what_is_no_plan),
	    cmocka_unit_test(refuses_damaged_plans),
	    cmocka_unit_test(collective_rows_are_sorted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
