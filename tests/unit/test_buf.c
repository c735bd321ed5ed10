/* SPDX-License-Identifier: Apache-2.0 */
/* The growing buffer: what it holds, and how it fails. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cmocka_all.h"
#include "error.h"

static void test_empty_is_text(void **state)
{
	(void)state;
	struct mxt_buf buf = MXT_BUF_INIT;
	assert_string_equal(mxt_buf_text(&buf), "");
	assert_int_equal(mxt_buf_status(&buf, NULL), 0);
	char *text = mxt_buf_steal(&buf);
	assert_string_equal(text, "");
	free(text);
	mxt_buf_finish(&buf);
}

static void test_appends_in_order(void **state)
{
	(void)state;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	mxt_buf_puts(&buf, "one");
	mxt_buf_putc(&buf, ' ');
	mxt_buf_printf(&buf, "%d%s", 2, "!");
	mxt_buf_append(&buf, "\0x", 2);
	assert_int_equal(buf.len, 8);
	assert_memory_equal(buf.data, "one 2!\0x", 9);
}

static void test_grows(void **state)
{
	(void)state;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	for (int i = 0; i < 10000; i++)
		mxt_buf_putc(&buf, (char)('a' + i % 26));
	assert_int_equal(buf.len, 10000);
	assert_int_equal(strlen(mxt_buf_text(&buf)), 10000);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(buf.data[i], 'a' + i % 26);
}

static void test_printf_longer_than_capacity(void **state)
{
	(void)state;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	mxt_buf_printf(&buf, "%0500d", 7);
	assert_int_equal(buf.len, 500);
	assert_int_equal(buf.data[499], '7');
}

static void test_truncate(void **state)
{
	(void)state;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	mxt_buf_truncate(&buf, 0);
	mxt_buf_puts(&buf, "abcdef");
	mxt_buf_truncate(&buf, 10);
	assert_string_equal(mxt_buf_text(&buf), "abcdef");
	mxt_buf_truncate(&buf, 2);
	assert_string_equal(mxt_buf_text(&buf), "ab");
	mxt_buf_putc(&buf, 'z');
	assert_string_equal(mxt_buf_text(&buf), "abz");
}

static void test_steal_empties(void **state)
{
	(void)state;
	struct mxt_buf buf = MXT_BUF_INIT;
	mxt_buf_puts(&buf, "mine");
	char *text = mxt_buf_steal(&buf);
	assert_string_equal(text, "mine");
	assert_null(buf.data);
	assert_int_equal(buf.len, 0);
	free(text);
}

/* An impossible size fails without touching memory, and the failure sticks. */
static void test_absurd_length_fails(void **state)
{
	(void)state;
	struct mxt_buf buf = MXT_BUF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	mxt_buf_puts(&buf, "kept");
	mxt_buf_append(&buf, "x", SIZE_MAX / 2);
	mxt_buf_puts(&buf, "ignored");
	assert_int_equal(mxt_buf_status(&buf, &err), -ENOMEM);
	assert_int_equal(err.id, MXT_E_NO_MEMORY);
	assert_null(mxt_buf_steal(&buf));
	mxt_buf_finish(&buf);
	assert_int_equal(mxt_buf_status(&buf, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_empty_is_text),
	    cmocka_unit_test(test_appends_in_order),
	    cmocka_unit_test(test_grows),
	    cmocka_unit_test(test_printf_longer_than_capacity),
	    cmocka_unit_test(test_truncate),
	    cmocka_unit_test(test_steal_empties),
	    cmocka_unit_test(test_absurd_length_fails),
	};
	return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
