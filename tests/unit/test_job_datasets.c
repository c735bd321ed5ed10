/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc_faults.h"
#include "job_datasets.h"
#include "json.h"
#include "scratch.h"
#include "yaml_tree.h"

struct reading {
	const char *root;
	struct mxt_yaml_tree *trees[2];
	const struct mxt_yaml_node *nodes[2];
	size_t n;
	char *const *environment;
};

static void parse(struct reading *reading, const char *yaml)
{
	struct mxt_yaml_tree **tree = &reading->trees[reading->n];
	assert_int_equal(mxt_yaml_tree_parse("run.yaml", yaml, strlen(yaml), tree, NULL), 0);
	reading->nodes[reading->n++] = mxt_yaml_tree_root(*tree);
}

static int find(void *context, json_t **ret_list)
{
	struct reading *reading = context;
	return mxt_job_datasets(reading->nodes, reading->n, reading->root, reading->environment, ret_list, NULL);
}

static void finish(struct reading *reading)
{
	for (size_t i = 0; i < reading->n; i++)
		mxt_yaml_tree_destroy(reading->trees[i]);
}

/* The list for a config and what an argument makes of it ("": none), with the scratch folder as ROOT. */
static void assert_found(const char *root, const char *yaml, const char *argument, const char *expected)
{
	char variable[] = "HF_HUB_CACHE=/hub", *const environment[] = {variable, NULL};
	struct reading reading = {.root = root, .environment = environment};
	json_t *list = NULL;
	struct mxt_buf text = MXT_BUF_INIT, clean = MXT_BUF_INIT;
	parse(&reading, yaml);
	if (argument[0])
		parse(&reading, argument);
	assert_int_equal(find(&reading, &list), 0);
	assert_int_equal(mxt_json_canonical(list, &text, NULL), 0);
	for (const char *at = text.data, *hit; at; at = hit ? hit + strlen(root) : NULL) {
		hit = strstr(at, root);
		mxt_buf_append(&clean, at, hit ? (size_t)(hit - at) : strlen(at));
		mxt_buf_puts(&clean, hit ? "ROOT" : "");
	}
	assert_string_equal(clean.data, expected);
	mxt_buf_finish(&text);
	mxt_buf_finish(&clean);
	json_decref(list);
	finish(&reading);
}

static void files_and_folders_are_told_absolute(void **state)
{
	const char *root = *state;
	assert_found(
	    root, "datasets:\n  - path: a.jsonl\n    type: alpaca\n  - path: ./folder\n", "",
	    "[{\"name\":\"a.jsonl\",\"path\":\"ROOT/a.jsonl\"},{\"name\":\"./folder\",\"path\":\"ROOT/folder\"}]");
	assert_found(root, "test_datasets:\n  - path: link\n", "", "[{\"name\":\"link\",\"path\":\"ROOT/folder\"}]");
	assert_found(root, "pretraining_dataset: a.jsonl\n", "", "[{\"name\":\"a.jsonl\",\"path\":\"ROOT/a.jsonl\"}]");
	assert_found(root, "pretraining_dataset:\n  path: folder\n", "",
		     "[{\"name\":\"folder\",\"path\":\"ROOT/folder\"}]");
}

static void one_place_is_told_once(void **state)
{
	assert_found(*state, "datasets:\n  - {path: a.jsonl, split: 'train[:9]'}\n  - {path: a.jsonl, split: test}\n",
		     "", "[{\"name\":\"a.jsonl\",\"path\":\"ROOT/a.jsonl\"}]");
}

