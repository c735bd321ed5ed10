/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of src/core fails once, jansson's included: the answer is a failure and nothing leaks, or the result
 * is the whole one. A plan that lost a part to a failed allocation would have another id.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alloc_faults.h"
#include "buf.h"
#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "json_path.h"
#include "plan.h"
#include "plan_diff.h"
#include "plan_example.h"
#include "plan_handoff.h"
#include "plan_pins.h"
#include "workload.h"

static json_t *parsed(const char *text)
{
	json_t *json = plan_example(text);
	assert_non_null(json);
	return json;
}

/* The example plan, made while nothing fails. */
struct example {
	json_t *decision, *evidence, *document;
	struct mxt_buf text; /* of the document */
};

static int setup(void **state)
{
	struct example *example = calloc(1, sizeof *example);
	assert_non_null(example);
	example->decision = parsed(plan_example_decision);
	example->evidence = parsed(plan_example_evidence);
	assert_int_equal(mxt_plan_seal(example->decision, example->evidence, &example->document, NULL), 0);
	assert_int_equal(mxt_json_canonical(example->document, &example->text, NULL), 0);
	*state = example;
	return 0;
}

static int teardown(void **state)
{
	struct example *example = *state;
	json_decref(example->decision);
	json_decref(example->evidence);
	json_decref(example->document);
	mxt_buf_finish(&example->text);
	free(example);
	return 0;
}

/* jansson's lexer loses characters of long strings when memory runs out, so any failure will do where these are parsed.
 */
static int any_failure(int rc, const struct mxt_error *err)
{
	assert_int_equal(rc, err->status);
	return rc < 0 ? -ENOMEM : 0;
}

static int parse_short(void *text)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	json_t *value = NULL;
	int rc = mxt_json_parse("test", text, strlen(text), MXT_JSON_CANONICAL, &value, &err);
	json_decref(value);
	return rc;
}

/* It calls exhausted memory a syntax error, which is not passed on. */
static void test_parse_short(void **state)
{
	char text[] = "{\"a\": [\"b\", {\"c\": true, \"d\": \"e\"}], \"f\": 1}";
	(void)state;
	assert_true(mxt_test_each_allocation(parse_short, text) > 10);
}

static int seal(void *context)
{
	const struct example *example = context;
	MXT_CLEANUP_JSON json_t *document = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_plan_seal(example->decision, example->evidence, &document, &err);
	if (rc == 0)
		assert_true(json_equal(document, example->document));
	return any_failure(rc, &err);
}

static void test_seal(void **state)
{
	assert_true(mxt_test_each_allocation(seal, *state) > 50);
}

static int parse(void *context)
{
	const struct example *example = context;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_plan_parse("plan.json", example->text.data, example->text.len, &plan, &err);
	if (rc ==
	    0) /* evidence may have lost characters to jansson's lexer, which does not look; the id guards the rest */
		assert_true(json_equal(mxt_plan_decision(plan), json_object_get(example->document, "decision")));
	return any_failure(rc, &err);
}

static void test_parse(void **state)
{
	assert_true(mxt_test_each_allocation(parse, *state) > 50);
}

/* A decision with pins: its rules, and the file that carries them. */
static int pins(void *context)
{
	const json_t *decision = context;
	const struct mxt_json_path root = MXT_JSON_ROOT;
	MXT_CLEANUP_JSON json_t *hashes = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_plan_pins_check(decision, &root, &err);
	if (rc == 0)
		rc = mxt_handoffs_hashes(decision, &hashes, &err);
	if (rc == 0)
		assert_int_equal(json_object_size(hashes), 1);
	return rc;
}

