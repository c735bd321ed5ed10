/* SPDX-License-Identifier: Apache-2.0 */
/* Archives as bytes; that others read them is shown in tests/integration/test_doctor_bundle.py. */
#include <errno.h>
#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "tar.h"

static void an_archive_is_whole_blocks(void **state)
{
	(void)state;
	MXT_CLEANUP_BUF struct mxt_buf tar = MXT_BUF_INIT;
	assert_int_equal(mxt_tar_add(&tar, "a/b.txt", "hello\n", 6, NULL), 0);
	assert_int_equal(tar.len, 1024);
	assert_string_equal(tar.data, "a/b.txt");
	assert_memory_equal(tar.data + 257, "ustar\00000", 8);
	assert_memory_equal(tar.data + 124, "00000000006", 12);
	assert_memory_equal(tar.data + 512, "hello\n\0", 7);
	assert_int_equal(mxt_tar_add(&tar, "empty", "", 0, NULL), 0);
	assert_int_equal(tar.len, 1536);
	assert_int_equal(mxt_tar_end(&tar, NULL), 0);
	assert_int_equal(tar.len, 2560);
}

static void the_checksum_counts_its_own_field_as_blanks(void **state)
{
	(void)state;
	MXT_CLEANUP_BUF struct mxt_buf tar = MXT_BUF_INIT;
	unsigned sum = 0, told = 0;
	assert_int_equal(mxt_tar_add(&tar, "x", "", 0, NULL), 0);
	for (size_t i = 0; i < 512; i++)
		sum += i >= 148 && i < 156 ? ' ' : (unsigned char)tar.data[i];
	for (size_t i = 148; i < 154; i++)
		told = told * 8 + (unsigned)(tar.data[i] - '0');
	assert_int_equal(told, sum);
}

static void long_names_are_divided_or_refused(void **state)
{
	(void)state;
	MXT_CLEANUP_BUF struct mxt_buf tar = MXT_BUF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	char name[300];
	memset(name, 'n', sizeof name);
	name[150] = '/';
	name[240] = '\0';
	assert_int_equal(mxt_tar_add(&tar, name, "", 0, &err), 0);
	assert_int_equal(strnlen(tar.data, 100), 89);
	assert_int_equal(strnlen(tar.data + 345, 155), 150);
	name[150] = 'n';
	assert_int_equal(mxt_tar_add(&tar, name, "", 0, &err), -ENAMETOOLONG);
	assert_int_equal(tar.len, 512);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_archive_is_whole_blocks),
	    cmocka_unit_test(the_checksum_counts_its_own_field_as_blanks),
	    cmocka_unit_test(long_names_are_divided_or_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
