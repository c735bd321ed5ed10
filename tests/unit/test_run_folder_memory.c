/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of a run's folder fails once. A command whose secret was not masked would be kept.
 */
#include <errno.h>
#include <string.h>

#include "alloc_faults.h"
#include "argv_json.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "run_folder.h"
#include "scratch.h"

static int fill(void *context)
{
	MXT_CLEANUP_RUN_FOLDER struct mxt_run_folder folder = MXT_RUN_FOLDER_INIT;
	char *const argv[] = {(char *)"python", (char *)"--token", (char *)"abc", (char *)"HF_TOKEN=abc", NULL};
	MXT_CLEANUP_FREE char *sub = NULL;
	int rc = mxt_run_folder_make(&folder, context, 1, "0123456789", 1, NULL);
	if (rc == 0)
		rc = mxt_run_folder_subfolder(&folder, "ranks", &sub, NULL);
	MXT_CLEANUP_JSON json_t *json = rc == 0 ? mxt_argv_json(argv) : NULL;
	if (rc == 0 && !json)
		rc = -ENOMEM;
	if (rc == 0)
		rc = mxt_run_folder_write_json(&folder, "argv.json", json, NULL);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_FREE char *path = mxt_run_folder_file(&folder, "argv.json");
	if (!path)
		return -ENOMEM;
	mxt_scratch_expect(path, "[\"python\",\"--token\",\"[masked]\",\"HF_TOKEN=[masked]\"]\n");
	return mxt_run_folder_settle(&folder, json, NULL);
}

static void test_every_allocation(void **state)
{
	json_set_alloc_funcs(mxt_test_malloc, free);
	assert_true(mxt_test_each_allocation(fill, *state) > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_every_allocation, mxt_scratch_setup, mxt_scratch_teardown)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
