/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of the quick check: what it keeps, for which place, and what it does not believe. */
#include "quick_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "scratch.h"

#define NOW_NS INT64_C(1800000000000000000)
#define OLD_NS (NOW_NS - MXT_QUICK_SETTLED_NS - 1)

static void expect_folder(char *const *environment, const char *expected)
{
	MXT_CLEANUP_BUF struct mxt_buf folder = MXT_BUF_INIT;
	mxt_quick_cache_folder(environment, &folder);
	assert_string_equal(mxt_buf_text(&folder), expected);
}

static void test_the_folder(void **state)
{
	(void)state;
	char home[] = "HOME=/home/a", cache[] = "XDG_CACHE_HOME=/var/c", relative[] = "XDG_CACHE_HOME=c",
	     none[] = "HOME=";
	expect_folder((char *[]){home, cache, NULL}, "/var/c/mindxtrain/verify");
	expect_folder((char *[]){home, relative, NULL}, "/home/a/.cache/mindxtrain/verify");
	expect_folder((char *[]){none, NULL}, "");
}

/* Three files: settled, from before 1970, and changed just now. */
static const struct mxt_file_identity seen[] = {
    {.device = UINT64_MAX, .inode = 1, .size = INT64_MAX, .mtime_ns = OLD_NS, .ctime_ns = OLD_NS},
    {.device = 1, .inode = 2, .size = 0, .mtime_ns = -1, .ctime_ns = OLD_NS},
    {.device = 1, .inode = 3, .size = 5, .mtime_ns = OLD_NS, .ctime_ns = OLD_NS + 1},
};

static void test_keeps_what_is_settled(void **state)
{
	MXT_CLEANUP_FREE char *folder = mxt_scratch_path(*state, "new/folders");
	const struct mxt_file_list list = {.count = MXT_ARRAY_LEN(seen)};
	const struct mxt_quick_cache cache = {.folder = folder, .id = "1d", .root = "/data", .list = &list};
	struct mxt_file_identity loaded[MXT_ARRAY_LEN(seen)];
	assert_false(mxt_quick_cache_load(&cache, loaded));
	assert_int_equal(mxt_quick_cache_store(&cache, seen, NOW_NS), 0);
	assert_true(mxt_quick_cache_load(&cache, loaded));
	assert_true(mxt_file_identity_equal(&loaded[0], &seen[0]));
	assert_true(mxt_file_identity_equal(&loaded[1], &seen[1]));
	assert_false(mxt_quick_is_known(&loaded[2]));
}

static void test_belongs_to_one_list_in_one_place(void **state)
{
	const struct mxt_file_list list = {.count = MXT_ARRAY_LEN(seen)}, shorter = {.count = MXT_ARRAY_LEN(seen) - 1};
	const struct mxt_file_list other_role = {.role = MXT_LIST_DATASET, .count = MXT_ARRAY_LEN(seen)};
	const struct mxt_quick_cache cache = {.folder = *state, .id = "1d", .root = "/data", .list = &list};
	struct mxt_quick_cache others[] = {cache, cache, cache, cache};
	struct mxt_file_identity loaded[MXT_ARRAY_LEN(seen)];
	others[0].id = "1e";
	others[1].root = "/data2";
	others[2].list = &shorter;
	others[3].list = &other_role;
	assert_int_equal(mxt_quick_cache_store(&cache, seen, NOW_NS), 0);
	for (size_t i = 0; i < MXT_ARRAY_LEN(others); i++)
		assert_false(mxt_quick_cache_load(&others[i], loaded));
	assert_true(mxt_quick_cache_load(&cache, loaded));
}

/* Nothing of a file that is not whole is used. */
static void test_all_or_nothing(void **state)
{
	(void)state;
	static const char *const bad[] = {
	    "1 2 3 4 5\n",
	    "1 2 3 4 5\n1 2 3 4 5",
	    "1 2 3 4 5\n1 2 3 4\n",
	    "1 2 3 4 5\n\n",
	    "1 2 3 4 5\n1 2 3 4 5 6\n",
	    "1 2 3 4 5\n-\n-\n",
	    "1 2 3 4 5\n1 2 3 4 -5\n",
	    "1 2 3 4 5\n-",
	    "1 2 3 4 5\n1 2 3 4 18446744073709551616\n",
	};
	struct mxt_file_identity loaded[2];
	assert_true(mxt_quick_cache_parse("1 2 3 4 5\n-\n", 2, loaded));
	assert_int_equal(loaded[0].ctime_ns, 5);
	for (size_t i = 0; i < MXT_ARRAY_LEN(bad); i++)
		assert_false(mxt_quick_cache_parse(bad[i], 2, loaded));
}

