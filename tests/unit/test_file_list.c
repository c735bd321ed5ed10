/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "b3_list.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "file_list.h"
#include "json.h"

static void add(struct mxt_file_list *list, const char *path, const char *content, const char *target)
{
	struct mxt_file_entry entry = {.path = strdup(path), .kind = MXT_ENTRY_FILE};
	if (target) {
		entry.kind = MXT_ENTRY_LINK;
		entry.target = strdup(target);
	} else {
		entry.size = (int64_t)strlen(content);
		mxt_hash_bytes(content, strlen(content), entry.hash);
	}
	assert_int_equal(mxt_file_list_add(list, &entry, NULL), 0);
}

static void fill(struct mxt_file_list *list)
{
	list->root = strdup("/data/set");
	list->role = MXT_LIST_CHECKPOINT;
	add(list, "b", "two", NULL);
	add(list, "a/x", "one", NULL);
	add(list, "a\\b", "", NULL);
	add(list, "bad\xff", "1", NULL);
	add(list, "tab\t", "1", NULL);
	add(list, "link", NULL, "a/x");
	add(list, "out", NULL, "../\x01");
	list->outside_links = 1;
	assert_int_equal(mxt_file_list_sort(list, NULL), 0);
}

static void test_says_what_is_wrong_with_a_path(void **state)
{
	static const char *const good[] = {"a", "a/b", ".a", "..a", "a..", "...", "a/...", " ", "-", "a\\b", "\xff"};
	static const char *const bad[] = {"",    "/",    "/a",  "a/",   "a//b",   ".",    "..",
					  "a/.", "a/..", "./a", "../a", "a/../b", "a\nb", "a/./b"};
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(good); i++)
		assert_null(mxt_entry_path_fault(good[i], strlen(good[i])));
	for (size_t i = 0; i < MXT_ARRAY_LEN(bad); i++)
		assert_non_null(mxt_entry_path_fault(bad[i], strlen(bad[i])));
	assert_non_null(mxt_entry_path_fault("a\0b", 3));
	MXT_CLEANUP_FREE char *longest = malloc(MXT_ENTRY_PATH_MAX + 1);
	memset(longest, 'a', MXT_ENTRY_PATH_MAX + 1);
	assert_null(mxt_entry_path_fault(longest, MXT_ENTRY_PATH_MAX));
	assert_non_null(mxt_entry_path_fault(longest, MXT_ENTRY_PATH_MAX + 1));
}

static void test_knows_which_links_lead_out(void **state)
{
	(void)state;
	assert_false(mxt_link_leads_out("a", "b"));
	assert_false(mxt_link_leads_out("a/b", "../c"));
	assert_false(mxt_link_leads_out("a/b", ".//./../c/../d"));
	assert_false(mxt_link_leads_out("a", "."));
	assert_true(mxt_link_leads_out("a", ".."));
	assert_true(mxt_link_leads_out("a/b", "../../c"));
	assert_true(mxt_link_leads_out("a", "b/../../c"));
	assert_true(mxt_link_leads_out("a", "/b"));
}

static void test_sorts_and_finds(void **state)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	(void)state;
	fill(&list);
	for (size_t i = 0; i < list.count; i++)
		assert_ptr_equal(mxt_file_list_find(&list, list.entries[i].path), &list.entries[i]);
	assert_null(mxt_file_list_find(&list, "a"));
	assert_null(mxt_file_list_find(&list, "zz"));
	assert_string_equal(list.entries[0].path, "a/x");
	assert_string_equal(list.entries[1].path, "a\\b");
	assert_int_equal(mxt_file_list_bytes(&list), 8);
}

/* Of the commands in docs/manifest.md: it is in manifests, and never changes. */
static void test_has_the_documented_hash(void **state)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	uint8_t hash[MXT_HASH_SIZE];
	char hex[MXT_HASH_HEX_SIZE];
	(void)state;
	fill(&list);
	mxt_file_list_hash(&list, hash);
	mxt_hash_to_hex(hash, hex);
	assert_string_equal(hex, "e0cc9ddd9583e70412b4bd27f4c34f3ca33781a62a118d48f3cac187efba8a2a");
}

static void expect_unsortable(const char *const *paths, size_t count)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	for (size_t i = 0; i < count; i++)
		add(&list, paths[i], "", NULL);
	assert_int_equal(mxt_file_list_sort(&list, &err), -EINVAL);
	assert_int_equal(err.id, MXT_E_LIST_PATH);
}

static void test_refuses_doubles_and_files_that_are_folders(void **state)
{
	static const char *const twice[] = {"b", "a", "b"};
	static const char *const below[] = {"a", "a-b", "a.b", "a/x"};
	static const char *const deep[] = {"x/y/z/1", "x/y", "x/a/1"};
	(void)state;
	expect_unsortable(twice, MXT_ARRAY_LEN(twice));
	expect_unsortable(below, MXT_ARRAY_LEN(below));
	expect_unsortable(deep, MXT_ARRAY_LEN(deep));
}

