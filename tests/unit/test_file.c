/* SPDX-License-Identifier: Apache-2.0 */
/* Whole-file reads and atomic replacement on a real file system. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "scratch.h"

static void expect_replace(const char *path, int status, enum mxt_error_id id)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(mxt_file_check_writable(path, &err), status);
	assert_int_equal(err.id, id);
	mxt_error_clear(&err);
	assert_int_equal(mxt_file_replace(path, "new", 3, &err), status);
	assert_int_equal(err.id, id);
	if (status < 0)
		assert_true(strlen(mxt_error_text(&err)) > 0);
}

static void expect_read(const char *path, int status, enum mxt_error_id id)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	assert_int_equal(mxt_file_read(path, 100, &buf, &err), status);
	assert_int_equal(err.id, id);
}

static mode_t mode_of(const char *path)
{
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

static void test_read_appends(void **state)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(*state, "a", "content");
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	mxt_buf_puts(&buf, "> ");
	assert_int_equal(mxt_file_read(path, 7, &buf, NULL), 0);
	assert_string_equal(mxt_buf_text(&buf), "> content");
}

static void test_read_empty(void **state)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(*state, "a", "");
	expect_read(path, 0, MXT_E_NONE);
}

static void test_read_limit(void **state)
{
	char text[102];
	memset(text, 'x', sizeof text - 1);
	text[100] = '\0';
	MXT_CLEANUP_FREE char *full = mxt_scratch_write(*state, "full", text);
	expect_read(full, 0, MXT_E_NONE);
	text[100] = 'x';
	text[101] = '\0';
	MXT_CLEANUP_FREE char *over = mxt_scratch_write(*state, "over", text);
	expect_read(over, -EFBIG, MXT_E_TOO_LARGE);
}

static void test_read_refuses_other_kinds(void **state)
{
	MXT_CLEANUP_FREE char *fifo = mxt_scratch_path(*state, "fifo");
	MXT_CLEANUP_FREE char *missing = mxt_scratch_path(*state, "missing");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	expect_read(fifo, -EINVAL, MXT_E_NOT_REGULAR);
	expect_read(*state, -EISDIR, MXT_E_NOT_REGULAR);
	expect_read("/dev/null", -EINVAL, MXT_E_NOT_REGULAR);
	expect_read(missing, -ENOENT, MXT_E_IO);
}

static void test_read_follows_links_unless_told(void **state)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(*state, "file", "content");
	MXT_CLEANUP_FREE char *name = mxt_scratch_path(*state, "link");
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(symlink(path, name), 0);
	assert_int_equal(mxt_file_read(name, 100, &buf, NULL), 0);
	assert_int_equal(mxt_file_read_no_link(path, 100, &buf, NULL), 0);
	assert_int_equal(mxt_file_read_no_link(name, 100, &buf, &err), -ELOOP);
	assert_int_equal(err.id, MXT_E_NOT_REGULAR);
	assert_string_equal(mxt_buf_text(&buf), "contentcontent");
}

static void test_read_standard_input(void **state)
{
	(void)state;
	int ends[2];
	int saved = dup(STDIN_FILENO);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "from a pipe", 11), 11);
	assert_int_equal(close(ends[1]), 0);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(close(ends[0]), 0);
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	int rc = mxt_file_read("-", 100, &buf, NULL);
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(close(saved), 0);
	assert_int_equal(rc, 0);
	assert_string_equal(mxt_buf_text(&buf), "from a pipe");
}

static void test_replace_creates_under_the_mask(void **state)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(*state, "plan.json");
	mode_t mask = umask(027);
	expect_replace(path, 0, MXT_E_NONE);
	assert_int_equal(umask(mask), 027); /* it is as it was */
	mxt_scratch_expect(path, "new");
	assert_int_equal(mode_of(path), 0640);
	assert_int_equal(mxt_scratch_count(*state), 1);
}

static void test_replace_keeps_the_mode(void **state)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(*state, "plan.json", "a much longer old content");
	assert_int_equal(chmod(path, 0604), 0);
	expect_replace(path, 0, MXT_E_NONE);
	mxt_scratch_expect(path, "new");
	assert_int_equal(mode_of(path), 0604);
	assert_int_equal(mxt_scratch_count(*state), 1);
}

/* Who has the old file open, or linked, keeps the old content: it was replaced, not rewritten. */
static void test_replace_leaves_other_links_alone(void **state)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(*state, "plan.json", "old");
	MXT_CLEANUP_FREE char *other = mxt_scratch_path(*state, "other");
	assert_int_equal(link(path, other), 0);
	expect_replace(path, 0, MXT_E_NONE);
	mxt_scratch_expect(path, "new");
	mxt_scratch_expect(other, "old");
}

static void test_replace_in_the_current_folder(void **state)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(*state, "plan.json");
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(chdir(*state), 0);
	expect_replace("plan.json", 0, MXT_E_NONE);
	assert_int_equal(fchdir(here), 0);
	assert_int_equal(close(here), 0);
	mxt_scratch_expect(path, "new");
}

