/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a run: its name, that no other run gets it, files in one piece, and no secrets in the command.
 */
#include "run_folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "argv_json.h"
#include "buf.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "scratch.h"

#define WHEN INT64_C(1796059366) /* 2026-11-30 17:22:46 UTC */
#define ID   "3fa8b2c1d0d0d0d0"

static void make(struct mxt_run_folder *folder, const char *out, const char *id, int64_t node)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(mxt_run_folder_make(folder, out, WHEN, id, node, &err), 0);
}

static mode_t mode_of(const char *path)
{
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

static void test_names(void **state)
{
	static const struct {
		const char *id;
		int64_t node;
		const char *name;
	} cases[] = {
	    {ID, 0, "20261130-172246-3fa8b2c1"},   {ID, 0, "20261130-172246-3fa8b2c1-2"},
	    {ID, 0, "20261130-172246-3fa8b2c1-3"}, {ID, 1, "20261130-172246-3fa8b2c1-node1"},
	    {NULL, 0, "20261130-172246"},
	};
	MXT_CLEANUP_FREE char *out = mxt_scratch_path(*state, "new/runs/here");
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		MXT_CLEANUP_RUN_FOLDER struct mxt_run_folder folder = MXT_RUN_FOLDER_INIT;
		make(&folder, out, cases[i].id, cases[i].node);
		assert_string_equal(folder.name, cases[i].name);
		MXT_CLEANUP_FREE char *path = mxt_scratch_path(out, cases[i].name);
		assert_string_equal(folder.path, path);
		assert_int_equal(mode_of(path), 0700);
	}
}

static void test_no_folder(void **state)
{
	MXT_CLEANUP_FREE char *file = mxt_scratch_write(*state, "file", "x");
	MXT_CLEANUP_FREE char *below = mxt_scratch_path(file, "runs");
	const char *const outs[] = {"", file, below, "/proc/no/runs"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(outs); i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		MXT_CLEANUP_RUN_FOLDER struct mxt_run_folder folder = MXT_RUN_FOLDER_INIT;
		assert_true(mxt_run_folder_make(&folder, outs[i], WHEN, ID, 0, &err) < 0);
		assert_int_equal(err.id, MXT_E_LAUNCH_FOLDER);
		assert_null(folder.path);
	}
	mxt_scratch_expect(file, "x");
}

static void test_files(void **state)
{
	MXT_CLEANUP_RUN_FOLDER struct mxt_run_folder folder = MXT_RUN_FOLDER_INIT;
	MXT_CLEANUP_JSON json_t *json = json_pack("{s:i, s:b}", "b", 1, "a", 1);
	make(&folder, *state, ID, 0);
	assert_int_equal(mxt_run_folder_write(&folder, "run.yaml", "a: 1\n", 5, NULL), 0);
	assert_int_equal(mxt_run_folder_write(&folder, "run.yaml", "b: 2\n", 5, NULL), 0);
	assert_int_equal(mxt_run_folder_write(&folder, "empty", NULL, 0, NULL), 0);
	assert_int_equal(mxt_run_folder_write_json(&folder, "env.json", json, NULL), 0);
	MXT_CLEANUP_FREE char *yaml = mxt_run_folder_file(&folder, "run.yaml");
	MXT_CLEANUP_FREE char *env = mxt_run_folder_file(&folder, "env.json");
	mxt_scratch_expect(yaml, "b: 2\n");
	mxt_scratch_expect(env, "{\"a\":true,\"b\":1}\n");
	assert_int_equal(mode_of(yaml), 0600);
	assert_int_equal(mxt_scratch_count(folder.path), 3); /* and no temporary file */
}

static void test_unwritable(void **state)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_RUN_FOLDER struct mxt_run_folder folder = MXT_RUN_FOLDER_INIT;
	MXT_CLEANUP_FREE char *sub = NULL;
	make(&folder, *state, ID, 0);
	assert_int_equal(mxt_run_folder_subfolder(&folder, "handoff", &sub, &err), 0);
	assert_int_equal(mode_of(sub), 0700);
	assert_true(mxt_run_folder_write(&folder, "handoff", "x", 1, &err) < 0);
	assert_non_null(strstr(mxt_error_text(&err), sub));
	assert_int_equal(mxt_scratch_count(folder.path), 1);
	MXT_CLEANUP_FREE char *again = NULL;
	assert_int_equal(mxt_run_folder_subfolder(&folder, "handoff", &again, &err), -EEXIST);
	assert_int_equal(err.id, MXT_E_LAUNCH_FOLDER);
}

static void test_log_and_end(void **state)
{
	MXT_CLEANUP_RUN_FOLDER struct mxt_run_folder folder = MXT_RUN_FOLDER_INIT;
	MXT_CLEANUP_JSON json_t *status = json_pack("{s:s}", "state", "ended");
	make(&folder, *state, ID, 0);
	assert_int_equal(mxt_run_folder_log(&folder, NULL), 0);
	MXT_CLEANUP_FREE char *spare = mxt_run_folder_file(&folder, ".spare");
	assert_int_equal(access(spare, F_OK), 0); /* while it runs */
	assert_int_equal(write(folder.log_fd, "one\n", 4), 4);
	assert_int_equal(mxt_run_folder_write_json(&folder, "status.json", status, NULL), 0);
	assert_int_equal(json_object_set_new(status, "exit", json_integer(0)), 0);
	assert_int_equal(mxt_run_folder_settle(&folder, status, NULL), 0);
	MXT_CLEANUP_FREE char *log = mxt_run_folder_file(&folder, "train.log");
	MXT_CLEANUP_FREE char *end = mxt_run_folder_file(&folder, "status.json");
	assert_int_equal(access(spare, F_OK), -1);
	mxt_scratch_expect(log, "one\n");
	mxt_scratch_expect(end, "{\"exit\":0,\"state\":\"ended\"}\n");
}

static void test_argv(void **state)
{
	(void)state;
	char *const argv[] = {(char *)"python",           (char *)"--hub_token", (char *)"abc",
			      (char *)"--use_auth_token", (char *)"--seed",      (char *)"1",
			      (char *)"-token",           (char *)"-x",          (char *)"--api_key=abc",
			      (char *)"a\nb\xff",         (char *)"--key",       NULL};
	static const char want[] = "[\"python\",\"--hub_token\",\"[masked]\",\"--use_auth_token\",\"--seed\",\"1\","
				   "\"-token\",\"[masked]\",\"--api_key=[masked]\",\"a b\xef\xbf\xbd\",\"--key\"]";
	MXT_CLEANUP_JSON json_t *json = mxt_argv_json(argv);
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	assert_int_equal(mxt_json_canonical(json, &buf, NULL), 0);
	assert_string_equal(mxt_buf_text(&buf), want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_names, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(test_no_folder, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(test_files, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(test_unwritable, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(test_log_and_end, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test(test_argv),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
