/* SPDX-License-Identifier: Apache-2.0 */
/* The list of solutions as releases of rocBLAS tell it. */
#include "cmocka_all.h"
#include "error.h"
#include "rocblas_api.h"
#include "torch_device.h"

static struct {
	int32_t there, filled; /* solutions; -1: the second call leaves the size alone */
} library;

/* NOLINTNEXTLINE(readability-function-size): the interface is rocBLAS's */
static int get_solutions(struct mxt_rocblas_handle *handle, int trans_a, int trans_b, int32_t m, int32_t n, int32_t k,
			 const void *alpha, const void *a, int a_type, int32_t lda, const void *b, int b_type,
			 int32_t ldb, const void *beta, const void *c, int c_type, int32_t ldc, void *d, int d_type,
			 int32_t ldd, int compute_type, int algorithm, uint32_t flags, int32_t *solutions,
			 int32_t *count)
{
	(void)handle, (void)trans_a, (void)trans_b, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)a_type;
	(void)lda, (void)b, (void)b_type, (void)ldb, (void)beta, (void)c, (void)c_type, (void)ldc, (void)d;
	(void)d_type, (void)ldd, (void)compute_type, (void)algorithm, (void)flags;
	if (!solutions) {
		*count = library.there;
		return 0;
	}
	int32_t filled = library.filled < 0 ? library.there : library.filled;
	for (int32_t i = 0; i < filled; i++)
		solutions[i] = -1000 - i;
	if (library.filled >= 0)
		*count = filled;
	return 0;
}

static size_t listed(int32_t there, int32_t filled)
{
	const struct mxt_rocblas rocblas = {.call.rocblas_gemm_ex_get_solutions = get_solutions};
	const struct mxt_gemm shape = {.m = 2, .n = 2, .k = 2, .lda = 2, .ldb = 2, .ldc = 2, .dtype = MXT_DTYPE_BF16};
	const struct mxt_gemm_operands operands = {NULL, NULL, NULL, NULL};
	struct mxt_rocblas_solutions solutions = {.count = 0};
	library.there = there;
	library.filled = filled;
	assert_int_equal(mxt_rocblas_list(&rocblas, &shape, &operands, &solutions, NULL), 0);
	for (size_t i = 0; i < solutions.count; i++)
		assert_int_equal(solutions.items[i], -1000 - (int)i);
	size_t count = solutions.count;
	mxt_rocblas_solutions_finish(&solutions);
	return count;
}

static void test_list(void **state)
{
	(void)state;
	assert_int_equal(listed(5, -1), 5);
	assert_int_equal(listed(5, 5), 5);
	assert_int_equal(listed(5, 3), 3); /* no solution 0, which none of them is */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_list)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
