/* SPDX-License-Identifier: Apache-2.0 */
/* A run's folder, a dataset of one file and a checkpoint, told in the forms of others. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc_faults.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "export.h"
#include "json.h"
#include "manifest.h"
#include "needs_libcrypto.h"
#include "scratch.h"
#include "tree.h"

/* Of "abc" and of nothing: FIPS 180-2, appendix B.1; NIST's examples. */
#define SHA256_ABC     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define SHA256_NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static void make_folder(const char *folder, const char *name)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(folder, name);
	assert_return_code(mkdir(path, 0777), errno);
}

static void make_file(const char *folder, const char *name, const char *text)
{
	free(mxt_scratch_write(folder, name, text));
}

static int setup(void **state)
{
	assert_int_equal(mxt_scratch_setup(state), 0);
	const char *const folders[] = {"run", "out", "out/.git", "out/a", "out/.gitignores"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(folders); i++)
		make_folder(*state, folders[i]);
	const char *const files[] = {
	    "run/run.log",       "data.jsonl", "out/.git/HEAD", "out/.gitignore",
	    "out/.gitignores/x", "out/a/z",    "out/a-b",       "out/a.b",
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(files); i++)
		make_file(*state, files[i], "abc");
	make_file(*state, "out/b", "");
	return 0;
}

static void add_list(json_t *lists, enum mxt_list_role role, const char *folder, const char *name)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	MXT_CLEANUP_FREE char *root = mxt_scratch_path(folder, name);
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	const struct mxt_hash_watch watch = {NULL, NULL};
	json_t *json = NULL;
	const struct mxt_tree_request request = {.root = root, .role = role};
	if (mxt_tree_list(&request, &list, &err) < 0 || mxt_hash_list(&list, 1, &watch, &err) < 0 ||
	    mxt_file_list_json(&list, &json, &err) < 0)
		fail_msg("%s", mxt_error_text(&err));
	assert_int_equal(json_array_append_new(lists, json), 0);
}

static struct mxt_manifest *make_manifest(const char *folder, const char *run, bool with_checkpoint)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_manifest *manifest = NULL;
	json_t *lists = json_array();
	add_list(lists, MXT_LIST_RUN, folder, run);
	add_list(lists, MXT_LIST_DATASET, folder, "data.jsonl");
	if (with_checkpoint)
		add_list(lists, MXT_LIST_CHECKPOINT, folder, "out");
	MXT_CLEANUP_JSON json_t *document =
	    json_pack("{s:s, s:{s:[s]}, s:i, s:s, s:{s:s}, s:o}", "schema", MXT_MANIFEST_SCHEMA, "result", "unknown",
		      "a test", "created", 1, "tool", "0.1", "run", "name", "run", "lists", lists);
	if (mxt_manifest_seal(document, &manifest, &err) < 0)
		fail_msg("%s", mxt_error_text(&err));
	return manifest;
}

typedef int (*export_fn)(const struct mxt_verify_request *where, json_t **ret_statement, struct mxt_error *err);

static json_t *exported(export_fn form, const struct mxt_verify_request *where)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	json_t *statement = NULL;
	if (form(where, &statement, &err) < 0)
		fail_msg("%s", mxt_error_text(&err));
	return statement;
}

static void expect_refused(export_fn form, const struct mxt_verify_request *where, enum mxt_error_id id,
			   const char *words)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	json_t *statement = NULL;
	assert_true(form(where, &statement, &err) < 0);
	assert_null(statement);
	if (err.id != id || !strstr(mxt_error_text(&err), words))
		fail_msg("%d: %s", (int)err.id, mxt_error_text(&err));
}

/* The values of one member of all objects in an array, each with a blank. */
static void expect_members(const json_t *array, const char *key, const char *expected)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	for (size_t i = 0; i < json_array_size(array); i++)
		mxt_buf_printf(&text, "%s ", mxt_json_text(json_array_get(array, i), key));
	assert_string_equal(mxt_buf_text(&text), expected);
}

static void expect_texts(const json_t *array, const char *expected)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	for (size_t i = 0; i < json_array_size(array); i++)
		mxt_buf_printf(&text, "%s ", json_string_value(json_array_get(array, i)));
	assert_string_equal(mxt_buf_text(&text), expected);
}

