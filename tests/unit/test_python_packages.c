/* SPDX-License-Identifier: Apache-2.0 */
/* The packages beside a Python, from the names of their records, on made-up machines. */
#include <string.h>

#include "cmocka_all.h"
#include "python_env.h"
#include "python_packages.h"
#include "scratch_tree.h"

static void expect(const char *file_name, const char *package, const char *version)
{
	struct mxt_python_packages packages = {.versions = {""}};
	mxt_python_packages_take(&packages, file_name);
	const char *found = mxt_python_package_version(&packages, package);
	if (!version)
		assert_null(found);
	else
		assert_string_equal(found ? found : "", version);
}

static void test_records(void **state)
{
	(void)state;
	expect("flash_attn-2.8.3.dist-info", "flash_attn", "2.8.3");
	expect("flash_attn-2.8.3.dist-info", "flash_attn_3", NULL);
	expect("flash_attn_3-3.0.0b1-py3.11-linux-x86_64.egg", "flash_attn_3", "3.0.0b1");
	expect("Flash.Attn-2.8.3+cu130.dist-info", "flash_attn", "2.8.3+cu130");
	expect("amd_aiter-0.1.5.dist-info", "aiter", "0.1.5");
	expect("pytorch_triton_rocm-3.4.0.dist-info", "triton", "3.4.0");
	expect("liger_kernel-0.6.2-py3.12.egg-info", "liger_kernel", "0.6.2");
	expect("transformers", "transformers", NULL);
	expect("transformers.dist-info", "transformers", NULL);
	expect("transformers-.dist-info", "transformers", NULL);
	expect("-1.0.dist-info", "transformers", NULL);
	expect(".dist-info", "transformers", NULL);
	expect("transformers-5.0.dist-infos", "transformers", NULL);
	expect("xtransformers-5.0.dist-info", "transformers", NULL);
	expect("peft-0000000000000000000000000000000000000000000000000.dist-info", "peft", NULL);
	expect("peft-0.21.2.dist-info", "no such package", NULL);
}

static void test_table_is_sorted(void **state)
{
	(void)state;
	for (size_t i = 1; i < mxt_python_package_count(); i++)
		assert_true(strcmp(mxt_python_package_name(i - 1), mxt_python_package_name(i)) < 0);
}

static void make_machine(struct scratch_tree *tree)
{
	scratch_tree_write(tree, "/a/xformers-0.0.33.dist-info/METADATA", "");
	scratch_tree_write(tree, "/b/xformers-0.0.30.dist-info/METADATA", "");
	scratch_tree_write(tree, "/b/triton-3.6.0.dist-info/METADATA", "");
}

static void test_first_folder_wins(void **state)
{
	struct scratch_tree *tree = *state;
	make_machine(tree);
	char a[] = "/a", none[] = "/none", b[] = "/b";
	char *folders[] = {a, none, b};
	const struct mxt_python python = {.folders = folders, .n_folders = 3};
	struct mxt_python_packages packages;
	assert_int_equal(mxt_python_packages_find(&tree->root, &python, &packages, NULL), 0);
	assert_string_equal(mxt_python_package_version(&packages, "xformers"), "0.0.33");
	assert_string_equal(mxt_python_package_version(&packages, "triton"), "3.6.0");
	assert_null(mxt_python_package_version(&packages, "axolotl"));
}

static void test_no_python(void **state)
{
	const struct scratch_tree *tree = *state;
	const struct mxt_python python = MXT_PYTHON_INIT;
	struct mxt_python_packages packages;
	assert_int_equal(mxt_python_packages_find(&tree->root, &python, &packages, NULL), 0);
	assert_null(mxt_python_package_version(&packages, "torch"));
	assert_null(mxt_python_package_version(&packages, "triton"));
}

#define SCRATCH(name) cmocka_unit_test_setup_teardown(name, scratch_tree_set_up, scratch_tree_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_records),
	    cmocka_unit_test(test_table_is_sorted),
	    SCRATCH(test_first_folder_wins),
	    SCRATCH(test_no_python),
	};
	return cmocka_run_group_tests_name("python_packages", tests, NULL, NULL);
}
