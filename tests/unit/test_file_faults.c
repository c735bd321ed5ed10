/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic replacement when the system fails it: at every step the path holds the old content or the new one, and no
 * temporary file stays behind. Linked with --wrap for write, fsync, fchmod and rename.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "file.h"
#include "scratch.h"

/* How the wrapped calls behave; reset by every test's setup. */
static struct {
	int write_errno, fsync_errno, fchmod_errno, rename_errno; /* 0: works */
	unsigned interruptions;                                   /* write() fails so often with EINTR */
	size_t chunk;                                             /* write() takes so much; 0: all */
	void (*in_rename)(void);                                  /* called instead of rename() */
} fault;

ssize_t __real_write(int fd, const void *bytes, size_t len);
int __real_fsync(int fd);
int __real_fchmod(int fd, mode_t mode);
int __real_rename(const char *from, const char *to);
ssize_t __wrap_write(int fd, const void *bytes, size_t len);
int __wrap_fsync(int fd);
int __wrap_fchmod(int fd, mode_t mode);
int __wrap_rename(const char *from, const char *to);

static int fails_with(int errnum)
{
	if (errnum)
		errno = errnum;
	return errnum;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t len)
{
	if (fault.interruptions > 0) {
		fault.interruptions--;
		errno = EINTR;
		return -1;
	}
	if (fails_with(fault.write_errno))
		return -1;
	return __real_write(fd, bytes, fault.chunk && fault.chunk < len ? fault.chunk : len);
}

int __wrap_fsync(int fd)
{
	return fails_with(fault.fsync_errno) ? -1 : __real_fsync(fd);
}

int __wrap_fchmod(int fd, mode_t mode)
{
	return fails_with(fault.fchmod_errno) ? -1 : __real_fchmod(fd, mode);
}

int __wrap_rename(const char *from, const char *to)
{
	if (fault.in_rename)
		fault.in_rename();
	return fails_with(fault.rename_errno) ? -1 : __real_rename(from, to);
}

static int setup(void **state)
{
	memset(&fault, 0, sizeof fault);
	return mxt_scratch_setup(state);
}

static int replace(const char *path, struct mxt_error *err)
{
	static const char text[] = "the new content";
	return mxt_file_replace(path, text, strlen(text), err);
}

/* With the fault set, the replacement of "old" fails with it and changes nothing. */
static void expect_unchanged(const char *folder, int errnum)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(folder, "plan.json", "old");
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(replace(path, &err), -errnum);
	assert_int_equal(err.id, MXT_E_IO);
	assert_non_null(strstr(mxt_error_text(&err), path));
	mxt_scratch_expect(path, "old");
	assert_int_equal(mxt_scratch_count(folder), 1);
}

static void test_write_fails(void **state)
{
	fault.write_errno = ENOSPC;
	expect_unchanged(*state, ENOSPC);
}

static void test_fsync_fails(void **state)
{
	fault.fsync_errno = EIO;
	expect_unchanged(*state, EIO);
}

static void test_fchmod_fails(void **state)
{
	fault.fchmod_errno = EPERM;
	expect_unchanged(*state, EPERM);
}

static void test_rename_fails(void **state)
{
	fault.rename_errno = EXDEV;
	expect_unchanged(*state, EXDEV);
}

static void test_short_and_interrupted_writes(void **state)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(*state, "plan.json");
	fault.chunk = 1;
	fault.interruptions = 3;
	assert_int_equal(replace(path, NULL), 0);
	mxt_scratch_expect(path, "the new content");
}

static void die(void)
{
	(void)raise(SIGKILL);
}

static pid_t fork_and_replace(const char *path)
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(replace(path, NULL) == 0 ? 0 : 1);
	return pid;
}

/* Killed with the new content written but not in place: the old file stands, and the next run succeeds. */
static void test_killed_before_the_rename(void **state)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(*state, "plan.json", "old");
	fault.in_rename = die;
	int status = 0;
	pid_t pid = fork_and_replace(path);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	mxt_scratch_expect(path, "old");
	fault.in_rename = NULL;
	assert_int_equal(replace(path, NULL), 0);
	mxt_scratch_expect(path, "the new content");
}

/* A file system of 64 KiB, which is full after `used` bytes. Skips the test where mounting is not allowed. */
static char *mount_small(const char *folder, size_t used)
{
	char *root = mxt_scratch_path(folder, "small");
	assert_int_equal(mkdir(root, 0755), 0);
	if (mount("tmpfs", root, "tmpfs", 0, "size=64k") < 0) {
		free(root);
		print_message("skipped: cannot mount: %s\n", strerror(errno));
		skip();
		return NULL; /* skip() does not come back */
	}
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(root, "filler");
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	for (size_t i = 0; i < used; i++)
		(void)fputc('x', file);
	(void)fclose(file); /* may be full already */
	return root;
}

static void test_full_disk(void **state)
{
	MXT_CLEANUP_FREE char *root = mount_small(*state, 57344);
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(root, "plan.json", "old");
	char *content = calloc(1, 16384);
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_file_replace(path, content, 16384, &err);
	free(content);
	size_t left = mxt_scratch_count(root);
	mxt_scratch_expect(path, "old");
	assert_int_equal(umount(root), 0);
	assert_int_equal(rc, -ENOSPC);
	assert_int_equal(left, 2);
}

static void test_read_only_file_system(void **state)
{
	MXT_CLEANUP_FREE char *root = mount_small(*state, 0);
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(root, "plan.json", "old");
	assert_int_equal(mount("tmpfs", root, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL), 0);
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int early = mxt_file_check_writable(path, &err);
	int rc = replace(path, &err);
	mxt_scratch_expect(path, "old");
	assert_int_equal(umount(root), 0);
	assert_int_equal(early, -EROFS);
	assert_int_equal(rc, -EROFS);
	assert_non_null(strstr(mxt_error_text(&err), root));
}

/* As somebody without rights in the folder. root has all rights, so the test gives its own up in a child. */
static void test_folder_without_rights(void **state)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(*state, "plan.json", "old");
	assert_int_equal(chmod(*state, 0555), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (geteuid() == 0 && setuid(65534) < 0)
			_exit(2);
		bool refused = mxt_file_check_writable(path, NULL) == -EACCES && replace(path, NULL) == -EACCES;
		free(path);
		_exit(refused ? 0 : 1);
	}
	int status = 0;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(chmod(*state, 0755), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	mxt_scratch_expect(path, "old");
}

#define FAULT_TEST(f) cmocka_unit_test_setup_teardown(f, setup, mxt_scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    FAULT_TEST(test_write_fails),
	    FAULT_TEST(test_fsync_fails),
	    FAULT_TEST(test_fchmod_fails),
	    FAULT_TEST(test_rename_fails),
	    FAULT_TEST(test_short_and_interrupted_writes),
	    FAULT_TEST(test_killed_before_the_rename),
	    FAULT_TEST(test_full_disk),
	    FAULT_TEST(test_read_only_file_system),
	    FAULT_TEST(test_folder_without_rights),
	};
	return cmocka_run_group_tests_name("file_faults", tests, NULL, NULL);
}