static void test_a_folder_that_others_may_write_to(void **state)
{
	MXT_CLEANUP_FREE char *folder = mxt_scratch_path(*state, "cache");
	const struct mxt_file_list list = {.count = MXT_ARRAY_LEN(seen)};
	const struct mxt_quick_cache cache = {.folder = folder, .id = "1d", .root = "/data", .list = &list};
	struct mxt_file_identity loaded[MXT_ARRAY_LEN(seen)];
	struct stat st;
	assert_int_equal(mxt_quick_cache_store(&cache, seen, NOW_NS), 0);
	assert_return_code(stat(folder, &st), errno);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_return_code(chmod(folder, 0720), errno);
	assert_false(mxt_quick_cache_load(&cache, loaded));
	for (size_t i = 0; i < MXT_ARRAY_LEN(loaded); i++)
		assert_false(mxt_quick_is_known(&loaded[i]));
}

static char *only_file_in(const char *folder)
{
	MXT_CLEANUP_DIR DIR *dir = opendir(folder);
	const struct dirent *row;
	assert_non_null(dir);
	while ((row = readdir(dir)) && row->d_name[0] == '.')
		;
	assert_non_null(row);
	return mxt_scratch_path(folder, row->d_name);
}

/* The folder keeps others away; a link in it could lead anywhere. */
static void test_a_link_is_not_believed(void **state)
{
	const struct mxt_file_list list = {.count = MXT_ARRAY_LEN(seen)};
	const struct mxt_quick_cache cache = {.folder = *state, .id = "1d", .root = "/data", .list = &list};
	struct mxt_file_identity loaded[MXT_ARRAY_LEN(seen)];
	assert_int_equal(mxt_quick_cache_store(&cache, seen, NOW_NS), 0);
	MXT_CLEANUP_FREE char *path = only_file_in(*state);
	MXT_CLEANUP_FREE char *moved = mxt_scratch_path(*state, "moved");
	assert_int_equal(rename(path, moved), 0);
	assert_int_equal(symlink(moved, path), 0);
	assert_false(mxt_quick_cache_load(&cache, loaded));
	assert_int_equal(rename(moved, path), 0);
	assert_true(mxt_quick_cache_load(&cache, loaded));
}

static void test_a_cache_that_cannot_be_written(void **state)
{
	MXT_CLEANUP_FREE char *file = mxt_scratch_write(*state, "file", "");
	MXT_CLEANUP_FREE char *folder = mxt_scratch_path(file, "cache");
	const struct mxt_file_list list = {.count = MXT_ARRAY_LEN(seen)};
	const struct mxt_quick_cache cache = {.folder = folder, .id = "1d", .root = "/data", .list = &list};
	assert_int_equal(mxt_quick_cache_store(&cache, seen, NOW_NS), -ENOTDIR);
}

static void make_all_older(const char *folder, const struct timespec times[2])
{
	MXT_CLEANUP_DIR DIR *dir = opendir(folder);
	const struct dirent *item;
	assert_non_null(dir);
	while ((item = readdir(dir)))
		if (item->d_name[0] != '.')
			assert_return_code(utimensat(dirfd(dir), item->d_name, times, 0), errno);
}

/* Only what is a cache, and neither written nor used for long. */
static void test_what_nobody_uses_goes(void **state)
{
	const struct mxt_file_list list = {.count = MXT_ARRAY_LEN(seen)};
	const struct mxt_quick_cache used = {.folder = *state, .id = "1d", .root = "/data", .list = &list};
	struct mxt_quick_cache unused = used, fresh = used;
	struct mxt_file_identity loaded[MXT_ARRAY_LEN(seen)];
	const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
	MXT_CLEANUP_FREE char *other = mxt_scratch_write(*state, "notes", "");
	unused.id = "1e";
	fresh.id = "1f";
	assert_int_equal(mxt_quick_cache_store(&used, seen, NOW_NS), 0);
	assert_int_equal(mxt_quick_cache_store(&unused, seen, NOW_NS), 0);
	make_all_older(*state, old);
	assert_true(mxt_quick_cache_load(&used, loaded));
	assert_int_equal(mxt_quick_cache_store(&fresh, seen, NOW_NS), 0);
	assert_true(mxt_quick_cache_load(&used, loaded));
	assert_true(mxt_quick_cache_load(&fresh, loaded));
	assert_false(mxt_quick_cache_load(&unused, loaded));
	assert_return_code(access(other, F_OK), errno);
}

int main(void)
{
#define ROW(function) cmocka_unit_test_setup_teardown(function, mxt_scratch_setup, mxt_scratch_teardown)
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_the_folder),          ROW(test_keeps_what_is_settled),
	    ROW(test_belongs_to_one_list_in_one_place), ROW(test_a_link_is_not_believed),
	    cmocka_unit_test(test_all_or_nothing),      ROW(test_a_folder_that_others_may_write_to),
	    ROW(test_a_cache_that_cannot_be_written),   ROW(test_what_nobody_uses_goes),
	};
#undef ROW
	return cmocka_run_group_tests(tests, NULL, NULL);
}
