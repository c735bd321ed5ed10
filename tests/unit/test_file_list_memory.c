/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of listing a folder, writing the list and reading it fails once: an error, and nothing leaks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc_faults.h"
#include "b3_list.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "scratch.h"
#include "tree.h"

static int setup(void **state)
{
	assert_int_equal(mxt_scratch_setup(state), 0);
	MXT_CLEANUP_FREE char *folder = mxt_scratch_path(*state, "folder");
	MXT_CLEANUP_FREE char *link = mxt_scratch_path(*state, "link");
	assert_return_code(mkdir(folder, 0777), errno);
	assert_return_code(symlink("\xff", link), errno);
	free(mxt_scratch_write(folder, "file", "1"));
	free(mxt_scratch_write(*state, "\xff", "1"));
	return 0;
}

static int list(void *context)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	int rc = mxt_tree_list(&(struct mxt_tree_request){.root = context}, &list, NULL);
	if (rc == 0)
		assert_int_equal(list.count, 3);
	return rc;
}

static void test_listing(void **state)
{
	assert_true(mxt_test_each_allocation(list, *state) >= 6);
}

static int round_trip(void *context)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list again = MXT_FILE_LIST_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_JSON json_t *json = NULL;
	int rc = mxt_file_list_json(context, &json, &err);
	if (rc == 0)
		rc = mxt_file_list_read(json, &again, &err);
	if (rc == 0)
		assert_int_equal(again.count, 3);
	return rc;
}

static void test_writing_and_reading(void **state)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	assert_int_equal(mxt_tree_list(&(struct mxt_tree_request){.root = *state}, &list, NULL), 0);
	json_set_alloc_funcs(mxt_test_malloc, free);
	assert_true(mxt_test_each_allocation(round_trip, &list) > 20);
	json_set_alloc_funcs(malloc, free);
}

static int b3_round_trip(void *context)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	(void)context;
	static const char text[] = "\\af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262  a\\\\b\n";
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_b3_list_read("list", text, sizeof text - 1, &list, &err);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_BUF struct mxt_buf again = MXT_BUF_INIT;
	size_t left_out = 0;
	mxt_b3_list_text(&list, &again, &left_out);
	rc = mxt_buf_status(&again, NULL);
	if (rc == 0)
		assert_string_equal(mxt_buf_text(&again), text);
	return rc;
}

static void test_lists_of_b3sum(void **state)
{
	(void)state;
	assert_true(mxt_test_each_allocation(b3_round_trip, NULL) >= 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_listing, setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(test_writing_and_reading, setup, mxt_scratch_teardown),
	    cmocka_unit_test(test_lists_of_b3sum),
	};
	return cmocka_run_group_tests_name("file_list_memory", tests, NULL, NULL);
}
