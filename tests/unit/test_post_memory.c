/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of a post fails once: the answer is a failure, or the whole post. One that lost a cell, or took
 * another command because memory ran out, would be published.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alloc_faults.h"
#include "buf.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "plan.h"
#include "plan_example.h"
#include "plan_post.h"

static const char evidence[] =
    "{\"version\":1,\"devices\":[{\"ordinal\":0,\"name\":\"NVIDIA H200\",\"compute_capability\":\"9.0\","
    "\"sm_count\":132,\"max_sm_mhz\":1980,\"memory_bytes\":150754820096}],"
    "\"samples\":[{\"probe\":\"attention\",\"candidate\":\"bare\",\"backend\":\"flash\",\"status\":\"ok\","
    "\"problem\":{\"op\":\"attention\",\"batch\":1,\"seq\":512,\"heads\":32,\"kv_heads\":32,\"head_dim\":80,"
    "\"causal\":true,\"dtype\":\"bfloat16\",\"direction\":\"forward\"},\"n\":8,\"median_ns\":12345678},"
    "{\"probe\":\"gemm\",\"candidate\":\"bare\",\"status\":\"ok\",\"problem\":{\"op\":\"gemm\",\"m\":256,\"n\":2560,"
    "\"k\":2560,\"dtype\":\"bfloat16\"},\"n\":8,\"median_ns\":16700000},"
    "{\"probe\":\"gemm\",\"candidate\":\"threads=1\",\"status\":\"ok\",\"problem\":{\"op\":\"gemm\",\"m\":256,"
    "\"n\":2560,\"k\":2560,\"dtype\":\"bfloat16\"},\"n\":8,\"median_ns\":16800000}],"
    "\"choices\":[{\"probe\":\"gemm\",\"incumbent\":\"bare\",\"winner\":\"bare\",\"best\":\"threads=1\","
    "\"gain_ppm\":-6000,\"floor_ppm\":4200,\"rule\":\"no challenger is faster\",\"source\":\"measured\"}]}";

struct example {
	struct mxt_plan *plan;
	struct mxt_buf text; /* the whole post */
};

static void seal(struct mxt_buf *text)
{
	MXT_CLEANUP_JSON json_t *decision = plan_example(plan_example_decision);
	MXT_CLEANUP_JSON json_t *facts = plan_example(evidence);
	MXT_CLEANUP_JSON json_t *document = NULL;
	assert_int_equal(plan_example_set(decision, "stack.torch", "\"2.11.0\""), 0);
	assert_int_equal(plan_example_set(decision, "stack.provider", NULL), 0);
	assert_int_equal(plan_example_set(decision, "workload.training.frozen_input", "true"), 0);
	assert_int_equal(mxt_plan_seal(decision, facts, &document, NULL), 0);
	assert_int_equal(mxt_json_canonical(document, text, NULL), 0);
}

static int setup(void **state)
{
	static struct example example;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	seal(&text);
	assert_int_equal(mxt_plan_parse("plan.json", text.data, text.len, &example.plan, NULL), 0);
	assert_int_equal(mxt_plan_post(example.plan, &example.text, NULL), 0);
	assert_int_equal(mxt_buf_status(&example.text, NULL), 0);
	*state = &example;
	return 0;
}

static int teardown(void **state)
{
	struct example *example = *state;
	mxt_plan_destroy(example->plan);
	mxt_buf_finish(&example->text);
	return 0;
}

static int post(void *context)
{
	const struct example *example = context;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_plan_post(example->plan, &buf, &err);
	if (rc == 0)
		rc = mxt_buf_status(&buf, &err);
	if (rc == 0)
		assert_string_equal(mxt_buf_text(&buf), mxt_buf_text(&example->text));
	return rc;
}

static void test_post(void **state)
{
	const struct example *example = *state;
	assert_non_null(strstr(mxt_buf_text(&example->text), "--model instella-3b --seq-len 4096 --micro-batch 8"));
	assert_non_null(strstr(mxt_buf_text(&example->text), "(nn 256x2560x2560 bfloat16)"));
	assert_true(mxt_test_each_allocation(post, *state) > 20);
}

int main(void)
{
	json_set_alloc_funcs(mxt_test_malloc, free);
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_post)};
	return cmocka_run_group_tests(tests, setup, teardown);
}
