/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "b3_list.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"

/* BLAKE3 of nothing. */
#define EMPTY "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"

static void add(struct mxt_file_list *list, const char *path, const char *target)
{
	struct mxt_file_entry entry = {.path = strdup(path), .kind = target ? MXT_ENTRY_LINK : MXT_ENTRY_FILE};
	if (target)
		entry.target = strdup(target);
	mxt_hash_bytes("", 0, entry.hash);
	assert_int_equal(mxt_file_list_add(list, &entry, NULL), 0);
}

static void test_writes_as_b3sum_does(void **state)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	size_t left_out = 0;
	(void)state;
	add(&list, "-", NULL);
	add(&list, " a  b", NULL);
	add(&list, "a\\b\\", NULL);
	add(&list, "link", "a");
	add(&list, "no\rreturn", NULL);
	add(&list, "\xff", NULL);
	add(&list, "\xef\xbf\xbd", NULL);
	add(&list, "\xc3\xa4\t", NULL);
	assert_int_equal(mxt_file_list_sort(&list, NULL), 0);
	mxt_b3_list_text(&list, &text, &left_out);
	assert_string_equal(mxt_buf_text(&text), EMPTY "   a  b\n\\" EMPTY "  a\\\\b\\\\\n" EMPTY "  \xc3\xa4\t\n");
	assert_int_equal(left_out, 4);
	MXT_CLEANUP_FILE_LIST struct mxt_file_list again = MXT_FILE_LIST_INIT;
	assert_int_equal(mxt_b3_list_read("list", text.data, text.len, &again, NULL), 0);
	assert_int_equal(again.count, 3);
	assert_string_equal(again.entries[1].path, "a\\b\\");
	assert_int_equal(again.entries[1].size, -1);
}

static void test_names_no_path_that_cannot_be_opened(void **state)
{
	char path[PATH_MAX + 1] = "";
	(void)state;
	memset(path, 'a', PATH_MAX);
	assert_false(mxt_b3_can_name(path));
	path[PATH_MAX - 1] = '\0';
	assert_true(mxt_b3_can_name(path));
}

static int read_list(const char *text, size_t len, size_t *ret_count, struct mxt_error *err)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	int rc = mxt_b3_list_read("x.b3", text, len, &list, err);
	*ret_count = list.count;
	return rc;
}

static void test_reads_lines_of_b3sum(void **state)
{
	static const char text[] = EMPTY "  b\n\\" EMPTY "  a\\\\n\\r\n" EMPTY "  no\\escape";
	size_t count = 0;
	(void)state;
	assert_int_equal(read_list(text, sizeof text - 1, &count, NULL), 0);
	assert_int_equal(count, 3);
}

struct bad_list {
	const char *text;
	enum mxt_error_id id;
	const char *says;
};

static void test_refuses_other_lines(void **state)
{
	static const struct bad_list lists[] = {
	    {"", MXT_E_LIST_FORM, "x.b3: "},
	    {"\n", MXT_E_LIST_FORM, "x.b3:1: "},
	    {EMPTY "  a\n\n", MXT_E_LIST_FORM, "x.b3:2: "},
	    {"  a\n", MXT_E_LIST_FORM, "x.b3:1: "},
	    {EMPTY "\n", MXT_E_LIST_FORM, "x.b3:1: "},
	    {EMPTY "  \n", MXT_E_LIST_FORM, "x.b3:1: "},
	    {EMPTY " a\n", MXT_E_LIST_FORM, "x.b3:1: "},
	    {EMPTY " *a\n", MXT_E_LIST_FORM, "x.b3:1: "},
	    {"g" EMPTY "  a\n", MXT_E_LIST_FORM, "x.b3:1: "},
	    {"AF1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262  a\n", MXT_E_LIST_FORM, "x.b3:1: "},
	    {"                                                                  a\n", MXT_E_LIST_FORM, "x.b3:1: "},
	    {"BLAKE3 (a) = " EMPTY "\n", MXT_E_LIST_FORM, "x.b3:1: "},
	    {"\\" EMPTY "  a\\\n", MXT_E_LIST_FORM, "x.b3:1: "},
	    {"\\" EMPTY "  a\\t\n", MXT_E_LIST_FORM, "x.b3:1: "},
	    {"\\" EMPTY "  a\\nb\n", MXT_E_LIST_PATH, "x.b3:1: "},
	    {"\\\n", MXT_E_LIST_FORM, "x.b3:1: "},
	    {EMPTY "  \xff\n", MXT_E_LIST_FORM, "x.b3:1: "},
	    {EMPTY "  a\n" EMPTY "  /a\n", MXT_E_LIST_PATH, "x.b3:2: "},
	    {EMPTY "  ../a\n", MXT_E_LIST_PATH, "x.b3:1: "},
	    {EMPTY "  a/../b\n", MXT_E_LIST_PATH, "x.b3:1: "},
	    {EMPTY "  ./a\n", MXT_E_LIST_PATH, "x.b3:1: "},
	    {EMPTY "  a/\n", MXT_E_LIST_PATH, "x.b3:1: "},
	    {EMPTY "  a\n" EMPTY "  b\n" EMPTY "  a\n", MXT_E_LIST_PATH, "x.b3: a: "},
	    {EMPTY "  a\n" EMPTY "  a/b\n", MXT_E_LIST_PATH, "x.b3: a/b: "},
	};
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(lists); i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		size_t count = 0;
		int rc = read_list(lists[i].text, strlen(lists[i].text), &count, &err);
		if (rc != -EINVAL || err.id != lists[i].id || !strstr(mxt_error_text(&err), lists[i].says))
			fail_msg("row %zu: %d, %s", i, rc, mxt_error_text(&err));
		assert_int_equal(read_list(lists[i].text, strlen(lists[i].text), &count, NULL), rc);
	}
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	size_t count = 0;
	assert_int_equal(read_list(EMPTY "  a\0b\n", sizeof EMPTY + 6, &count, &err), -EINVAL);
	assert_int_equal(err.id, MXT_E_LIST_FORM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_writes_as_b3sum_does),
	    cmocka_unit_test(test_names_no_path_that_cannot_be_opened),
	    cmocka_unit_test(test_reads_lines_of_b3sum),
	    cmocka_unit_test(test_refuses_other_lines),
	};
	return cmocka_run_group_tests_name("b3_list", tests, NULL, NULL);
}
