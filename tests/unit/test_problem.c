/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"

#include <errno.h>

#include "problem.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(takes_leading_dimensions_that_hold_the_rows),
	    cmocka_unit_test(refuses_what_is_too_large_as_it_is_stored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
