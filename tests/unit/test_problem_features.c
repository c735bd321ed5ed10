/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "problem_features.h"

static struct mxt_problem attention(void)
{
	return (struct mxt_problem){.kind = MXT_PROBLEM_ATTENTION,
				    .as.attention = {.batch = 1, .seq = 8, .heads = 1, .kv_heads = 1, .head_dim = 8}};
}

static struct mxt_problem gemm(void)
{
	return (struct mxt_problem){.kind = MXT_PROBLEM_GEMM,
				    .as.gemm = {.m = 2, .n = 2, .k = 2, .lda = 2, .ldb = 2, .ldc = 2}};
}

/* Refused with words of its own unless the device handles just that. */
static void assert_feature(const struct mxt_problem *problem, unsigned bit, const char *word)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(mxt_problem_features_check(problem, ~bit, "a test", &err), -ENOTSUP);
	assert_int_equal(err.id, MXT_E_PROBLEM_UNSUPPORTED);
	assert_non_null(strstr(mxt_error_text(&err), word));
	mxt_error_clear(&err);
	assert_int_equal(mxt_problem_features_check(problem, bit, "a test", &err), 0);
}

static void plain_calls_need_nothing(void **state)
{
	(void)state;
	const struct mxt_problem problems[] = {attention(), gemm()};
	for (size_t i = 0; i < MXT_ARRAY_LEN(problems); i++)
		assert_int_equal(mxt_problem_features_check(&problems[i], 0, "a test", NULL), 0);
}

static void attention_features_are_refused(void **state)
{
	(void)state;
	struct mxt_problem masked = attention(), window = attention(), packed = attention(), repeated = attention();
	masked.as.attention.masked = true;
	repeated.as.attention.repeated = true;
	window.as.attention.window = 4;
	packed.as.attention.n_documents = 1;
	packed.as.attention.documents[0] = 8;
	assert_feature(&masked, MXT_FEATURE_MASK, "mask");
	assert_feature(&repeated, MXT_FEATURE_REPEATED, "by head");
	assert_feature(&window, MXT_FEATURE_WINDOW, "window");
	assert_feature(&packed, MXT_FEATURE_DOCUMENTS, "documents");
}

static void gemm_features_are_refused(void **state)
{
	(void)state;
	struct mxt_problem batch = gemm(), accumulate = gemm();
	batch.as.gemm.batch = 3;
	accumulate.as.gemm.accumulate = true;
	assert_feature(&batch, MXT_FEATURE_BATCH, "batches");
	assert_feature(&accumulate, MXT_FEATURE_ACCUMULATE, "add to their output");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(plain_calls_need_nothing),
	    cmocka_unit_test(attention_features_are_refused),
	    cmocka_unit_test(gemm_features_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
