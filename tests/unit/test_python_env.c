/* SPDX-License-Identifier: Apache-2.0 */
/* Which Python trains, where it imports from, and which torches it can see, on made-up machines. */
#include <errno.h>

#include "cmocka_all.h"
#include "error.h"
#include "python_env.h"
#include "scratch_tree.h"
#include "torch_install.h"

#define PROGRAM "\177ELF"

static void find(struct scratch_tree *tree, const char *const *environment, struct mxt_python *python)
{
	char *copy[8] = {NULL};
	for (size_t i = 0; environment && environment[i]; i++)
		copy[i] = strdup(environment[i]);
	assert_int_equal(mxt_python_find(&tree->root, copy, NULL, python, NULL), 0);
	for (size_t i = 0; copy[i]; i++)
		free(copy[i]);
}

static void expect_folders(const struct mxt_python *python, const char *const *expected)
{
	size_t i = 0;
	for (; expected[i]; i++) {
		assert_true(i < python->n_folders);
		assert_string_equal(python->folders[i], expected[i]);
	}
	assert_int_equal(i, python->n_folders);
}

static void test_none(void **state)
{
	static const char *const environment[] = {"PATH=/usr/bin", NULL};
	MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
	find(*state, environment, &python);
	assert_null(python.interpreter);
	assert_int_equal(python.n_folders, 0);
}

static void test_debian(void **state)
{
	struct scratch_tree *tree = *state;
	scratch_tree_write(tree, "/usr/bin/python3.11", PROGRAM);
	scratch_tree_link(tree, "/usr/bin/python3", "python3.11");
	scratch_tree_link(tree, "/bin", "usr/bin");
	scratch_tree_write(tree, "/usr/lib/python3/dist-packages/x", "");
	scratch_tree_write(tree, "/usr/local/lib/python3.11/dist-packages/x", "");
	scratch_tree_write(tree, "/usr/local/lib/python3.12/dist-packages/x", "");
	scratch_tree_write(tree, "/home/ann/.local/lib/python3.11/site-packages/x", "");
	scratch_tree_write(tree, "/srv/lib/x", "");
	static const char *const environment[] = {"PATH=relative:/none:/bin", "HOME=/home/ann",
						  "PYTHONPATH=:here:/srv/lib:/none:/srv/lib", NULL};
	static const char *const folders[] = {"/srv/lib", "/home/ann/.local/lib/python3.11/site-packages",
					      "/usr/local/lib/python3.11/dist-packages",
					      "/usr/lib/python3/dist-packages", NULL};
	MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
	find(tree, environment, &python);
	assert_string_equal(python.interpreter, "/bin/python3");
	assert_string_equal(python.program, "/usr/bin/python3.11");
	assert_string_equal(python.version, "3.11");
	assert_string_equal(python.found_by, "PATH");
	assert_false(python.virtual_environment);
	expect_folders(&python, folders);
}

static void test_user_site_can_be_off(void **state)
{
	struct scratch_tree *tree = *state;
	scratch_tree_write(tree, "/usr/bin/python3.11", PROGRAM);
	scratch_tree_link(tree, "/usr/bin/python3", "python3.11");
	scratch_tree_write(tree, "/home/ann/.local/lib/python3.11/site-packages/x", "");
	static const char *const environment[] = {"PATH=/usr/bin", "HOME=/home/ann", "PYTHONNOUSERSITE=1", NULL};
	MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
	find(tree, environment, &python);
	assert_int_equal(python.n_folders, 0);
}

static void make_venv(struct scratch_tree *tree, const char *config)
{
	scratch_tree_write(tree, "/usr/bin/python3.11", PROGRAM);
	scratch_tree_link(tree, "/opt/env/bin/python3", "/usr/bin/python3.11");
	scratch_tree_write(tree, "/opt/env/pyvenv.cfg", config);
	scratch_tree_write(tree, "/opt/env/lib/python3.11/site-packages/x", "");
	scratch_tree_link(tree, "/opt/env/lib64", "lib");
	scratch_tree_write(tree, "/usr/lib/python3/dist-packages/x", "");
	scratch_tree_write(tree, "/home/ann/.local/lib/python3.11/site-packages/x", "");
}

static const char *const venv_environment[] = {"VIRTUAL_ENV=/opt/env", "PATH=/usr/bin", "HOME=/home/ann", NULL};