static json_t *written(const struct mxt_file_list *list)
{
	json_t *json = NULL;
	assert_int_equal(mxt_file_list_json(list, &json, NULL), 0);
	assert_int_equal(mxt_json_check(json, NULL), 0);
	return json;
}

static void test_reads_what_it_wrote(void **state)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT, again = MXT_FILE_LIST_INIT;
	(void)state;
	fill(&list);
	MXT_CLEANUP_JSON json_t *json = written(&list);
	assert_int_equal(mxt_file_list_read(json, &again, NULL), 0);
	assert_int_equal(again.count, list.count);
	assert_int_equal(again.role, MXT_LIST_CHECKPOINT);
	assert_int_equal(again.outside_links, 1);
	for (size_t i = 0; i < list.count; i++) {
		assert_string_equal(again.entries[i].path, list.entries[i].path);
		assert_memory_equal(again.entries[i].hash, list.entries[i].hash, MXT_HASH_SIZE);
		assert_int_equal(again.entries[i].size, list.entries[i].size);
	}
	MXT_CLEANUP_JSON json_t *twice = written(&again);
	assert_true(json_equal(json, twice));
}

static void test_reads_a_single_file(void **state)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = {.single = true}, again = MXT_FILE_LIST_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	(void)state;
	list.root = strdup("/data/a.jsonl");
	add(&list, "a.jsonl", "{}", NULL);
	MXT_CLEANUP_JSON json_t *json = written(&list);
	assert_int_equal(mxt_file_list_read(json, &again, NULL), 0);
	assert_true(again.single);
	assert_int_equal(json_object_set_new(json, "root", json_string("/data/b.jsonl")), 0);
	assert_int_equal(mxt_file_list_read(json, &again, &err), -EINVAL);
	assert_int_equal(err.id, MXT_E_LIST_FORM);
}

/* Every list holds "a" (1 byte) and a link "l"; `edit` is what a forger writes over it. */
struct forgery {
	const char *member;      /* of the list; NULL: of the first file; "[]": the files themselves */
	const char *key, *value; /* JSON; value NULL: taken out */
	enum mxt_error_id id;
};

static void forge(json_t *json, const struct forgery *forgery)
{
	json_t *files = json_object_get(json, "files");
	json_t *target = forgery->member ? json : json_array_get(files, 0);
	if (!forgery->value) {
		assert_int_equal(json_object_del(target, forgery->key), 0);
		return;
	}
	json_t *value = json_loads(forgery->value, JSON_DECODE_ANY, NULL);
	assert_non_null(value);
	assert_int_equal(json_object_set_new(target, forgery->key, value), 0);
}

static void test_refuses_forgeries(void **state)
{
#define HASH "\"af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262\""
	static const struct forgery forgeries[] = {
	    {NULL, "path", "\"/a\"", MXT_E_LIST_PATH},
	    {NULL, "path", "\"../a\"", MXT_E_LIST_PATH},
	    {NULL, "path", "\"b/../a\"", MXT_E_LIST_PATH},
	    {NULL, "path", "\"\"", MXT_E_LIST_PATH},
	    {NULL, "path", "\"a\\nb\"", MXT_E_LIST_FORM},
	    {NULL, "path", "\"manifest.json\"", MXT_E_LIST_PATH},
	    {NULL, "path", "\"l\"", MXT_E_LIST_PATH},
	    {NULL, "path", "\"m\"", MXT_E_LIST_FORM},
	    {NULL, "path", "1", MXT_E_LIST_FORM},
	    {NULL, "path", NULL, MXT_E_LIST_FORM},
	    {NULL, "path_bytes", "\"ff\"", MXT_E_LIST_FORM},
	    {NULL, "blake3", "\"\"", MXT_E_LIST_FORM},
	    {NULL, "blake3", HASH, MXT_E_LIST_FORM},
	    {NULL, "blake3", "\"AF1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262\"", MXT_E_LIST_FORM},
	    {NULL, "blake3", NULL, MXT_E_LIST_FORM},
	    {NULL, "size", "-1", MXT_E_LIST_FORM},
	    {NULL, "size", "2", MXT_E_LIST_FORM},
	    {NULL, "size", "0", MXT_E_LIST_FORM},
	    {NULL, "size", "\"1\"", MXT_E_LIST_FORM},
	    {NULL, "size", NULL, MXT_E_LIST_FORM},
	    {NULL, "link", "\"b\"", MXT_E_LIST_FORM},
	    {NULL, "mode", "1", MXT_E_LIST_FORM},
	    {"", "role", "\"plan\"", MXT_E_LIST_FORM},
	    {"", "role", NULL, MXT_E_LIST_FORM},
	    {"", "root", "\"data\"", MXT_E_LIST_PATH},
	    {"", "root", "\"/data/../x\"", MXT_E_LIST_PATH},
	    {"", "root", NULL, MXT_E_LIST_FORM},
	    {"", "hash", HASH, MXT_E_LIST_FORM},
	    {"", "hash", NULL, MXT_E_LIST_FORM},
	    {"", "bytes", NULL, MXT_E_LIST_FORM},
	    {"", "files", "{}", MXT_E_LIST_FORM},
	    {"", "files", "[1]", MXT_E_LIST_FORM},
	    {"", "files", "[]", MXT_E_LIST_FORM},
	    {"", "single", "true", MXT_E_LIST_FORM},
	    {"", "single", "false", MXT_E_LIST_FORM},
	    {"", "outside_links", "0", MXT_E_LIST_FORM},
	    {"", "outside_links", "1", MXT_E_LIST_FORM},
	    {"", "more", "1", MXT_E_LIST_FORM},
	};
#undef HASH
	(void)state;
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	list.root = strdup("/run");
	add(&list, "a", "1", NULL);
	add(&list, "l", NULL, "a");
	for (size_t i = 0; i < MXT_ARRAY_LEN(forgeries); i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		MXT_CLEANUP_FILE_LIST struct mxt_file_list again = MXT_FILE_LIST_INIT;
		MXT_CLEANUP_JSON json_t *json = written(&list);
		forge(json, &forgeries[i]);
		if (mxt_file_list_read(json, &again, &err) == 0 || err.id != forgeries[i].id)
			fail_msg("row %zu: %s", i, mxt_error_text(&err));
	}
}