static void test_in_toto(void **state)
{
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = make_manifest(*state, "run", true);
	MXT_CLEANUP_FREE char *run = mxt_scratch_path(*state, "run");
	const struct mxt_verify_request where = {.manifest = manifest, .run_folder = run};
	MXT_CLEANUP_JSON json_t *statement = exported(mxt_export_in_toto, &where);
	assert_int_equal(mxt_json_check(statement, NULL), 0);
	assert_string_equal(mxt_json_text(statement, "_type"), MXT_IN_TOTO_STATEMENT);
	assert_string_equal(mxt_json_text(statement, "predicateType"), MXT_EXPORT_PREDICATE);
	const json_t *subjects = json_object_get(statement, "subject");
	expect_members(subjects, "name",
		       "run/run.log dataset-1/data.jsonl checkpoint/.git/HEAD checkpoint/.gitignore "
		       "checkpoint/.gitignores/x checkpoint/a-b checkpoint/a.b checkpoint/a/z checkpoint/b ");
	const json_t *digest = json_object_get(json_array_get(subjects, 0), "digest");
	char blake3[MXT_HASH_HEX_SIZE];
	mxt_hash_hex("abc", 3, blake3);
	assert_string_equal(mxt_json_text(digest, "sha256"), SHA256_ABC);
	assert_string_equal(mxt_json_text(digest, "blake3"), blake3);
	digest = json_object_get(json_array_get(subjects, 8), "digest");
	assert_string_equal(mxt_json_text(digest, "sha256"), SHA256_NOTHING);
	const json_t *predicate = json_object_get(statement, "predicate");
	assert_string_equal(mxt_json_text(predicate, "manifest_id"), mxt_manifest_id(manifest));
	assert_string_equal(mxt_json_text(json_object_get(predicate, "run"), "name"), "run");
	expect_members(json_object_get(predicate, "lists"), "prefix", "run/ dataset-1/ checkpoint/ ");
	assert_int_equal(mxt_json_integer(json_array_get(json_object_get(predicate, "lists"), 2), "bytes"), 18);
}

static void test_model_signing(void **state)
{
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = make_manifest(*state, "run", true);
	MXT_CLEANUP_FREE char *run = mxt_scratch_path(*state, "run");
	const struct mxt_verify_request where = {.manifest = manifest, .run_folder = run};
	MXT_CLEANUP_JSON json_t *statement = exported(mxt_export_model_signing, &where);
	assert_int_equal(mxt_json_check(statement, NULL), 0);
	expect_members(json_object_get(statement, "subject"), "name", "out ");
	const json_t *predicate = json_object_get(statement, "predicate");
	/* By parts of the path, not by its bytes. */
	expect_members(json_object_get(predicate, "resources"), "name", ".gitignores/x a/z a-b a.b b ");
	expect_texts(json_object_get(json_object_get(predicate, "serialization"), "ignore_paths"),
		     ".git .gitattributes .github .gitignore ");
}

static void test_folders_within_each_other(void **state)
{
	make_folder(*state, "out/run");
	make_file(*state, "out/run/run.log", "abc");
	MXT_CLEANUP_MANIFEST struct mxt_manifest *nested = make_manifest(*state, "out/run", true);
	MXT_CLEANUP_FREE char *run = mxt_scratch_path(*state, "out/run");
	MXT_CLEANUP_JSON json_t *statement =
	    exported(mxt_export_model_signing, &(struct mxt_verify_request){.manifest = nested, .run_folder = run});
	const json_t *serialization = json_object_get(json_object_get(statement, "predicate"), "serialization");
	expect_texts(json_object_get(serialization, "ignore_paths"), ".git .gitattributes .github .gitignore run ");

	MXT_CLEANUP_MANIFEST struct mxt_manifest *same = make_manifest(*state, "out", true);
	MXT_CLEANUP_FREE char *out = mxt_scratch_path(*state, "out");
	MXT_CLEANUP_JSON json_t *other =
	    exported(mxt_export_model_signing, &(struct mxt_verify_request){.manifest = same, .run_folder = out});
	serialization = json_object_get(json_object_get(other, "predicate"), "serialization");
	expect_texts(json_object_get(serialization, "ignore_paths"),
		     ".git .gitattributes .github .gitignore manifest.json manifest.json.sig manifest.b3 "
		     "manifest.dataset.b3 manifest.checkpoint.b3 ");
}

static void test_copies_elsewhere(void **state)
{
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = make_manifest(*state, "run", true);
	MXT_CLEANUP_FREE char *run = mxt_scratch_path(*state, "run"), *out = mxt_scratch_path(*state, "out");
	MXT_CLEANUP_FREE char *moved = mxt_scratch_path(*state, "moved"),
			      *data = mxt_scratch_path(*state, "data.jsonl");
	MXT_CLEANUP_FREE char *renamed = mxt_scratch_path(*state, "renamed");
	char *const datasets[] = {renamed, NULL}, *const too_many[] = {renamed, renamed, NULL};
	struct mxt_verify_request where = {.manifest = manifest, .run_folder = run};
	assert_return_code(rename(out, moved), errno);
	assert_return_code(rename(data, renamed), errno);
	expect_refused(mxt_export_in_toto, &where, MXT_E_INPUT_FILE, "dataset is not at");
	where.datasets = too_many;
	expect_refused(mxt_export_in_toto, &where, MXT_E_VERIFY_PLACE, "leave --dataset out");
	where.datasets = datasets;
	expect_refused(mxt_export_in_toto, &where, MXT_E_INPUT_FILE, "checkpoint is not at");
	where.checkpoint = moved;
	MXT_CLEANUP_JSON json_t *statement = exported(mxt_export_in_toto, &where);
	assert_int_equal(json_array_size(json_object_get(statement, "subject")), 9);
	MXT_CLEANUP_JSON json_t *other = exported(mxt_export_model_signing, &where);
	expect_members(json_object_get(other, "subject"), "name", "moved ");
}

