/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "blas_workspace.h"
#include "cmocka_all.h"
#include "compiler.h"

#define MIB ((size_t)1 << 20)

static const char *const variables[] = {
    "CUBLAS_WORKSPACE_CONFIG",    "CUBLASLT_WORKSPACE_SIZE", "TORCH_CUBLASLT_UNIFIED_WORKSPACE",
    "TORCH_BLAS_PREFER_CUBLASLT", "DISABLE_ADDMM_CUDA_LT",   "HIPBLASLT_WORKSPACE_SIZE",
    "HIPBLAS_WORKSPACE_CONFIG",   "ROCBLAS_WORKSPACE_CONFIG"};

static int clear(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(variables); i++)
		(void)unsetenv(variables[i]);
	return 0;
}

static void sizes(void **state)
{
	(void)state;
	static const struct {
		struct mxt_blas_stack stack;
		const char *config, *lt, *shared;
		size_t cublas, cublaslt;
	} cases[] = {
	    {{8, 9, NULL}, NULL, NULL, NULL, 32 * MIB, MIB},
	    {{8, 8, NULL}, NULL, NULL, NULL, 8519680, MIB},
	    {{8, 10, NULL}, NULL, NULL, NULL, 8519680, MIB},
	    {{15, 9, NULL}, NULL, NULL, NULL, 32 * MIB, 32 * MIB},
	    {{15, 10, NULL}, NULL, NULL, NULL, 32 * MIB, 32 * MIB},
	    {{15, 8, NULL}, NULL, NULL, NULL, 8519680, 8519680},
	    {{15, 9, NULL}, NULL, NULL, "0", 32 * MIB, MIB},
	    {{8, 9, NULL}, NULL, "2048", NULL, 32 * MIB, 2 * MIB},
	    {{15, 9, NULL}, NULL, "2048", NULL, 32 * MIB, 2 * MIB},
	    {{15, 9, NULL}, NULL, "65536", NULL, 32 * MIB, 32 * MIB},
	    {{15, 9, NULL}, NULL, "much", NULL, 32 * MIB, 32 * MIB},
	    {{8, 9, NULL}, ":16:8", NULL, NULL, 131072, MIB},
	    {{8, 9, NULL}, ":16:8", NULL, "1", 131072, 131072},
	    {{8, 9, NULL}, ":4096:2:16:8", NULL, NULL, 8519680, MIB},
	    {{8, 9, NULL}, "nonsense:x:", NULL, NULL, 32 * MIB, MIB},
	    {{8, 9, NULL},
	     ":99999999999999999999:99999999999999999999",
	     "99999999999999999999",
	     NULL,
	     1024 * MIB,
	     1024 * MIB},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		const char *const values[] = {cases[i].config, cases[i].lt, cases[i].shared};
		(void)clear(NULL);
		for (size_t v = 0; v < MXT_ARRAY_LEN(values); v++)
			if (values[v])
				(void)setenv(variables[v], values[v], 1);
		if (mxt_blas_workspace(&cases[i].stack, false) != cases[i].cublas ||
		    mxt_blas_workspace(&cases[i].stack, true) != cases[i].cublaslt)
			fail_msg("case %zu: %zu and %zu bytes", i, mxt_blas_workspace(&cases[i].stack, false),
				 mxt_blas_workspace(&cases[i].stack, true));
	}
}

static void sizes_on_rocm(void **state)
{
	(void)state;
	const struct mxt_blas_stack mi300x = {9, 0, "gfx942"}, other = {9, 0, "gfx1100"};
	assert_int_equal(mxt_blas_workspace(&mi300x, true), 76 * MIB);
	assert_int_equal(mxt_blas_workspace(&mi300x, false), 128 * MIB);
	assert_int_equal(mxt_blas_workspace(&other, true), 76 * MIB);
	assert_int_equal(mxt_blas_workspace(&other, false), 32 * MIB);
	(void)setenv("ROCBLAS_WORKSPACE_CONFIG", ":1024:4", 1);
	assert_int_equal(mxt_blas_workspace(&mi300x, false), 4 * MIB);
	(void)setenv("HIPBLAS_WORKSPACE_CONFIG", ":1024:8", 1);
	assert_int_equal(mxt_blas_workspace(&mi300x, false), 8 * MIB);
	(void)setenv("CUBLAS_WORKSPACE_CONFIG", ":1024:16", 1);
	assert_int_equal(mxt_blas_workspace(&mi300x, false), 16 * MIB);
	(void)setenv("HIPBLASLT_WORKSPACE_SIZE", "32768", 1);
	assert_int_equal(mxt_blas_workspace(&mi300x, true), 32 * MIB);
	(void)setenv("CUBLASLT_WORKSPACE_SIZE", "1024", 1);
	assert_int_equal(mxt_blas_workspace(&mi300x, true), MIB);
}

static void ways(void **state)
{
	(void)state;
	assert_true(mxt_blas_through_lt(true));
	assert_false(mxt_blas_through_lt(false));
	(void)setenv("DISABLE_ADDMM_CUDA_LT", "1", 1);
	assert_false(mxt_blas_through_lt(true));
	(void)setenv("TORCH_BLAS_PREFER_CUBLASLT", "1", 1);
	assert_true(mxt_blas_through_lt(false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(sizes, clear),
	    cmocka_unit_test_setup(sizes_on_rocm, clear),
	    cmocka_unit_test_setup(ways, clear),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
