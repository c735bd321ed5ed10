/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of src/base fails once: the answer is -ENOMEM, nothing leaks, and no file is left or torn. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alloc_faults.h"
#include "buf.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "file.h"
#include "scratch.h"
#include "sysroot.h"

static int fill_buf(void *context)
{
	(void)context;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	mxt_buf_puts(&buf, "x");
	mxt_buf_printf(&buf, "%0300d", 1);
	mxt_buf_putc(&buf, 'y');
	int rc = mxt_buf_status(&buf, NULL);
	MXT_CLEANUP_FREE char *text = mxt_buf_steal(&buf);
	assert_true((rc == 0) == (text != NULL));
	return rc;
}

static void test_buf(void **state)
{
	(void)state;
	assert_int_equal(mxt_test_each_allocation(fill_buf, NULL), 2);
}

/* An error survives that its own text could not be made: status and id stay right. */
static int make_errors(void *context)
{
	(void)context;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(mxt_error_set(&err, -EPERM, MXT_E_USAGE, "text %d", 1), -EPERM);
	assert_int_equal(mxt_error_wrap(&err, -EPERM, "more"), -EPERM);
	assert_int_equal(err.id, MXT_E_USAGE);
	assert_true(strlen(mxt_error_text(&err)) > 0);
	assert_int_equal(mxt_error_errno(&err, EACCES, "open"), -EACCES);
	assert_true(strlen(mxt_error_text(&err)) > 0);
	return mxt_test_allocation_failed() ? -ENOMEM : 0;
}

static void test_error(void **state)
{
	(void)state;
	assert_int_equal(mxt_test_each_allocation(make_errors, NULL), 5);
}

static int replace_through_link(void *context)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_file_check_writable(context, &err);
	if (rc == 0)
		rc = mxt_file_replace(context, "new", 3, &err);
	if (rc < 0)
		assert_int_equal(err.id, MXT_E_NO_MEMORY);
	return rc;
}

static void test_replace(void **state)
{
	MXT_CLEANUP_FREE char *target = mxt_scratch_write(*state, "target", "old");
	MXT_CLEANUP_FREE char *path = mxt_scratch_path(*state, "link");
	assert_int_equal(symlink("target", path), 0);
	assert_true(mxt_test_each_allocation(replace_through_link, path) >= 8);
	mxt_scratch_expect(target, "new");
	assert_int_equal(mxt_scratch_count(*state), 2);
}

static int read_file(void *context)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	return mxt_file_read(context, 100000, &buf, NULL);
}

static void test_read(void **state)
{
	char text[2000];
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(*state, "file", text);
	assert_true(mxt_test_each_allocation(read_file, path) >= 1);
}

static int read_number(void *context)
{
	const struct mxt_sysroot root = {.prefix = context};
	uint64_t value = 5;
	int rc = mxt_sysroot_read_u64(&root, "/number", &value, NULL);
	assert_true(value == (rc == 0 ? 42 : 5));
	return rc;
}

static void test_sysroot(void **state)
{
	free(mxt_scratch_write(*state, "number", "42\n"));
	assert_true(mxt_test_each_allocation(read_number, *state) >= 2);
}

#define SCRATCH_TEST(f) cmocka_unit_test_setup_teardown(f, mxt_scratch_setup, mxt_scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_buf), cmocka_unit_test(test_error), SCRATCH_TEST(test_replace),
	    SCRATCH_TEST(test_read),    SCRATCH_TEST(test_sysroot),
	};
	return cmocka_run_group_tests_name("base_memory", tests, NULL, NULL);
}
