/* SPDX-License-Identifier: Apache-2.0 */
/* Pseudo files under a sysroot. */
#include "sysroot.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "scratch.h"

static void test_live(void **state)
{
	(void)state;
	const struct mxt_sysroot live = MXT_SYSROOT_LIVE;
	const struct mxt_sysroot other = {.prefix = "/tmp"};
	assert_true(mxt_sysroot_is_live(&live));
	assert_false(mxt_sysroot_is_live(&other));
	assert_true(mxt_sysroot_exists(&live, "/proc/self/status"));
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	assert_int_equal(mxt_sysroot_read(&live, "/proc/self/status", 65536, &buf, NULL), 0);
	assert_memory_equal(mxt_buf_text(&buf), "Name:", 5);
}

static void test_prefix(void **state)
{
	const struct mxt_sysroot root = {.prefix = *state};
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(*state, "value", "text\n");
	MXT_CLEANUP_FREE char *full = mxt_sysroot_path(&root, "/value");
	assert_string_equal(full, path);
	assert_true(mxt_sysroot_exists(&root, "/value"));
	assert_false(mxt_sysroot_exists(&root, "/other"));
}

static void test_read(void **state)
{
	const struct mxt_sysroot root = {.prefix = *state};
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	free(mxt_scratch_write(*state, "value", "one\ntwo\n\n"));
	free(mxt_scratch_write(*state, "empty", ""));
	mxt_buf_puts(&buf, "\n");
	assert_int_equal(mxt_sysroot_read(&root, "/empty", 100, &buf, NULL), 0);
	assert_string_equal(mxt_buf_text(&buf), "\n"); /* what was there before stays */
	assert_int_equal(mxt_sysroot_read(&root, "/value", 100, &buf, NULL), 0);
	assert_string_equal(mxt_buf_text(&buf), "\none\ntwo\n"); /* one final newline goes */
	mxt_buf_truncate(&buf, 0);
	assert_int_equal(mxt_sysroot_read(&root, "/value", 5, &buf, NULL), 0);
	assert_string_equal(mxt_buf_text(&buf), "one\nt");
}

static void test_read_failures(void **state)
{
	const struct mxt_sysroot root = {.prefix = *state};
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_FREE char *folder = mxt_scratch_path(*state, "folder");
	assert_int_equal(mkdir(folder, 0755), 0);
	assert_int_equal(mxt_sysroot_read(&root, "/missing", 100, &buf, &err), -ENOENT);
	assert_int_equal(err.id, MXT_E_IO);
	assert_int_equal(mxt_sysroot_read(&root, "/folder", 100, &buf, &err), -EISDIR);
	assert_int_equal(buf.len, 0);
}

struct number_case {
	const char *text;
	int status;
	uint64_t value;
};

static void test_read_u64(void **state)
{
	static const struct number_case cases[] = {
	    {"42\n", 0, 42},         {"0x1f\n", 0, 31},      {"7", 0, 7},
	    {"42 kB\n", -EINVAL, 0}, {"\n", -EINVAL, 0},     {"max\n", -EINVAL, 0},
	    {"-1\n", -EINVAL, 0},    {"1\n2\n", -EINVAL, 0}, {"18446744073709551616\n", -EINVAL, 0},
	};
	const struct mxt_sysroot root = {.prefix = *state};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		free(mxt_scratch_write(*state, "number", cases[i].text));
		uint64_t value = 99;
		assert_int_equal(mxt_sysroot_read_u64(&root, "/number", &value, NULL), cases[i].status);
		assert_true(value == (cases[i].status < 0 ? 99 : cases[i].value));
	}
	uint64_t value = 99;
	assert_int_equal(mxt_sysroot_read_u64(&root, "/missing", &value, NULL), -ENOENT);
	assert_true(value == 99);
}

#define SCRATCH_TEST(f) cmocka_unit_test_setup_teardown(f, mxt_scratch_setup, mxt_scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_live),      SCRATCH_TEST(test_prefix),   SCRATCH_TEST(test_read),
	    SCRATCH_TEST(test_read_failures), SCRATCH_TEST(test_read_u64),
	};
	return cmocka_run_group_tests_name("sysroot", tests, NULL, NULL);
}
