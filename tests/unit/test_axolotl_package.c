/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which keys the installed Axolotl knows, read from its sources.
 */
#include "axolotl_package.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "axolotl_schema.h"
#include "axolotl_trees.h"
#include "cmocka_all.h"
#include "python_env.h"
#include "scratch.h"
#include "sysroot.h"

static void find(const char *root_path, const char *folder, struct mxt_axolotl_package *ret_package)
{
	char *folders[] = {(char *)folder};
	const struct mxt_python python = {.folders = folders, .n_folders = 1};
	const struct mxt_sysroot root = {.prefix = root_path};
	struct mxt_python_packages packages;
	assert_int_equal(mxt_python_packages_find(&root, &python, &packages, NULL), 0);
	assert_int_equal(mxt_axolotl_package_find(&root, &python, &packages, ret_package, NULL), 0);
}

static void test_none(void **state)
{
	struct mxt_axolotl_package package;
	find(*state, "/site", &package);
	assert_string_equal(package.version, "");
	assert_null(package.folder);
	assert_null(package.keys);
	assert_null(mxt_axolotl_package_key(&package, "seed"));
	mxt_axolotl_package_finish(&package);
}

static void test_installed(void **state)
{
	struct mxt_axolotl_package package;
	axolotl_tree_install(*state, "site");
	find(*state, "/site", &package);
	assert_string_equal(package.version, "0.19.0");
	assert_string_equal(package.folder, "/site/axolotl");
	static const struct {
		const char *key, *plugin;
		bool top;
	} expected[] = {
	    {"base_model", NULL, true}, {"seed", NULL, true},    {"flash_attention", NULL, true},
	    {"trl", NULL, true},        {"beta", NULL, false},   {"liger_rope", "liger", true},
	    {"old_name", NULL, true},   {"machine", NULL, true},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(expected); i++) {
		const struct mxt_axolotl_key *key = mxt_axolotl_package_key(&package, expected[i].key);
		const char *wanted = expected[i].plugin, *plugin = key ? key->plugin : NULL;
		bool same = plugin && wanted ? strcmp(plugin, wanted) == 0 : plugin == wanted;
		if (!key || key->top != expected[i].top || !same)
			fail_msg("%s", expected[i].key);
	}
	const struct mxt_axolotl_key *trl = mxt_axolotl_package_key(&package, "trl");
	assert_int_equal(trl->n_members, 1);
	assert_string_equal(trl->members[0], "beta");
	assert_null(mxt_axolotl_package_key(&package, "seed")->members);
	assert_null(mxt_axolotl_package_key(&package, "not_a_field"));
	assert_int_equal(package.n_keys, MXT_ARRAY_LEN(expected));
	mxt_axolotl_package_finish(&package);
}

/* Installed in place: only its record is among the packages. */
static void test_editable(void **state)
{
	struct mxt_axolotl_package package;
	axolotl_tree_install(*state, "work/axolotl/src");
	axolotl_tree_write(*state, "site/axolotl-0.19.0.dist-info/direct_url.json",
			   "{\"dir_info\": {\"editable\": true}, \"url\": \"file:///work/axolotl\"}");
	find(*state, "/site", &package);
	assert_string_equal(package.version, "0.19.0");
	assert_string_equal(package.folder, "/work/axolotl/src/axolotl");
	assert_non_null(mxt_axolotl_package_key(&package, "seed"));
	mxt_axolotl_package_finish(&package);
	axolotl_tree_write(*state, "site/axolotl-0.19.0.dist-info/direct_url.json", "{\"url\": \"https://example\"}");
	find(*state, "/site", &package);
	assert_null(package.folder);
	mxt_axolotl_package_finish(&package);
	axolotl_tree_write(*state, "site/axolotl-0.19.0.dist-info/direct_url.json", "[");
	find(*state, "/site", &package);
	assert_string_equal(package.version, "0.19.0");
	assert_null(package.folder);
	mxt_axolotl_package_finish(&package);
}

/* Sources without the class that the config is: every field may stand at the top. */
static void test_no_root(void **state)
{
	(void)state;
	static const char source[] = "class A(B):\n    a: int\nclass C:\n    c: int\n    a: str\n";
	struct mxt_axolotl_schema *schema = NULL;
	struct mxt_axolotl_key *keys = NULL;
	size_t count = 0;
	assert_int_equal(mxt_axolotl_schema_create(&schema, NULL), 0);
	assert_int_equal(mxt_axolotl_schema_keys(schema, &keys, &count, NULL), 0);
	assert_null(keys);
	assert_int_equal(mxt_axolotl_schema_take(schema, NULL, source, sizeof source - 1, NULL), 0);
	assert_int_equal(mxt_axolotl_schema_keys(schema, &keys, &count, NULL), 0);
	assert_int_equal(count, 2);
	assert_string_equal(keys[0].name, "a");
	assert_true(keys[0].top && keys[1].top);
	mxt_axolotl_keys_destroy(keys, count);
	mxt_axolotl_schema_destroy(schema);
}

#define WITH_SCRATCH(test) cmocka_unit_test_setup_teardown(test, mxt_scratch_setup, mxt_scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    WITH_SCRATCH(test_none),
	    WITH_SCRATCH(test_installed),
	    WITH_SCRATCH(test_editable),
	    cmocka_unit_test(test_no_root),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
