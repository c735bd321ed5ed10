/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "alloc_faults.h"
#include "cleanup.h"
#include "error.h"
#include "manifest.h"
#include "manifest_create.h"
#include "manifest_files.h"
#include "scratch.h"

static const char job[] =
    "{\"schema\":\"mindxtrain.job/1\",\"directory\":\"/here\",\"output_dir\":\"/gone\",\"datasets\":"
    "[{\"name\":\"a\",\"path\":\"/gone/too\"},{\"name\":\"b\",\"reason\":\"remote\"},{\"cache\":"
    "\"/gone\",\"hub\":\"org/name\",\"name\":\"org/name\",\"revision\":\"main\"}]}";
static const char status[] = "{\"schema\":\"mindxtrain.status/1\",\"state\":\"ended\",\"exit_status\":0,\"command\":"
			     "\"train\",\"yaml_changes\":[],\"witnesses\":[]}";
static const char config[] = "base_model: x\nlearning_rate: 0.1\n";

struct folders {
	char *run, *data;
};

static int create(void *context)
{
	const struct folders *folders = context;
	char *datasets[] = {folders->data, NULL};
	for (int given = 0; given < 2; given++) {
		MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		size_t left_out = 0;
		const struct mxt_manifest_request request = {
		    .run_folder = folders->run, .datasets = given ? datasets : NULL, .threads = 1, .now_ns = 1};
		int rc = mxt_manifest_create(&request, &manifest, &err);
		if (rc == 0)
			rc = mxt_manifest_write(manifest, folders->run, &left_out, &err);
		if (rc < 0)
			return rc;
		assert_int_equal(mxt_manifest_n_lists(manifest), given ? 2 : 1);
	}
	return 0;
}

static void every_allocation(void **state)
{
	struct folders folders = {mxt_scratch_path(*state, "run"), mxt_scratch_path(*state, "data")};
	assert_int_equal(mkdir(folders.run, 0700), 0);
	assert_int_equal(mkdir(folders.data, 0700), 0);
	static const struct {
		const char *name, *text;
	} files[] = {{"run/status.json", status},
		     {"run/job.json", job},
		     {"run/run.yaml", config},
		     {"run/argv.json", "[]"},
		     {"run/run.axolotl.yaml", config},
		     {"data/a", "a"},
		     {"run/env.json", "{\"changes\":{\"PYTHONPATH\":{\"by\":\"launch\",\"to\":\"x\"}}}"}};
	for (size_t i = 0; i < MXT_ARRAY_LEN(files); i++)
		free(mxt_scratch_write(*state, files[i].name, files[i].text));
	/* jansson's own would tell of broken JSON: its lexer takes memory that runs out for the end of a word. */
	assert_true(mxt_test_each_allocation(create, &folders) > 100);
	free(folders.run);
	free(folders.data);
}

/* What the cache has no memory for is not kept, and that is no failure. */
static int create_one(void *context)
{
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	return mxt_manifest_create(context, &manifest, &err);
}

static void with_a_config_that_is_named(void **state)
{
	MXT_CLEANUP_FREE char *run = mxt_scratch_path(*state, "run");
	MXT_CLEANUP_FREE char *cache = mxt_scratch_path(*state, "cache");
	MXT_CLEANUP_FREE char *named = mxt_scratch_write(*state, "job.yaml", "seed: 1\n");
	assert_int_equal(mkdir(run, 0700), 0);
	free(mxt_scratch_write(*state, "run/status.json", status));
	struct mxt_manifest_request request = {
	    .run_folder = run, .config = named, .cache = cache, .threads = 1, .now_ns = 1};
	assert_true(mxt_test_each_allocation(create_one, &request) > 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(every_allocation, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(with_a_config_that_is_named, mxt_scratch_setup, mxt_scratch_teardown)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
