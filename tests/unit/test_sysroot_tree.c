/* SPDX-License-Identifier: Apache-2.0 */
/* Folders and links under a sysroot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "cleanup.h"
#include "error.h"
#include "scratch_tree.h"
#include "sysroot_tree.h"

static void expect_path(const struct scratch_tree *tree, const char *path, const char *expected)
{
	MXT_CLEANUP_FREE char *resolved = NULL;
	assert_int_equal(mxt_sysroot_resolve(&tree->root, path, &resolved, NULL), 0);
	assert_string_equal(resolved, expected);
}

static void test_names_are_sorted(void **state)
{
	struct scratch_tree *tree = *state;
	scratch_tree_write(tree, "/d/b", "");
	scratch_tree_write(tree, "/d/a", "");
	scratch_tree_write(tree, "/d/c/x", "");
	MXT_CLEANUP_NAMES struct mxt_name_list list = MXT_NAME_LIST_INIT;
	assert_int_equal(mxt_sysroot_list(&tree->root, "/d", 10, &list, NULL), 0);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.names[0], "a");
	assert_string_equal(list.names[1], "b");
	assert_string_equal(list.names[2], "c");
}

static void test_names_are_bounded(void **state)
{
	struct scratch_tree *tree = *state;
	scratch_tree_write(tree, "/d/b", "");
	scratch_tree_write(tree, "/d/a", "");
	MXT_CLEANUP_NAMES struct mxt_name_list list = MXT_NAME_LIST_INIT;
	assert_int_equal(mxt_sysroot_list(&tree->root, "/d", 1, &list, NULL), 0);
	assert_int_equal(list.count, 1);
}

static void test_missing_folder(void **state)
{
	struct scratch_tree *tree = *state;
	struct mxt_name_list list = MXT_NAME_LIST_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(mxt_sysroot_list(&tree->root, "/none", 10, &list, &err), -ENOENT);
	assert_non_null(strstr(mxt_error_text(&err), "/none"));
}

static void test_plain_paths(void **state)
{
	expect_path(*state, "/", "/");
	expect_path(*state, "", "/");
	expect_path(*state, "//usr///bin/", "/usr/bin");
	expect_path(*state, "/usr/./bin/../lib", "/usr/lib");
	expect_path(*state, "/../../etc", "/etc");
}

/* As Debian's /usr/bin/python3, and an absolute link, which must not leave the sysroot. */
static void test_links_stay_inside(void **state)
{
	struct scratch_tree *tree = *state;
	scratch_tree_write(tree, "/usr/bin/python3.11", "");
	scratch_tree_link(tree, "/usr/bin/python3", "python3.11");
	scratch_tree_link(tree, "/opt/venv/bin/python", "/usr/bin/python3");
	scratch_tree_link(tree, "/bin", "usr/bin");
	scratch_tree_link(tree, "/up", "../../../../usr");
	expect_path(tree, "/opt/venv/bin/python", "/usr/bin/python3.11");
	expect_path(tree, "/bin/python3", "/usr/bin/python3.11");
	expect_path(tree, "/up/bin/python3", "/usr/bin/python3.11");
}

static void test_link_circle(void **state)
{
	struct scratch_tree *tree = *state;
	scratch_tree_link(tree, "/a", "b");
	scratch_tree_link(tree, "/b", "a");
	char *resolved = NULL;
	assert_int_equal(mxt_sysroot_resolve(&tree->root, "/a", &resolved, NULL), -ELOOP);
	assert_null(resolved);
}

/* Each link adds to what is left to walk; the limit on length ends it. */
static void test_growing_link(void **state)
{
	struct scratch_tree *tree = *state;
	char target[2048] = "a";
	for (size_t i = 1; i + 2 < sizeof target; i += 2)
		memcpy(target + i, "/x", 3);
	scratch_tree_link(tree, "/a", target);
	char *resolved = NULL;
	assert_int_equal(mxt_sysroot_resolve(&tree->root, "/a", &resolved, NULL), -ENAMETOOLONG);
}

static void test_long_component(void **state)
{
	struct scratch_tree *tree = *state;
	char path[400];
	memset(path, 'n', sizeof path);
	path[0] = '/';
	path[sizeof path - 1] = '\0';
	char *resolved = NULL;
	assert_int_equal(mxt_sysroot_resolve(&tree->root, path, &resolved, NULL), -ENAMETOOLONG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_tree_set_up, scratch_tree_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_names_are_sorted), TEST(test_names_are_bounded), TEST(test_missing_folder),
	    TEST(test_plain_paths),      TEST(test_links_stay_inside), TEST(test_link_circle),
	    TEST(test_growing_link),     TEST(test_long_component),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