static void test_virtual_environment(void **state)
{
	make_venv(*state, "home = /usr/bin\nversion = 3.11.2\n");
	static const char *const folders[] = {"/opt/env/lib/python3.11/site-packages", NULL};
	MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
	find(*state, venv_environment, &python);
	assert_string_equal(python.interpreter, "/opt/env/bin/python3");
	assert_string_equal(python.found_by, "VIRTUAL_ENV");
	assert_string_equal(python.version, "3.11.2");
	assert_true(python.virtual_environment);
	expect_folders(&python, folders);
}

static void test_virtual_environment_over_the_system(void **state)
{
	make_venv(*state, "include-system-site-packages = true\n");
	static const char *const folders[] = {"/opt/env/lib/python3.11/site-packages",
					      "/home/ann/.local/lib/python3.11/site-packages",
					      "/usr/lib/python3/dist-packages", NULL};
	MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
	find(*state, venv_environment, &python);
	assert_string_equal(python.version, "3.11");
	expect_folders(&python, folders);
}

static void test_conda(void **state)
{
	struct scratch_tree *tree = *state;
	scratch_tree_write(tree, "/conda/envs/x/bin/python", PROGRAM);
	scratch_tree_write(tree, "/conda/envs/x/lib/python3.12/site-packages/x", "");
	static const char *const environment[] = {"CONDA_PREFIX=/conda/envs/x", NULL};
	static const char *const folders[] = {"/conda/envs/x/lib/python3.12/site-packages", NULL};
	MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
	find(tree, environment, &python);
	assert_string_equal(python.interpreter, "/conda/envs/x/bin/python");
	assert_string_equal(python.version, "3.12");
	expect_folders(&python, folders);
}

static void test_unknown_version(void **state)
{
	struct scratch_tree *tree = *state;
	scratch_tree_write(tree, "/conda/bin/python", PROGRAM);
	scratch_tree_write(tree, "/conda/lib/python3.12/site-packages/x", "");
	scratch_tree_write(tree, "/conda/lib/python3.9/site-packages/x", "");
	static const char *const environment[] = {"CONDA_PREFIX=/conda", NULL};
	MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
	find(tree, environment, &python);
	assert_string_equal(python.version, "");
	assert_int_equal(python.n_folders, 0);
}

static void make_pyenv(struct scratch_tree *tree)
{
	scratch_tree_write(tree, "/r/shims/python3", "#!/usr/bin/env bash\nexec \"/r/libexec/pyenv\" exec python3\n");
	scratch_tree_write(tree, "/r/version", "3.10.1\n3.12.0\n");
	scratch_tree_write(tree, "/r/versions/3.10.1/bin/python3.10", PROGRAM);
	scratch_tree_link(tree, "/r/versions/3.10.1/bin/python3", "python3.10");
	scratch_tree_write(tree, "/r/versions/3.12.0/bin/python3.12", PROGRAM);
	scratch_tree_link(tree, "/r/versions/3.12.0/bin/python", "python3.12");
}

static void test_pyenv(void **state)
{
	make_pyenv(*state);
	static const char *const environment[] = {"PATH=/r/shims", NULL};
	MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
	find(*state, environment, &python);
	assert_string_equal(python.interpreter, "/r/versions/3.10.1/bin/python3");
	assert_string_equal(python.version, "3.10");
	assert_string_equal(python.found_by, "PATH");
	assert_false(python.script);
}

static void test_pyenv_version_of_the_environment(void **state)
{
	make_pyenv(*state);
	static const char *const environment[] = {"PATH=/r/shims", "PYENV_VERSION=3.12.0:3.10.1", NULL};
	MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
	find(*state, environment, &python);
	assert_string_equal(python.interpreter, "/r/versions/3.12.0/bin/python");
}

static void test_scripts_stay_dark(void **state)
{
	struct scratch_tree *tree = *state;
	make_pyenv(tree);
	scratch_tree_write(tree, "/own/python3", "#!/bin/sh\nexec something\n");
	static const char *const unknown[] = {"PATH=/r/shims", "PYENV_VERSION=system", NULL};
	static const char *const own[] = {"PATH=/own", NULL};
	static const char *const *const environments[] = {unknown, own};
	for (size_t i = 0; i < 2; i++) {
		MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
		find(tree, environments[i], &python);
		assert_true(python.script);
		assert_int_equal(python.n_folders, 0);
	}
}

