/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation on the way to a result fails once. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc_faults.h"
#include "buf.h"
#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "json_difference.h"
#include "result.h"
#include "safetensors.h"
#include "scratch.h"
#include "tensor_difference.h"

static const char config_text[] =
    "base_model: /x\nlr: 1e-4\nlist: [1, ~, {a: b}]\nlong: \"a\\nb\"\nnone:\nwandb_mode: x\n";

static int make_config(void *context)
{
	json_t *config = NULL;
	int rc = mxt_result_config("run.yaml", config_text, sizeof config_text - 1, context, &config, NULL);
	json_decref(config);
	return rc;
}

static int make_result(void *context)
{
	char name[] = "model.safetensors", link[] = "tokenizer.json", id[MXT_HASH_HEX_SIZE];
	struct mxt_file_entry data = {.path = name, .hash = {1}}, files[] = {{.path = name}, {.path = link}};
	struct mxt_file_list lists[] = {
	    {.role = MXT_LIST_DATASET, .single = true, .entries = &data, .count = 1},
	    {.role = MXT_LIST_CHECKPOINT, .entries = files, .count = 2},
	};
	files[1].kind = context ? MXT_ENTRY_LINK : MXT_ENTRY_FILE;
	json_t *config = json_object(), *result = NULL;
	const struct mxt_result_request request = {"00", config, lists, 2, NULL};
	int rc = config ? mxt_result_make(&request, &result, id, NULL) : -ENOMEM;
	json_decref(result);
	json_decref(config);
	return rc;
}

static int find_difference(void *context)
{
	const json_t *pair = context;
	static const char *const names[2] = {"A", "B"};
	struct mxt_buf text = MXT_BUF_INIT;
	(void)mxt_json_difference(json_array_get(pair, 0), json_array_get(pair, 1), names, &text);
	int rc = mxt_buf_status(&text, NULL);
	mxt_buf_finish(&text);
	return rc;
}

static int find_tensor(void *context)
{
	const int *files = context;
	const struct mxt_tensor_side sides[2] = {{files[0], "A"}, {files[1], "B"}};
	struct mxt_buf text = MXT_BUF_INIT;
	int rc = mxt_tensor_difference(sides, &text, NULL);
	mxt_buf_finish(&text);
	return rc;
}

static void test_config(void **state)
{
	(void)state;
	json_t *overrides = json_pack("[s, s]", "--seed=1", "--list__x=2");
	assert_true(mxt_test_each_allocation(make_config, overrides) > 20);
	json_decref(overrides);
}

static void test_result(void **state)
{
	(void)state;
	static int link;
	assert_true(mxt_test_each_allocation(make_result, NULL) > 10);
	assert_true(mxt_test_each_allocation(make_result, &link) > 10);
}

static void test_json_difference(void **state)
{
	(void)state;
	json_t *pair = json_pack("[{s:[i]}, {s:{s:i}}]", "a", 1, "a", "b", 2);
	assert_true(mxt_test_each_allocation(find_difference, pair) > 2);
	json_decref(pair);
}

/* Before jansson's allocations fail, too: some of its parser's become errors of the text. */
static void test_tensor_difference(void **state)
{
	static const char header[] =
	    "\x38\0\0\0\0\0\0\0{\"t\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}   ";
	int files[2];
	for (size_t i = 0; i < 2; i++) {
		char *path = mxt_scratch_write(*state, i == 0 ? "a" : "b", "");
		files[i] = open(path, O_RDWR | O_CLOEXEC);
		assert_int_equal(write(files[i], header, 64), 64);
		assert_int_equal(write(files[i], i == 0 ? "xy" : "xz", 2), 2);
		free(path);
	}
	assert_true(mxt_test_each_allocation(find_tensor, files) > 8);
	close(files[0]);
	close(files[1]);
	json_set_alloc_funcs(mxt_test_malloc, free);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_tensor_difference, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test(test_config),
	    cmocka_unit_test(test_result),
	    cmocka_unit_test(test_json_difference),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