static void test_has_one_text_for_one_name(void **state)
{
	static const char *const bytes[] = {"61", "", "f", "FF", "00ff", "ff0", "ffzz"};
	(void)state;
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	list.root = strdup("/run");
	add(&list, "\xff", "1", NULL);
	for (size_t i = 0; i < MXT_ARRAY_LEN(bytes); i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		MXT_CLEANUP_FILE_LIST struct mxt_file_list again = MXT_FILE_LIST_INIT;
		MXT_CLEANUP_JSON json_t *json = written(&list);
		json_t *file = json_array_get(json_object_get(json, "files"), 0);
		assert_string_equal(mxt_json_text(file, "path_bytes"), "ff");
		assert_int_equal(json_object_set_new(file, "path_bytes", json_string(bytes[i])), 0);
		assert_int_equal(mxt_file_list_read(json, &again, &err), -EINVAL);
		assert_int_equal(err.id, MXT_E_LIST_FORM);
	}
}

static void test_shows_names_without_control_characters(void **state)
{
	(void)state;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	mxt_entry_path_show("a\x1b[2J\xff\nb", &buf);
	assert_string_equal(mxt_buf_text(&buf), "a?[2J??b");
}

/* A hundred thousand files: what is quadratic would not end. */
static void test_holds_many_files(void **state)
{
	enum { COUNT = 100000 };
	(void)state;
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT, again = MXT_FILE_LIST_INIT;
	list.root = strdup("/many");
	for (unsigned i = 0; i < COUNT; i++) {
		char path[64];
		assert_true(snprintf(path, sizeof path, "folder-%u/file-%u.bin", i * 7919 % 1000, i * 7919 % COUNT) >
			    0);
		add(&list, path, "1", NULL);
	}
	assert_int_equal(mxt_file_list_sort(&list, NULL), 0);
	for (size_t i = 0; i < list.count; i++)
		assert_ptr_equal(mxt_file_list_find(&list, list.entries[i].path), &list.entries[i]);
	MXT_CLEANUP_JSON json_t *json = written(&list);
	assert_int_equal(mxt_file_list_read(json, &again, NULL), 0);
	assert_int_equal(again.count, COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_says_what_is_wrong_with_a_path),
	    cmocka_unit_test(test_knows_which_links_lead_out),
	    cmocka_unit_test(test_sorts_and_finds),
	    cmocka_unit_test(test_has_the_documented_hash),
	    cmocka_unit_test(test_refuses_doubles_and_files_that_are_folders),
	    cmocka_unit_test(test_reads_what_it_wrote),
	    cmocka_unit_test(test_reads_a_single_file),
	    cmocka_unit_test(test_refuses_forgeries),
	    cmocka_unit_test(test_has_one_text_for_one_name),
	    cmocka_unit_test(test_shows_names_without_control_characters),
	    cmocka_unit_test(test_holds_many_files),
	};
	return cmocka_run_group_tests_name("file_list", tests, NULL, NULL);
}
