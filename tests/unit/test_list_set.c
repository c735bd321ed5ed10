/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "list_scope.h"
#include "list_set.h"
#include "scratch.h"

/* ---- which root has what ---- */

static void assert_scope(const char *const *roots, size_t n, size_t i, const char *expected)
{
	const char **left_out = NULL;
	struct mxt_buf text = MXT_BUF_INIT;
	assert_int_equal(mxt_list_scope(roots, n, i, &left_out, NULL), 0);
	for (size_t j = 0; left_out[j]; j++)
		mxt_buf_printf(&text, "%s;", left_out[j]);
	assert_string_equal(mxt_buf_text(&text), expected);
	mxt_buf_finish(&text);
	free(left_out);
}

static void roots_below_another_are_left_out_of_it(void **state)
{
	static const char *const roots[] = {"/out/runs/1",      "/out", "/out/runs/10", "/outer",
					    "/out/runs/1/data", "/out"};
	(void)state;
	assert_scope(roots, MXT_ARRAY_LEN(roots), 0, "data;");
	assert_scope(roots, MXT_ARRAY_LEN(roots), 1, "runs/1;runs/10;runs/1/data;");
	assert_scope(roots, MXT_ARRAY_LEN(roots), 3, "");
	static const char *const all[] = {"/", "/data"};
	assert_scope(all, MXT_ARRAY_LEN(all), 0, "data;");
	assert_scope(all, MXT_ARRAY_LEN(all), 1, "");
}

/* ---- looking again ---- */

/* Two folders, the second of which is hashed last. What `act` does happens while that is hashed. */
struct scene {
	const char *root;
	void (*act)(const char *root);
	size_t looks;
	uint64_t bytes_done, bytes_total;
	size_t files_done, files_total;
	bool went_back;
};

static bool watch(void *context, const struct mxt_hash_progress *progress)
{
	struct scene *scene = context;
	scene->went_back = scene->went_back || progress->bytes_done < scene->bytes_done ||
			   progress->files_done < scene->files_done ||
			   (scene->looks > 0 && progress->bytes_total != scene->bytes_total);
	scene->bytes_done = progress->bytes_done;
	scene->bytes_total = progress->bytes_total;
	scene->files_done = progress->files_done;
	scene->files_total = progress->files_total;
	if (scene->files_done == scene->files_total && scene->act)
		scene->act(scene->root);
	scene->looks++;
	return true;
}

static int hash(struct scene *scene, struct mxt_list_set *set, struct mxt_error *err)
{
	char *first = mxt_scratch_path(scene->root, "first"), *second = mxt_scratch_path(scene->root, "second");
	const struct mxt_hash_watch watched = {watch, scene};
	assert_int_equal(mxt_list_set_add(set, MXT_LIST_RUN, first, NULL), 0);
	assert_int_equal(mxt_list_set_add(set, MXT_LIST_DATASET, second, NULL), 0);
	assert_int_equal(mxt_list_set_add(set, MXT_LIST_DATASET, second, NULL), 0); /* is one */
	assert_int_equal(set->count, 2);
	free(first);
	free(second);
	assert_int_equal(mxt_list_set_fill(set, NULL, NULL), 0);
	return mxt_list_set_hash(set, 1, &watched, err);
}

static void all_lists_are_one_work(void **state)
{
	struct scene scene = {.root = *state};
	MXT_CLEANUP_LIST_SET struct mxt_list_set set = MXT_LIST_SET_INIT;
	uint8_t expected[MXT_HASH_SIZE];
	assert_int_equal(hash(&scene, &set, NULL), 0);
	assert_true(scene.looks >= 2);
	assert_false(scene.went_back);
	assert_int_equal(scene.bytes_total, 3 + 2 + 4);
	assert_int_equal(scene.bytes_done, scene.bytes_total);
	assert_int_equal(scene.files_done, 3);
	mxt_hash_bytes("one", 3, expected);
	assert_string_equal(set.lists[0].entries[1].path, "one");
	assert_memory_equal(set.lists[0].entries[1].hash, expected, sizeof expected);
}

static void assert_told(const char *root, void (*act)(const char *root), const char *words)
{
	struct scene scene = {.root = root, .act = act};
	MXT_CLEANUP_LIST_SET struct mxt_list_set set = MXT_LIST_SET_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(hash(&scene, &set, &err), -ESTALE);
	assert_int_equal(err.id, MXT_E_TREE_CHANGED);
	assert_non_null(strstr(mxt_error_text(&err), words));
}

static void write_again(const char *root)
{
	free(mxt_scratch_write(root, "first/one", "ONE"));
}

static void make_another(const char *root)
{
	free(mxt_scratch_write(root, "first/another", ""));
}

static void make_last(const char *root)
{
	free(mxt_scratch_write(root, "first/zz", ""));
}

static void remove_one(const char *root)
{
	char *path = mxt_scratch_path(root, "first/one");
	(void)unlink(path);
	free(path);
}

static void remove_last(const char *root)
{
	char *path = mxt_scratch_path(root, "first/two");
	(void)unlink(path);
	free(path);
}

static void turn_link(const char *root)
{
	char *path = mxt_scratch_path(root, "first/link");
	(void)unlink(path);
	assert_int_equal(symlink("two", path), 0);
	free(path);
}

static void a_file_that_changes_is_told(void **state)
{
	assert_told(*state, write_again, "first/one changed");
}

static void a_file_that_comes_is_told(void **state)
{
	assert_told(*state, make_another, "first/another came");
}

static void a_last_file_that_comes_is_told(void **state)
{
	assert_told(*state, make_last, "first/zz came");
}

static void a_file_that_goes_is_told(void **state)
{
	assert_told(*state, remove_one, "first/one went");
}

static void a_last_file_that_goes_is_told(void **state)
{
	assert_told(*state, remove_last, "first/two went");
}

static void a_link_that_turns_is_told(void **state)
{
	assert_told(*state, turn_link, "first/link changed");
}

static void a_place_must_be_there(void **state)
{
	MXT_CLEANUP_LIST_SET struct mxt_list_set set = MXT_LIST_SET_INIT;
	MXT_CLEANUP_FREE char *gone = mxt_scratch_path(*state, "gone");
	assert_int_equal(mxt_list_set_add(&set, MXT_LIST_RUN, gone, NULL), -ENOENT);
	assert_int_equal(set.count, 0);
}

static int setup(void **state)
{
	assert_int_equal(mxt_scratch_setup(state), 0);
	static const char *const folders[] = {"first", "second"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(folders); i++) {
		char *folder = mxt_scratch_path(*state, folders[i]);
		assert_int_equal(mkdir(folder, 0700), 0);
		free(folder);
	}
	free(mxt_scratch_write(*state, "first/one", "one"));
	free(mxt_scratch_write(*state, "first/two", "2\n"));
	free(mxt_scratch_write(*state, "second/data", "data"));
	char *link = mxt_scratch_path(*state, "first/link");
	assert_int_equal(symlink("one", link), 0);
	free(link);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(roots_below_another_are_left_out_of_it),
	    cmocka_unit_test_setup_teardown(all_lists_are_one_work, setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(a_file_that_changes_is_told, setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(a_file_that_comes_is_told, setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(a_last_file_that_comes_is_told, setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(a_file_that_goes_is_told, setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(a_last_file_that_goes_is_told, setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(a_link_that_turns_is_told, setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(a_place_must_be_there, setup, mxt_scratch_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
