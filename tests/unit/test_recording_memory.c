/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of our own on the way from a recording to its problems, and every one of a merge, fails once: the
 * answer is -ENOMEM, and nothing leaks.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "alloc_faults.h"
#include "error.h"
#include "json.h"
#include "recording.h"
#include "workload.h"

#define TENSOR(m, n, row, column)                                                                                      \
	"{\"shape\":[" #m "," #n "],\"strides\":[" #row "," #column "],\"dtype\":\"bfloat16\"}"

static const char text[] =
    "{\"schema\":\"mindxtrain.recording/1\",\"torch\":\"2.11.0\",\"device\":\"cuda\",\"ranks\":1,\"steps\":1,"
    "\"forward_passes\":[1],\"not_seen\":[{\"what\":\"compiled_graph\",\"count\":2}],\"order\":[[0,9],[1,8],[0,7]],"
    "\"calls\":[{\"kind\":\"gemm\",\"op\":\"aten::mm\",\"counts\":[2],\"a\":" TENSOR(8, 4, 4, 1) ",\"b\":" TENSOR(
	4, 8, 1, 4) "},{\"kind\":\"other\",\"op\":\"aten::_int_mm\",\"counts\":[1]}]}";

static int read_all(void *context)
{
	struct mxt_workload_source source = MXT_WORKLOAD_SOURCE_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_RECORDING struct mxt_recording *recording = NULL;
	MXT_CLEANUP(mxt_workload_finish) struct mxt_workload workload = {.n_notes = 0};
	(void)context;
	int rc = mxt_recording_parse("test", text, strlen(text), &recording, &err);
	return rc == 0 ? mxt_recording_apply(recording, &source, &workload, &err) : rc;
}

static void from_text_to_problems(void **state)
{
	(void)state;
	assert_true(mxt_test_each_allocation(read_all, NULL) > 20);
}

static int merge(void *context)
{
	json_t *documents[] = {context, context};
	MXT_CLEANUP_JSON json_t *merged = NULL;
	return mxt_recording_merge(documents, 2, &merged, NULL);
}

static void merging(void **state)
{
	(void)state;
	MXT_CLEANUP_JSON json_t *document = NULL;
	assert_int_equal(mxt_json_parse("test", text, strlen(text), MXT_JSON_CANONICAL, &document, NULL), 0);
	json_set_alloc_funcs(mxt_test_malloc, free);
	assert_true(mxt_test_each_allocation(merge, document) > 20);
	json_set_alloc_funcs(malloc, free);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(from_text_to_problems), cmocka_unit_test(merging)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