static void test_named(void **state)
{
	struct scratch_tree *tree = *state;
	make_venv(tree, "version = 3.11.2\n");
	static const char *const names[] = {"/opt/env", "/opt/env/", "/opt/env/bin/python3", "opt/env"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
		assert_int_equal(mxt_python_find(&tree->root, NULL, names[i], &python, NULL), 0);
		assert_string_equal(python.program, "/usr/bin/python3.11");
		assert_string_equal(python.found_by, "--python");
		assert_true(python.virtual_environment);
	}
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_python python = MXT_PYTHON_INIT;
	assert_int_equal(mxt_python_find(&tree->root, NULL, "/opt/none", &python, &err), -ENOENT);
	assert_int_equal(err.id, MXT_E_NO_PYTHON);
	assert_null(python.interpreter);
}

/* A file is taken for a Python by its name, or by that of what it links to: nothing is run to find out. */
static void test_named_something_else(void **state)
{
	struct scratch_tree *tree = *state;
	make_venv(tree, "version = 3.11.2\n");
	scratch_tree_write(tree, "/usr/bin/ls", PROGRAM);
	scratch_tree_link(tree, "/usr/bin/py", "python3.11");
	static const char *const wrong[] = {"/usr/bin/ls", "ls", "/opt/env/pyvenv.cfg"};
	static const char *const environment[] = {"PATH=/usr/bin", NULL};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		struct mxt_python python = MXT_PYTHON_INIT;
		assert_int_equal(mxt_python_find(&tree->root, (char *const *)environment, wrong[i], &python, &err),
				 -ENOENT);
		assert_int_equal(err.id, MXT_E_NO_PYTHON);
		assert_null(python.interpreter);
	}
	MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
	assert_int_equal(mxt_python_find(&tree->root, (char *const *)environment, "py", &python, NULL), 0);
	assert_string_equal(python.program, "/usr/bin/python3.11");
}

/* `python3 -m venv env`, and --python env. */
static void test_folder_with_the_name_of_a_program(void **state)
{
	struct scratch_tree *tree = *state;
	static const char *const environment[] = {"PATH=/usr/bin", NULL};
	MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
	scratch_tree_write(tree, "/usr/bin/env", PROGRAM);
	scratch_tree_write(tree, "/usr/bin/python3.11", PROGRAM);
	scratch_tree_link(tree, "/env/bin/python3", "/usr/bin/python3.11");
	assert_int_equal(mxt_python_find(&tree->root, (char *const *)environment, "env", &python, NULL), 0);
	assert_string_equal(python.interpreter, "/env/bin/python3");
	assert_string_equal(python.found_by, "--python");
}

static void test_torches(void **state)
{
	struct scratch_tree *tree = *state;
	make_venv(tree, "include-system-site-packages = true\n");
	scratch_tree_write(tree, "/opt/env/lib/python3.11/site-packages/torch/version.py", "__version__ = '2.9.1'\n");
	scratch_tree_write(tree, "/opt/env/lib/python3.11/site-packages/torch-2.9.1.dist-info/METADATA",
			   "Version: 2.9.1\n");
	scratch_tree_write(tree, "/opt/env/lib/python3.11/site-packages/torch-2.8.0.dist-info/RECORD", "");
	scratch_tree_write(tree, "/opt/env/lib/python3.11/site-packages/torchvision-1.dist-info/METADATA",
			   "Version: 1\n");
	scratch_tree_write(tree, "/usr/lib/python3/dist-packages/torch-1.13.1.dist-info/METADATA", "Version: 1.13.1\n");
	MXT_CLEANUP_PYTHON struct mxt_python python = MXT_PYTHON_INIT;
	MXT_CLEANUP_TORCH struct mxt_torch_list list = MXT_TORCH_LIST_INIT;
	find(tree, venv_environment, &python);
	assert_int_equal(mxt_torch_find(&tree->root, &python, &list, NULL), 0);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[0].files.version, "2.9.1");
	assert_string_equal(list.items[0].metadata, "2.9.1");
	assert_int_equal(list.items[0].n_metadata, 2);
	assert_string_equal(list.items[1].folder, "/usr/lib/python3/dist-packages");
	assert_string_equal(list.items[1].files.version, "");
	assert_string_equal(list.items[1].metadata, "1.13.1");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_tree_set_up, scratch_tree_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_none),
	    TEST(test_debian),
	    TEST(test_user_site_can_be_off),
	    TEST(test_virtual_environment),
	    TEST(test_virtual_environment_over_the_system),
	    TEST(test_conda),
	    TEST(test_unknown_version),
	    TEST(test_pyenv),
	    TEST(test_pyenv_version_of_the_environment),
	    TEST(test_scripts_stay_dark),
	    TEST(test_named),
	    TEST(test_named_something_else),
	    TEST(test_folder_with_the_name_of_a_program),
	    TEST(test_torches),
	};
	return cmocka_run_group_tests_name("python_env", tests, NULL, NULL);
}
