/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"

#include <errno.h>

#include "json.h"
#include "problem.h"
#include "problem_json.h"

static struct mxt_problem product(int64_t m, int64_t n, int64_t k)
{
	return (struct mxt_problem){.kind = MXT_PROBLEM_GEMM,
				    .as.gemm = {.m = m, .n = n, .k = k, .lda = k, .ldb = n, .ldc = n}};
}

static void takes_leading_dimensions_that_hold_the_rows(void **state)
{
	(void)state;
	struct mxt_problem problem = product(4, 6, 8);
	assert_int_equal(mxt_problem_validate(&problem), 0);
	problem.as.gemm.lda = 7;
	assert_int_equal(mxt_problem_validate(&problem), -EINVAL);
	problem.as.gemm.lda = INT64_C(1) << 31;
	assert_int_equal(mxt_problem_validate(&problem), 0);
	problem.as.gemm.trans_b = true;
	problem.as.gemm.ldb = 8;
	assert_int_equal(mxt_problem_validate(&problem), 0);
	problem.as.gemm.ldb = 7;
	assert_int_equal(mxt_problem_validate(&problem), -EINVAL);
}

/* Few elements may lie far apart: what a device would have to allocate counts. */
static void refuses_what_is_too_large_as_it_is_stored(void **state)
{
	(void)state;
	struct mxt_problem problem = product(INT64_C(1) << 31, 1, 1);
	assert_int_equal(mxt_problem_validate(&problem), 0);
	problem.as.gemm.lda = INT64_C(1) << 31;
	assert_int_equal(mxt_problem_validate(&problem), -EINVAL);
	problem.as.gemm.lda = 1;
	problem.as.gemm.batch = 512;
	assert_int_equal(mxt_problem_validate(&problem), 0);
	problem.as.gemm.batch = 513;
	assert_int_equal(mxt_problem_validate(&problem), -EINVAL);
}

static void assert_same_from_json(struct mxt_gemm gemm)
{
	const struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM, .as.gemm = gemm};
	MXT_CLEANUP_JSON json_t *json = mxt_problem_json(&problem);
	const struct mxt_problem again = {.kind = MXT_PROBLEM_GEMM, .as.gemm = mxt_gemm_of_json(json)};
	assert_true(mxt_problem_equal(&problem, &again));
}

static void products_come_back_from_json(void **state)
{
	(void)state;
	struct mxt_gemm dense = {
	    .m = 3, .n = 5, .k = 7, .lda = 7, .ldb = 5, .ldc = 5, .dtype = MXT_DTYPE_BF16, .bias = true};
	struct mxt_gemm wide = dense;
	wide.trans_a = wide.trans_b = wide.accumulate = true;
	wide.lda = 4;
	wide.ldb = 8;
	wide.ldc = 9;
	wide.batch = 2;
	wide.bias = false;
	assert_same_from_json(dense);
	assert_same_from_json(wide);
}

/* Bytes from outside: what cannot be a product must not become one on the way. */
static void what_is_no_product_is_not_made_one(void **state)
{
	static const char *const texts[] = {
	    "{}",
	    "{\"m\":3,\"n\":5,\"k\":7,\"dtype\":\"float8\"}",
	    "{\"m\":3,\"n\":5,\"k\":7,\"dtype\":\"float32\",\"batch\":4294967297}",
	    "{\"m\":3,\"n\":5,\"k\":7,\"dtype\":\"float32\",\"lda\":2}",
	};
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(texts); i++) {
		MXT_CLEANUP_JSON json_t *json = json_loads(texts[i], 0, NULL);
		assert_non_null(json);
		const struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM, .as.gemm = mxt_gemm_of_json(json)};
		assert_int_equal(mxt_problem_validate(&problem), -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(takes_leading_dimensions_that_hold_the_rows),
	    cmocka_unit_test(refuses_what_is_too_large_as_it_is_stored),
	    cmocka_unit_test(products_come_back_from_json),
	    cmocka_unit_test(what_is_no_product_is_not_made_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
