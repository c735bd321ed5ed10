/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens to a file between two reads of it: it grows, shrinks, is written to, gives way to another one, its disk
 * fails. Linked with --wrap for pread(2) and for allocations, small file and large, one thread and several.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc_faults.h"
#include "buf.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "hash_files.h"
#include "hash_sample.h"
#include "scratch.h"

#define SMALL ((size_t)700 << 10)
#define LARGE ((size_t)9 << 20)

static struct {
	atomic_int reads;                 /* so far */
	int at;                           /* the read before which it happens; 0: never */
	int (*happens)(const char *path); /* 0, or the errno of the read */
	const char *path;
} fault;

ssize_t __real_pread64(int fd, void *bytes, size_t len, off_t offset);
ssize_t __wrap_pread64(int fd, void *bytes, size_t len, off_t offset);

/* Reads come in pieces of any size, and interrupted. */
ssize_t __wrap_pread64(int fd, void *bytes, size_t len, off_t offset)
{
	int read = atomic_fetch_add(&fault.reads, 1) + 1;
	errno = read == fault.at ? fault.happens(fault.path) : 0;
	if (errno == 0 && read % 3 == 0)
		errno = EINTR;
	if (errno != 0)
		return -1;
	return __real_pread64(fd, bytes, len > 100000 ? 100000 : len, offset);
}

static int grow(const char *path)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_int_equal(write(fd, "x", 1), 1);
	return close(fd);
}

/* Long before the end, whatever was read so far. */
static int shrink(const char *path)
{
	return truncate(path, 1);
}

/* Same size, same place. */
static int write_into(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(write(fd, "x", 1), 1);
	return close(fd);
}

/* The same bytes, and another inode. */
static int swap_it(const char *path)
{
	MXT_CLEANUP_BUF struct mxt_buf other = MXT_BUF_INIT;
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	mxt_buf_printf(&other, "%s.other", path);
	int fd = open(mxt_buf_text(&other), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(ftruncate(fd, st.st_size), 0);
	assert_int_equal(rename(mxt_buf_text(&other), path), 0);
	return close(fd);
}

static int put_fifo(const char *path)
{
	assert_int_equal(unlink(path), 0);
	return mkfifo(path, 0600);
}

static int put_link(const char *path)
{
	MXT_CLEANUP_BUF struct mxt_buf aside = MXT_BUF_INIT;
	mxt_buf_printf(&aside, "%s.aside", path);
	assert_int_equal(rename(path, mxt_buf_text(&aside)), 0);
	return symlink(mxt_buf_text(&aside), path);
}

static int take_away(const char *path)
{
	return unlink(path);
}

static int break_disk(const char *path)
{
	(void)path;
	return EIO;
}

static const struct row {
	int (*happens)(const char *path);
	int status;
	enum mxt_error_id id;
} rows[] = {
    {grow, -ESTALE, MXT_E_TREE_CHANGED},       {shrink, -ESTALE, MXT_E_TREE_CHANGED},
    {write_into, -ESTALE, MXT_E_TREE_CHANGED}, {swap_it, -ESTALE, MXT_E_TREE_CHANGED},
    {put_fifo, -ESTALE, MXT_E_TREE_CHANGED},   {put_link, -ESTALE, MXT_E_TREE_CHANGED},
    {take_away, -ESTALE, MXT_E_TREE_CHANGED},  {break_disk, -EIO, MXT_E_TREE_READ},
};

static void arm(int at, int (*happens)(const char *path), const char *path)
{
	atomic_store(&fault.reads, 0);
	fault.at = at;
	fault.happens = happens;
	fault.path = path;
}

/* `at`: one that is long before the last read. */
static void check_row(const struct row *row, size_t size, int at, unsigned threads)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	void *folder = NULL;
	assert_int_equal(mxt_scratch_setup(&folder), 0);
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(folder, "b");
	mxt_hash_sample_write(folder, "a", 100);
	mxt_hash_sample_write(folder, "b", size);
	/* Listed long after it was written, or a change would be one within a tick of the clock. */
	assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[2]){{.tv_sec = 9}, {.tv_sec = 9}}, 0), 0);
	mxt_hash_sample_list(folder, &list);
	arm(at, row->happens, path);
	assert_int_equal(mxt_hash_list(&list, threads, NULL, &err), row->status);
	assert_int_equal(err.id, row->id);
	arm(0, NULL, NULL);
	assert_int_equal(mxt_scratch_teardown(&folder), 0);
}

static void test_small_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++)
		check_row(&rows[i], SMALL, 7, 1);
}

static void test_large_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		check_row(&rows[i], LARGE, 20, 1);
		check_row(&rows[i], LARGE, 20, 3);
	}
}

static void test_pieces(void **state)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	mxt_hash_sample_write(*state, "a", SMALL);
	mxt_hash_sample_write(*state, "b", LARGE);
	mxt_hash_sample_list(*state, &list);
	arm(0, NULL, NULL);
	assert_int_equal(mxt_hash_list(&list, 2, NULL, NULL), 0);
	mxt_hash_sample_expect(SMALL, "a", list.entries[0].hash);
	mxt_hash_sample_expect(LARGE, "b", list.entries[1].hash);
}

static int hash_list(void *list)
{
	return mxt_hash_list(list, 1, NULL, NULL);
}

static void test_memory(void **state)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	mxt_hash_sample_write(*state, "a", 10);
	mxt_hash_sample_list(*state, &list);
	assert_true(mxt_test_each_allocation(hash_list, &list) >= 3);
}

#define ROW(test) cmocka_unit_test_setup_teardown(test, mxt_scratch_setup, mxt_scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_small_file),
	    cmocka_unit_test(test_large_file),
	    ROW(test_pieces),
	    ROW(test_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