static void test_files_that_are_not_as_listed(void **state)
{
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = make_manifest(*state, "run", true);
	MXT_CLEANUP_FREE char *run = mxt_scratch_path(*state, "run"), *path = mxt_scratch_path(*state, "out/a-b");
	const struct mxt_verify_request where = {.manifest = manifest, .run_folder = run};
	make_file(*state, "out/a-b", "abd");
	expect_refused(mxt_export_in_toto, &where, MXT_E_VERIFY_FAILED, "a-b of the checkpoint is not as");
	expect_refused(mxt_export_model_signing, &where, MXT_E_VERIFY_FAILED, "a-b of the checkpoint is not as");
	make_file(*state, "out/a-b", "abcd");
	expect_refused(mxt_export_in_toto, &where, MXT_E_VERIFY_FAILED, "a-b of the checkpoint is not as");
	assert_return_code(unlink(path), errno);
	expect_refused(mxt_export_in_toto, &where, MXT_E_VERIFY_FAILED, "a-b of the checkpoint is not there");
	assert_return_code(symlink("b", path), errno);
	expect_refused(mxt_export_in_toto, &where, MXT_E_VERIFY_FAILED, "a-b of the checkpoint is not there");
	assert_return_code(unlink(path), errno);
	assert_return_code(mkfifo(path, 0666), errno);
	expect_refused(mxt_export_in_toto, &where, MXT_E_VERIFY_FAILED, "a-b of the checkpoint is not there");
}

static void test_what_a_form_cannot_hold(void **state)
{
	MXT_CLEANUP_FREE char *run = mxt_scratch_path(*state, "run"), *link = mxt_scratch_path(*state, "out/link");
	MXT_CLEANUP_MANIFEST struct mxt_manifest *bare = make_manifest(*state, "run", false);
	struct mxt_verify_request where = {.manifest = bare, .run_folder = run};
	expect_refused(mxt_export_model_signing, &where, MXT_E_EXPORT, "no checkpoint");

	assert_return_code(symlink("b", link), errno);
	MXT_CLEANUP_MANIFEST struct mxt_manifest *linked = make_manifest(*state, "run", true);
	where.manifest = linked;
	expect_refused(mxt_export_model_signing, &where, MXT_E_EXPORT, "link");
	MXT_CLEANUP_JSON json_t *statement = exported(mxt_export_in_toto, &where);
	assert_int_equal(json_array_size(json_object_get(statement, "subject")), 9);

	make_file(*state, "out/\xff", "abc");
	MXT_CLEANUP_MANIFEST struct mxt_manifest *no_text = make_manifest(*state, "run", true);
	where.manifest = no_text;
	expect_refused(mxt_export_in_toto, &where, MXT_E_EXPORT, "is no plain text");
}

static bool stop(void *context, const struct mxt_hash_progress *progress)
{
	assert_int_equal(progress->files_total, 9);
	assert_int_equal(progress->bytes_total, 24);
	assert_string_equal(progress->path, "run.log");
	++*(int *)context;
	return false;
}

static void test_ended_by_who_watches(void **state)
{
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = make_manifest(*state, "run", true);
	MXT_CLEANUP_FREE char *run = mxt_scratch_path(*state, "run");
	int calls = 0;
	const struct mxt_verify_request where = {.manifest = manifest, .run_folder = run, .watch = {stop, &calls}};
	expect_refused(mxt_export_in_toto, &where, MXT_E_INTERRUPTED, "ended");
	assert_int_equal(calls, 1);
}

static int export_both(void *context)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_JSON json_t *in_toto = NULL;
	MXT_CLEANUP_JSON json_t *model_signing = NULL;
	int rc = mxt_export_in_toto(context, &in_toto, &err);
	return rc < 0 ? rc : mxt_export_model_signing(context, &model_signing, &err);
}

static void test_memory(void **state)
{
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = make_manifest(*state, "run", true);
	MXT_CLEANUP_FREE char *run = mxt_scratch_path(*state, "run");
	struct mxt_verify_request where = {.manifest = manifest, .run_folder = run};
	json_set_alloc_funcs(mxt_test_malloc, free);
	assert_true(mxt_test_each_allocation(export_both, &where) >= 100);
	json_set_alloc_funcs(malloc, free);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, mxt_scratch_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_in_toto),
	    TEST(test_model_signing),
	    TEST(test_folders_within_each_other),
	    TEST(test_copies_elsewhere),
	    TEST(test_files_that_are_not_as_listed),
	    TEST(test_what_a_form_cannot_hold),
	    TEST(test_ended_by_who_watches),
	    TEST(test_memory),
	};
	return has_libcrypto() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
