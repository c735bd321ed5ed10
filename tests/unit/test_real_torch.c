/* SPDX-License-Identifier: Apache-2.0 */
/* What a real torch's files say, oldest and newest: its Python is found, its version and build are read. */
#include "real_torch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "python_env.h"
#include "sysroot.h"
#include "torch_install.h"

static void expect_torch(enum real_torch which)
{
	char *environment = real_torch_environment(which);
	const struct mxt_sysroot root = {.prefix = ""};
	MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
	MXT_CLEANUP_TORCH struct mxt_torch_list list = MXT_TORCH_LIST_INIT;
	assert_int_equal(mxt_python_find(&root, NULL, environment, &python, NULL), 0);
	assert_true(python.virtual_environment);
	assert_int_equal(mxt_torch_find(&root, &python, &list, NULL), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].n_metadata, 1);
	const char *version = strrchr(environment, '/') + 1;
	assert_string_equal(list.items[0].metadata, version);
	assert_int_equal(strncmp(list.items[0].files.version, version, strlen(version)), 0);
	free(environment);
}

static void test_oldest(void **state)
{
	(void)state;
	expect_torch(REAL_TORCH_OLDEST);
}

static void test_newest(void **state)
{
	(void)state;
	expect_torch(REAL_TORCH_NEWEST);
}

static void test_files(void **state)
{
	(void)state;
	char *library = real_torch_file(REAL_TORCH_OLDEST, "torch/lib/libtorch_cpu.so");
	assert_int_equal(access(library, R_OK), 0);
	free(library);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_oldest),
	    cmocka_unit_test(test_newest),
	    cmocka_unit_test(test_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
