/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes of many files and of large ones, by one thread and by several. Built twice: with values of subtrees, and
 * without, as where BLAKE3 is a library of the system.
 */
#include "hash_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "hash_sample.h"
#include "hash_subtree.h"
#include "scratch.h"
#include "tree.h"

#define PART MXT_SUBTREE_BYTES
#define MIB  ((size_t)1 << 20)

/* Around the ends of chunks, of parts, and of what is hashed by parts. */
static const size_t sizes[] = {
    0,           1,           1023,           1024,           1025,         2048,     3073,           PART - 1,
    PART,        PART + 1,    2 * PART,       4 * MIB - 1,    4 * MIB,      5 * PART, 4 * MIB + 1,    4 * MIB + 1024,
    4 * MIB + 5, 5 * MIB - 1, 4 * MIB + PART, 5 * MIB + 1025, 6 * MIB + 77, 8 * MIB,  7 * MIB + PART, 17 * MIB + 3,
};

static void name_of(size_t i, char name[8])
{
	(void)snprintf(name, 8, "%c", (char)('a' + (int)i));
}

static void test_equal_to_the_plain_hasher(void **state)
{
	static const unsigned threads[] = {1, 2, 5, 16};
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	char name[8];
	for (size_t i = 0; i < MXT_ARRAY_LEN(sizes); i++) {
		name_of(i, name);
		mxt_hash_sample_write(*state, name, sizes[i]);
	}
	mxt_hash_sample_list(*state, &list);
	assert_int_equal(list.count, MXT_ARRAY_LEN(sizes));
	for (size_t t = 0; t < MXT_ARRAY_LEN(threads); t++) {
		for (size_t i = 0; i < list.count; i++)
			memset(list.entries[i].hash, 0, MXT_HASH_SIZE);
		assert_int_equal(mxt_hash_list(&list, threads[t], NULL, NULL), 0);
		for (size_t i = 0; i < list.count; i++)
			mxt_hash_sample_expect(sizes[i], list.entries[i].path, list.entries[i].hash);
	}
}

/* Holes are read like everything else. */
static void test_sparse(void **state)
{
	const off_t size = (off_t)(64 * MIB) + 1;
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(*state, "sparse", "x");
	uint8_t expected[MXT_HASH_SIZE];
	char *bytes = calloc(1, (size_t)size);
	assert_non_null(bytes);
	bytes[0] = 'x';
	mxt_hash_bytes(bytes, (size_t)size, expected);
	free(bytes);
	assert_int_equal(truncate(path, size), 0);
	mxt_hash_sample_list(*state, &list);
	assert_int_equal(mxt_hash_list(&list, 0, NULL, NULL), 0);
	assert_memory_equal(list.entries[0].hash, expected, MXT_HASH_SIZE);
}

struct watcher {
	size_t calls, limit; /* answers no at the `limit`th call */
	struct mxt_hash_progress last;
};

static bool watch(void *context, const struct mxt_hash_progress *progress)
{
	struct watcher *watcher = context;
	assert_true(progress->bytes_done >= watcher->last.bytes_done);
	assert_true(progress->files_done <= progress->files_total);
	watcher->last = *progress;
	watcher->last.path = NULL;
	return ++watcher->calls != watcher->limit;
}

static void test_progress_and_skip(void **state)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	MXT_CLEANUP_CLOSE int root_fd = -1;
	struct watcher watcher = {.calls = 0};
	struct mxt_hash_outcome outcomes[3];
	static const uint8_t nothing[MXT_HASH_SIZE];
	mxt_hash_sample_write(*state, "a", 1000);
	mxt_hash_sample_write(*state, "b", 9 * MIB);
	mxt_hash_sample_write(*state, "c", 77);
	mxt_hash_sample_list(*state, &list);
	assert_int_equal(mxt_tree_open_root(list.root, &root_fd, NULL), 0);
	struct mxt_hash_request request = {
	    .root_fd = root_fd,
	    .entries = list.entries,
	    .count = list.count,
	    .skip = (const bool[]){true, false, false},
	    .watch = {watch, &watcher},
	    .bytes_before = 5,
	};
	assert_int_equal(mxt_hash_files(&request, outcomes, NULL), 0);
	assert_int_equal(watcher.last.bytes_done, 5 + 9 * MIB + 77);
	assert_int_equal(watcher.last.bytes_total, 9 * MIB + 77);
	assert_int_equal(watcher.last.files_done, 2);
	assert_int_equal(watcher.last.files_total, 2);
	assert_memory_equal(outcomes[0].hash, nothing, MXT_HASH_SIZE);
	mxt_hash_sample_expect(9 * MIB, "b", outcomes[1].hash);
	assert_int_equal(outcomes[1].identity.size, 9 * MIB);
	assert_true(mxt_file_identity_equal(&outcomes[2].identity, &list.entries[2].seen));
}

