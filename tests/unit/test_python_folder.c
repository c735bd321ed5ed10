/* SPDX-License-Identifier: Apache-2.0 */
/* Where the program's own Python files are looked for. */
#include <errno.h>
#include <stdlib.h>

#include "cmocka_all.h"
#include "error.h"
#include "python_folder.h"
#include "scratch_tree.h"

static void test_named(void **state)
{
	struct scratch_tree *tree = *state;
	scratch_tree_write(tree, "/mindxtrain_plan/__init__.py", "");
	char variable[512];
	(void)snprintf(variable, sizeof variable, "MXT_PYTHON_DIR=%s", tree->path);
	char *environment[] = {variable, NULL};
	char *folder = NULL;
	assert_int_equal(mxt_python_folder(environment, &folder, NULL), 0);
	assert_string_equal(folder, tree->path);
	free(folder);
}

static void test_named_without_the_package(void **state)
{
	const struct scratch_tree *tree = *state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	char variable[512];
	(void)snprintf(variable, sizeof variable, "MXT_PYTHON_DIR=%s", tree->path);
	char *environment[] = {variable, NULL};
	char *folder = NULL;
	assert_int_equal(mxt_python_folder(environment, &folder, &err), -ENOENT);
	assert_int_equal(err.id, MXT_E_PYTHON_FILES);
	assert_null(folder);
}

/* Nothing lies beside this test; the program itself is looked at through its workers. */
static void test_beside_the_program(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	char empty[] = "MXT_PYTHON_DIR=";
	char *environment[] = {empty, NULL};
	char *folder = NULL;
	assert_int_equal(mxt_python_folder(environment, &folder, &err), -ENOENT);
	assert_non_null(strstr(mxt_error_text(&err), "/share/mindxtrain/python/mindxtrain_plan"));
	assert_int_equal(mxt_python_folder(NULL, &folder, NULL), -ENOENT);
}

#define SCRATCH(name) cmocka_unit_test_setup_teardown(name, scratch_tree_set_up, scratch_tree_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    SCRATCH(test_named),
	    SCRATCH(test_named_without_the_package),
	    cmocka_unit_test(test_beside_the_program),
	};
	return cmocka_run_group_tests_name("python_folder", tests, NULL, NULL);
}