static void test_pins(void **state)
{
	(void)state;
	static const char *const changes[][2] = {
	    {"platform", "{\"vendor\":\"amd\",\"arch\":\"gfx942\",\"units\":304,\"memory_gib\":192}"},
	    {"stack", "{\"torch\":\"2.9.1\",\"hip\":\"7.2.53211\"}"},
	    {"gemm", "{\"library\":\"hipblaslt\",\"mode\":\"pinned\",\"pins\":[{\"problem\":{\"op\":\"gemm\",\"m\":1,"
		     "\"n\":2,\"k\":3,\"dtype\":\"bfloat16\"},\"solution\":7}],\"built\":{\"arch\":\"gfx942\",\"hip\":"
		     "\"702\",\"hipblaslt\":\"100202-abc\",\"rocblas\":\"5.2.0\"}}"},
	    {"env", "{\"PYTORCH_TUNABLEOP_ENABLED\":\"1\",\"PYTORCH_TUNABLEOP_FILENAME\":\"@file:tunableop.csv@\","
		    "\"PYTORCH_TUNABLEOP_TUNING\":\"0\"}"}};
	json_t *decision = parsed(plan_example_decision);
	for (size_t i = 0; i < MXT_ARRAY_LEN(changes); i++)
		assert_int_equal(plan_example_set(decision, changes[i][0], changes[i][1]), 0);
	assert_true(mxt_test_each_allocation(pins, decision) > 10);
	json_decref(decision);
}

static int diff(void *context)
{
	json_t *const *sides = context;
	MXT_CLEANUP_JSON json_t *differences = NULL;
	int rc = mxt_plan_diff("decision", sides[0], sides[1], &differences, NULL);
	if (rc == 0)
		assert_int_equal(json_array_size(differences), 2);
	return rc;
}

static void test_diff(void **state)
{
	(void)state;
	json_t *sides[] = {parsed(plan_example_decision), parsed(plan_example_decision)};
	assert_int_equal(plan_example_set(sides[1], "platform.units", "4"), 0);
	assert_int_equal(plan_example_set(sides[1], "stack.blis", NULL), 0);
	assert_true(mxt_test_each_allocation(diff, sides) > 5);
	json_decref(sides[0]);
	json_decref(sides[1]);
}

static int load(void *context)
{
	struct mxt_workload_source source = MXT_WORKLOAD_SOURCE_INIT;
	source.model = context;
	struct mxt_workload workload;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_workload_load(&source, &workload, &err);
	if (rc == 0) {
		assert_int_equal(workload.model.layers, 36);
		mxt_workload_finish(&workload);
	}
	return any_failure(rc, &err);
}

static void test_workload_of_preset(void **state)
{
	(void)state;
	char name[] = "instella-3b";
	mxt_test_each_allocation(load, name);
}

static void test_workload_of_config(void **state)
{
	(void)state;
	const char *root = getenv("MXT_SOURCE_ROOT");
	assert_non_null(root);
	struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/tests/fixtures/models/instella-3b/config.json", root);
	assert_true(mxt_test_each_allocation(load, path.data) > 50);
	mxt_buf_finish(&path);
}

static int derive(void *context)
{
	const struct mxt_workload *workload = context;
	const struct mxt_scale scale = mxt_scale_for_host(2, UINT64_C(8) << 30);
	struct mxt_problem_set set;
	int rc = mxt_workload_problems(workload, &scale, MXT_DTYPE_F32, &set, NULL);
	if (rc < 0)
		return rc;
	assert_true(set.n_problems > 4 && set.n_layer > 4);
	mxt_problem_set_finish(&set);
	return 0;
}

static int describe(void *context)
{
	MXT_CLEANUP_JSON json_t *json = mxt_workload_json(context);
	return json ? 0 : -ENOMEM;
}

static void test_problems_and_description(void **state)
{
	(void)state;
	struct mxt_workload_source source = MXT_WORKLOAD_SOURCE_INIT;
	source.model = "instella-3b";
	struct mxt_workload workload;
	assert_int_equal(mxt_workload_load(&source, &workload, NULL), 0);
	assert_true(mxt_test_each_allocation(derive, &workload) >= 2);
	assert_true(mxt_test_each_allocation(describe, &workload) > 10);
	mxt_workload_finish(&workload);
}

int main(void)
{
	json_set_alloc_funcs(mxt_test_malloc, free);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_seal, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_parse, setup, teardown),
	    cmocka_unit_test(test_parse_short),
	    cmocka_unit_test(test_diff),
	    cmocka_unit_test(test_pins),
	    cmocka_unit_test(test_workload_of_preset),
	    cmocka_unit_test(test_workload_of_config),
	    cmocka_unit_test(test_problems_and_description),
	};
	return cmocka_run_group_tests_name("core_memory", tests, NULL, NULL);
}