static void test_cancelled(void **state)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	mxt_hash_sample_write(*state, "a", 40 * MIB);
	mxt_hash_sample_write(*state, "b", 40 * MIB);
	mxt_hash_sample_list(*state, &list);
	for (size_t limit = 1; limit <= 2; limit++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		struct watcher watcher = {.limit = limit};
		struct mxt_hash_watch watches = {watch, &watcher};
		assert_int_equal(mxt_hash_list(&list, 2, &watches, &err), -ECANCELED);
		assert_int_equal(err.id, MXT_E_INTERRUPTED);
		assert_int_equal(watcher.calls, limit);
	}
}

/* What became of a file after the folder was listed. */
enum fate { FATE_GONE, FATE_LINK, FATE_FIFO, FATE_FOLDER, FATE_OTHER, FATE_TOUCHED, FATE_COUNT };

static void meet_fate(const char *path, enum fate fate)
{
	struct timespec times[2] = {{.tv_sec = 5}, {.tv_sec = 5}};
	if (fate != FATE_TOUCHED)
		assert_int_equal(unlink(path), 0);
	if (fate == FATE_LINK)
		assert_int_equal(symlink("/etc/passwd", path), 0);
	else if (fate == FATE_FIFO)
		assert_int_equal(mkfifo(path, 0600), 0);
	else if (fate == FATE_FOLDER)
		assert_int_equal(mkdir(path, 0700), 0);
	else if (fate == FATE_TOUCHED)
		assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_fates(void **state)
{
	static const int statuses[FATE_COUNT] = {
	    [FATE_GONE] = -ENOENT,   [FATE_LINK] = -ELOOP,   [FATE_FIFO] = -EINVAL,
	    [FATE_FOLDER] = -EINVAL, [FATE_OTHER] = -ESTALE, [FATE_TOUCHED] = -ESTALE,
	};
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(*state, "victim\033[1m");
	for (enum fate fate = 0; fate < FATE_COUNT; fate++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
		mxt_hash_sample_write(*state, "victim\033[1m", 10);
		mxt_hash_sample_list(*state, &list);
		if (fate == FATE_OTHER) {
			MXT_CLEANUP_FREE char *other = mxt_scratch_write(*state, "other", "0123456789");
			assert_int_equal(rename(other, path), 0);
		} else {
			meet_fate(path, fate);
		}
		assert_int_equal(mxt_hash_list(&list, 1, NULL, &err), statuses[fate]);
		assert_int_equal(err.id, MXT_E_TREE_CHANGED);
		assert_non_null(strstr(mxt_error_text(&err), "/victim?[1m"));
		if (fate != FATE_GONE)
			assert_int_equal(remove(path), 0);
	}
}

static void test_unreadable(void **state)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	if (geteuid() == 0)
		skip(); /* root may read everything */
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(*state, "secret", "x");
	assert_int_equal(chmod(path, 0), 0);
	mxt_hash_sample_list(*state, &list);
	assert_int_equal(mxt_hash_list(&list, 0, NULL, &err), -EACCES);
	assert_int_equal(err.id, MXT_E_TREE_READ);
}

static void test_nothing_to_do(void **state)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	mxt_hash_sample_list(*state, &list);
	assert_int_equal(mxt_hash_list(&list, 0, NULL, NULL), 0);
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, mxt_scratch_setup, mxt_scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    ROW(test_equal_to_the_plain_hasher),
	    ROW(test_sparse),
	    ROW(test_progress_and_skip),
	    ROW(test_cancelled),
	    ROW(test_fates),
	    ROW(test_unreadable),
	    ROW(test_nothing_to_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
