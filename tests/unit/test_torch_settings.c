/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a torch says of itself, on a real one and on what stands in for it, and that it reads what the candidates set:
 * a build without ROCm keeps the values, though it does nothing with them. TORCH: which of the torches.
 */
#include "torch_settings.h"

#include <stdlib.h>

#include "cmocka_all.h"
#include "real_torch.h"
#include "torch_library.h"

/* One torch for all tests: its libraries stay in memory, and read the environment once. */
static struct mxt_torch torch;

static int load(void **state)
{
	(void)state;
	assert_int_equal(setenv("TORCH_ROCM_FA_PREFER_CK", "1", 1), 0);
	assert_int_equal(setenv("TORCH_BLAS_PREFER_HIPBLASLT", "1", 1), 0);
	char *folder = real_torch_file(TORCH, "torch");
	assert_int_equal(mxt_torch_open(folder, MXT_TORCH_CPU, 0, &torch, NULL), 0);
	free(folder);
	return 0;
}

static int unload(void **state)
{
	(void)state;
	mxt_torch_close(&torch);
	return 0;
}

static void test_attention(void **state)
{
	(void)state;
	assert_string_equal(mxt_torch_fa_library(&torch), "ck");
}

static void test_products(void **state)
{
	(void)state;
	assert_string_equal(mxt_torch_blas_library(&torch), "cublaslt");
	torch.backend = MXT_TORCH_HIP; /* the same value by its other name */
	assert_string_equal(mxt_torch_blas_library(&torch), "hipblaslt");
	torch.backend = MXT_TORCH_CPU;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_attention),
	    cmocka_unit_test(test_products),
	};
	return cmocka_run_group_tests(tests, load, unload);
}