static void data_files_are_told_instead_of_their_folder(void **state)
{
	const char *root = *state;
	assert_found(root, "datasets:\n  - path: folder\n    data_files: a.jsonl\n", "",
		     "[{\"name\":\"a.jsonl\",\"path\":\"ROOT/a.jsonl\"}]");
	assert_found(root, "datasets:\n  - path: folder\n    data_files: {train: [a.jsonl, folder/b.jsonl]}\n", "",
		     "[{\"name\":\"a.jsonl\",\"path\":\"ROOT/a.jsonl\"},"
		     "{\"name\":\"folder/b.jsonl\",\"path\":\"ROOT/folder/b.jsonl\"}]");
	assert_found(root, "datasets:\n  - path: folder\n    data_files: '*.jsonl'\n", "",
		     "[{\"name\":\"*.jsonl\",\"reason\":\"no file has that name; patterns and addresses are not looked "
		     "up\"}]");
}

static void others_are_of_the_hub(void **state)
{
	const char *root = *state;
	assert_found(root, "datasets:\n  - path: org/name\n  - {path: plain, revision: abc}\n", "",
		     "[{\"cache\":\"/hub\",\"hub\":\"org/name\",\"name\":\"org/name\",\"revision\":\"main\"},"
		     "{\"cache\":\"/hub\",\"hub\":\"plain\",\"name\":\"plain\",\"revision\":\"abc\"}]");
}

static void the_rest_has_a_reason(void **state)
{
	const char *root = *state;
	assert_found(root, "datasets: [{path: 's3://bucket/x'}, {path: ./gone.jsonl}, {type: alpaca}]\n", "",
		     "[{\"name\":\"s3://bucket/x\",\"reason\":\"it is a remote address\"},"
		     "{\"name\":\"./gone.jsonl\",\"reason\":\"it is no file or folder here, and no name of the Hub\"},"
		     "{\"name\":\"\",\"reason\":\"the config names no path for it\"}]");
	assert_found(root, "datasets: [{path: fifo}]\n", "",
		     "[{\"name\":\"fifo\",\"reason\":\"it is no file or folder\"}]");
}

static void an_argument_replaces_its_key(void **state)
{
	assert_found(*state, "datasets: [{path: a.jsonl}]\ntest_datasets: [{path: folder}]\n",
		     "datasets: [{path: folder/b.jsonl}]\n",
		     "[{\"name\":\"folder/b.jsonl\",\"path\":\"ROOT/folder/b.jsonl\"},"
		     "{\"name\":\"folder\",\"path\":\"ROOT/folder\"}]");
}

static void none_is_an_empty_list(void **state)
{
	assert_found(*state, "base_model: x\n", "", "[]");
	assert_found(*state, "datasets:\n", "", "[]");
	assert_found(*state, "datasets: []\n", "", "[]");
}

static int find_again(void *context)
{
	json_t *list = NULL;
	int rc = find(context, &list);
	json_decref(list);
	return rc;
}

static void memory_may_run_out(void **state)
{
	struct reading reading = {.root = *state};
	parse(&reading, "datasets: [{path: a.jsonl}, {path: org/name}, {path: 's3://x'}]\n");
	json_set_alloc_funcs(mxt_test_malloc, free);
	assert_true(mxt_test_each_allocation(find_again, &reading) > 10);
	finish(&reading);
}

static int setup(void **state)
{
	char *root = NULL, *made = NULL;
	assert_int_equal(mxt_scratch_setup((void **)&made), 0);
	root = realpath(made, NULL);
	free(made);
	char *folder = mxt_scratch_path(root, "folder"), *link = mxt_scratch_path(root, "link");
	char *fifo = mxt_scratch_path(root, "fifo");
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(symlink("folder", link), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	free(folder);
	free(link);
	free(fifo);
	free(mxt_scratch_write(root, "a.jsonl", "{}\n"));
	free(mxt_scratch_write(root, "folder/b.jsonl", "{}\n"));
	*state = root;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(files_and_folders_are_told_absolute, setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(one_place_is_told_once, setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(data_files_are_told_instead_of_their_folder, setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(others_are_of_the_hub, setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(the_rest_has_a_reason, setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(an_argument_replaces_its_key, setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(none_is_an_empty_list, setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(memory_may_run_out, setup, mxt_scratch_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
