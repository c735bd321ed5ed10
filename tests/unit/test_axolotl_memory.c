/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation fails once of those that read an installed Axolotl, its config and its report. A secret that was not
 * found would be published.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "alloc_faults.h"
#include "axolotl_package.h"
#include "axolotl_policy.h"
#include "axolotl_trees.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "config_report.h"
#include "json.h"
#include "plan_check_fixture.h"
#include "python_env.h"
#include "remarks.h"
#include "scratch.h"
#include "sysroot.h"
#include "train_config.h"

static int find_package(void *context)
{
	char *folders[] = {(char *)"/site"};
	const struct mxt_python python = {.folders = folders, .n_folders = 1};
	const struct mxt_sysroot root = {.prefix = context};
	struct mxt_python_packages packages;
	struct mxt_axolotl_package package = MXT_AXOLOTL_PACKAGE_INIT;
	int rc = mxt_python_packages_find(&root, &python, &packages, NULL);
	if (rc == 0)
		rc = mxt_axolotl_package_find(&root, &python, &packages, &package, NULL);
	/* jansson takes a lack of memory for a wrong text at times: then no sources are found. */
	if (rc == 0 && package.folder)
		assert_non_null(mxt_axolotl_package_key(&package, "liger_rope"));
	mxt_axolotl_package_finish(&package);
	return rc;
}

static void test_package(void **state)
{
	axolotl_tree_install(*state, "site");
	assert_true(mxt_test_each_allocation(find_package, *state) > 20);
	axolotl_tree_install(*state, "project/src");
	char *package = mxt_scratch_path(*state, "site/axolotl");
	assert_int_equal(mxt_scratch_remove(package), 0);
	free(package);
	axolotl_tree_write(*state, "site/axolotl-0.19.0.dist-info/direct_url.json", "{\"url\": \"file:///project\"}");
	assert_true(mxt_test_each_allocation(find_package, *state) > 20);
}

static int hold_config(void *context)
{
	static const char config[] =
	    "base_model: m\ntorch_compile_mode: max-autotune\nsed: 1\noptim_args: {eps: 1e-8}\n"
	    "comet_api_key: abcdefgh\nwandb_name: hf_abcdefghijklmnopqrstuvwxyz\n"
	    "train: {flash_attention: true}\noutput_dir: /x\n";
	char *const arguments[] = {(char *)"--attn-implementation=sdpa", (char *)"--trl__beta", (char *)"1", NULL};
	const struct mxt_axolotl_package none = MXT_AXOLOTL_PACKAGE_INIT;
	const struct mxt_axolotl_policy_request request = {
	    .name = "run.yaml", .bytes = config, .len = sizeof config - 1, .package = &none, .arguments = arguments};
	MXT_CLEANUP_AXOLOTL_FACTS struct mxt_axolotl_facts facts = MXT_AXOLOTL_FACTS_INIT;
	MXT_CLEANUP_REMARKS struct mxt_remarks remarks = MXT_REMARKS_INIT;
	(void)context;
	int rc = mxt_axolotl_policy(&request, &remarks, &facts, NULL);
	if (rc == 0 && remarks.failed)
		rc = -ENOMEM;
	if (rc == 0)
		assert_int_equal(remarks.count, 8);
	return rc;
}

static void test_policy(void **state)
{
	(void)state;
	assert_true(mxt_test_each_allocation(hold_config, NULL) > 20);
}

/* Without memory for it a report is unreadable, never another one. */
static int read_report(void *context)
{
	static const char log[] = "noise\nconfig:\n{\n  \"base_model\": \"m\",\n  \"seed\": 1\n}\n";
	struct mxt_config_report *report = NULL;
	int rc = mxt_config_report_create(context, &report, NULL);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < sizeof log - 1; i += 5)
		(void)mxt_config_report_take(report, 0, log + i, sizeof log - 1 - i < 5 ? sizeof log - 1 - i : 5);
	enum mxt_config_state state = mxt_config_report_state(report);
	mxt_config_report_destroy(report);
	assert_true(state == MXT_CONFIG_CONFIRMED || state == MXT_CONFIG_UNREADABLE);
	return state == MXT_CONFIG_CONFIRMED ? 0 : -ENOMEM;
}

static void test_report(void **state)
{
	(void)state;
	MXT_CLEANUP_JSON json_t *expected = json_pack("{s:i}", "seed", 1);
	assert_true(mxt_test_each_allocation(read_report, expected) > 4);
}

/* A lack of memory is never taken for a config that cannot be edited. */
static int edit_config(void *context)
{
	struct mxt_axolotl_package package = MXT_AXOLOTL_PACKAGE_INIT;
	(void)snprintf(package.version, sizeof package.version, "0.19.0");
	struct mxt_train_config_request *request = context;
	request->package = &package;
	struct mxt_train_config config = MXT_TRAIN_CONFIG_INIT;
	MXT_CLEANUP_REMARKS struct mxt_remarks remarks = MXT_REMARKS_INIT;
	int rc = mxt_train_config_make(request, &remarks, &config, NULL);
	if (rc == 0 && remarks.failed)
		rc = -ENOMEM;
	for (size_t i = 0; rc == 0 && i < remarks.count; i++)
		assert_int_not_equal(remarks.items[i].kind, MXT_REMARK_REFUSED);
	mxt_train_config_finish(&config);
	return rc;
}

static void test_edit(void **state)
{
	MXT_CLEANUP_PLAN struct mxt_plan *plan = plan_check_plan(false, NULL, NULL);
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(*state, "run.yaml", "base_model: m\n");
	struct mxt_train_config_request request = {.path = path, .plan = plan};
	assert_true(mxt_test_each_allocation(edit_config, &request) > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_package, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test(test_policy),
	    cmocka_unit_test(test_report),
	    cmocka_unit_test_setup_teardown(test_edit, mxt_scratch_setup, mxt_scratch_teardown),
	};
	json_set_alloc_funcs(mxt_test_malloc, free);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