static void test_replace_follows_links(void **state)
{
	MXT_CLEANUP_FREE char *target = mxt_scratch_write(*state, "target", "old");
	MXT_CLEANUP_FREE char *second = mxt_scratch_path(*state, "second");
	MXT_CLEANUP_FREE char *first = mxt_scratch_path(*state, "first");
	assert_int_equal(symlink("target", second), 0); /* relative */
	assert_int_equal(symlink(second, first), 0);    /* absolute */
	expect_replace(first, 0, MXT_E_NONE);
	mxt_scratch_expect(target, "new");
	struct stat st;
	assert_int_equal(lstat(first, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

/* Whoever may write to the folder may not choose a file of ours by a link. */
static void test_a_read_only_file_takes_the_place_of_a_link(void **state)
{
	MXT_CLEANUP_FREE char *target = mxt_scratch_write(*state, "target", "old");
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(*state, "link");
	static const char *const links[] = {"target", "link", "nowhere/file"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(links); i++) {
		struct stat st;
		(void)unlink(path);
		assert_int_equal(symlink(links[i], path), 0);
		assert_int_equal(mxt_file_replace_read_only(path, "new", 3, NULL), 0);
		mxt_scratch_expect(path, "new");
		mxt_scratch_expect(target, "old");
		assert_int_equal(lstat(path, &st), 0);
		assert_true(S_ISREG(st.st_mode));
		assert_int_equal(st.st_mode & 07777, 0444);
	}
}

static void test_nothing_but_a_link_is_dropped(void **state)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(*state, "file", "old");
	MXT_CLEANUP_FREE char *link = mxt_scratch_path(*state, "link");
	assert_int_equal(symlink("file", link), 0);
	mxt_file_drop_link(path);
	mxt_file_drop_link(link);
	mxt_file_drop_link(link);
	assert_int_equal(access(link, F_OK), -1);
	mxt_scratch_expect(path, "old");
}

static void test_replace_creates_behind_a_dangling_link(void **state)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(*state, "link");
	MXT_CLEANUP_FREE char *target = mxt_scratch_path(*state, "target");
	assert_int_equal(symlink("target", path), 0);
	expect_replace(path, 0, MXT_E_NONE);
	mxt_scratch_expect(target, "new");
}

static void test_replace_refuses_a_loop_of_links(void **state)
{
	MXT_CLEANUP_FREE char *a = mxt_scratch_path(*state, "a");
	MXT_CLEANUP_FREE char *b = mxt_scratch_path(*state, "b");
	assert_int_equal(symlink("b", a), 0);
	assert_int_equal(symlink("a", b), 0);
	expect_replace(a, -ELOOP, MXT_E_IO);
	assert_int_equal(mxt_scratch_count(*state), 2);
}

static void bind_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	MXT_CLEANUP_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(strlen(path) < sizeof address.sun_path);
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
}

static void test_replace_refuses_other_kinds(void **state)
{
	MXT_CLEANUP_FREE char *fifo = mxt_scratch_path(*state, "fifo");
	MXT_CLEANUP_FREE char *link = mxt_scratch_path(*state, "link");
	MXT_CLEANUP_FREE char *sock = mxt_scratch_path(*state, "socket");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(symlink("fifo", link), 0);
	bind_socket(sock);
	expect_replace(fifo, -EINVAL, MXT_E_NOT_REGULAR);
	expect_replace(link, -EINVAL, MXT_E_NOT_REGULAR);
	expect_replace(sock, -EINVAL, MXT_E_NOT_REGULAR);
	expect_replace(*state, -EISDIR, MXT_E_NOT_REGULAR);
	expect_replace("/dev/null", -EINVAL, MXT_E_NOT_REGULAR);
	expect_replace("", -ENOENT, MXT_E_NOT_REGULAR);
	assert_int_equal(mxt_scratch_count(*state), 3);
}

static void test_replace_needs_the_folder(void **state)
{
	MXT_CLEANUP_FREE char *deep = mxt_scratch_path(*state, "no/such/plan.json");
	MXT_CLEANUP_FREE char *file = mxt_scratch_write(*state, "file", "old");
	MXT_CLEANUP_FREE char *below = mxt_scratch_path(file, "plan.json");
	expect_replace(deep, -ENOENT, MXT_E_IO);
	expect_replace(below, -ENOTDIR, MXT_E_IO);
	mxt_scratch_expect(file, "old");
}

#define SCRATCH_TEST(f) cmocka_unit_test_setup_teardown(f, mxt_scratch_setup, mxt_scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    SCRATCH_TEST(test_read_appends),
	    SCRATCH_TEST(test_read_empty),
	    SCRATCH_TEST(test_read_limit),
	    SCRATCH_TEST(test_read_refuses_other_kinds),
	    SCRATCH_TEST(test_read_follows_links_unless_told),
	    cmocka_unit_test(test_read_standard_input),
	    SCRATCH_TEST(test_replace_creates_under_the_mask),
	    SCRATCH_TEST(test_replace_keeps_the_mode),
	    SCRATCH_TEST(test_replace_leaves_other_links_alone),
	    SCRATCH_TEST(test_replace_in_the_current_folder),
	    SCRATCH_TEST(test_replace_follows_links),
	    SCRATCH_TEST(test_a_read_only_file_takes_the_place_of_a_link),
	    SCRATCH_TEST(test_nothing_but_a_link_is_dropped),
	    SCRATCH_TEST(test_replace_creates_behind_a_dangling_link),
	    SCRATCH_TEST(test_replace_refuses_a_loop_of_links),
	    SCRATCH_TEST(test_replace_refuses_other_kinds),
	    SCRATCH_TEST(test_replace_needs_the_folder),
	};
	return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
