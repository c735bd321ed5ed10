/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of safetensors files: good ones, damaged ones, and files that are cut. */
#include "safetensors.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "error.h"
#include "scratch.h"

#define TWO                                                                                                            \
	"{\"__metadata__\":{\"format\":\"pt\"},\"b\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[4,16]},"    \
	"\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}} "

/* The start of a file: the length of the header, and the header. */
static char *start_of(const char *header, size_t *ret_len)
{
	size_t len = strlen(header);
	char *bytes = calloc(1, len + 9);
	assert_non_null(bytes);
	for (size_t i = 0; i < 8; i++)
		bytes[i] = (char)(unsigned char)((uint64_t)len >> (8 * i));
	memcpy(bytes + 8, header, len);
	*ret_len = len + 8;
	return bytes;
}

static int parse(const char *header, uint64_t data_bytes, struct mxt_safetensors **ret_header, struct mxt_error *err)
{
	size_t len;
	char *bytes = start_of(header, &len);
	int rc = mxt_safetensors_parse("a.safetensors", bytes, len, len + data_bytes, ret_header, err);
	free(bytes);
	return rc;
}

static void expect(const char *header, uint64_t data_bytes, enum mxt_error_id id, const char *words)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_safetensors *read = NULL;
	assert_true(parse(header, data_bytes, &read, &err) < 0);
	assert_null(read);
	assert_int_equal(err.id, id);
	assert_non_null(strstr(mxt_error_text(&err), "a.safetensors"));
	if (!strstr(mxt_error_text(&err), words))
		fail_msg("\"%s\" does not say \"%s\"", mxt_error_text(&err), words);
}

static void test_tensors_stand_by_their_place(void **state)
{
	(void)state;
	struct mxt_safetensors *header;
	assert_int_equal(parse(TWO, 16, &header, NULL), 0);
	assert_int_equal(mxt_safetensors_count(header), 2);
	const struct mxt_tensor *a = mxt_safetensors_tensor(header, 0), *b = mxt_safetensors_tensor(header, 1);
	assert_string_equal(a->name, "a");
	assert_string_equal(a->dtype, "F32");
	assert_int_equal(a->n_dims, 0);
	assert_int_equal(a->begin, 8 + strlen(TWO));
	assert_string_equal(b->name, "b");
	assert_int_equal(b->n_dims, 2);
	assert_int_equal(b->shape[0], 2);
	assert_int_equal(b->shape[1], 3);
	assert_int_equal(b->begin, a->end);
	assert_int_equal(b->end, a->begin + 16);
	mxt_safetensors_destroy(header);
}

static void test_nothing_and_what_is_unknown(void **state)
{
	(void)state;
	static const char *const headers[] = {
	    "{}      ",
	    "{\"none\":{\"dtype\":\"F64\",\"shape\":[4,0],\"data_offsets\":[0,0]}}",
	    "{\"new\":{\"dtype\":\"F5\",\"shape\":[1,1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,0]}}",
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(headers); i++) {
		struct mxt_safetensors *header;
		assert_int_equal(parse(headers[i], 0, &header, NULL), 0);
		assert_int_equal(mxt_safetensors_count(header), i > 0);
		mxt_safetensors_destroy(header);
	}
}

static void test_a_part_of_a_file(void **state)
{
	(void)state;
	expect(TWO, 15, MXT_E_CHECKPOINT_PARTIAL, "of");
	expect(TWO, 0, MXT_E_CHECKPOINT_PARTIAL, "of");
	expect("", 0, MXT_E_CHECKPOINT_PARTIAL, "zeros");
	expect("", 4096, MXT_E_CHECKPOINT_PARTIAL, "zeros");
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_safetensors *read = NULL;
	size_t len;
	char *bytes = start_of(TWO, &len);
	for (size_t cut = 0; cut < len; cut++) {
		assert_true(mxt_safetensors_parse("a", bytes, cut, cut, &read, &err) < 0);
		assert_int_equal(err.id, MXT_E_CHECKPOINT_PARTIAL);
	}
	free(bytes);
}

static void test_no_header(void **state)
{
	(void)state;
	expect(TWO, 17, MXT_E_SAFETENSORS, "tensors end at");
	expect("[]", 0, MXT_E_SAFETENSORS, "brace");
	expect(" {}", 0, MXT_E_SAFETENSORS, "brace");
	expect("{", 0, MXT_E_SAFETENSORS, "JSON");
	expect("{\"a\":{\"dtype\":\"\xff\"}}", 0, MXT_E_SAFETENSORS, "JSON");
	expect("{\"__metadata__\":[]}", 0, MXT_E_SAFETENSORS, "metadata");
	expect("{\"__metadata__\":{\"format\":1}}", 0, MXT_E_SAFETENSORS, "metadata");
	char large[9] = {0, 0, 0, 0, 1, 0, 0, 0};
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_safetensors *read = NULL;
	assert_true(mxt_safetensors_parse("a", large, 8, UINT64_C(1) << 40, &read, &err) < 0);
	assert_int_equal(err.id, MXT_E_SAFETENSORS);
}

#define TENSOR(dtype, shape, places) "{\"t\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" places "}}"

static void test_tensors_that_do_not_hold(void **state)
{
	(void)state;
	static const struct {
		const char *header;
		uint64_t data_bytes;
		const char *words;
	} cases[] = {
	    {"{\"t\":1}", 0, "no usable type"},
	    {"{\"t\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1, "no usable type"},
	    {"{\"t\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"more\":1}}", 1, "no usable type"},
	    {TENSOR("8", "[1]", "[0,1]"), 1, "no usable type"},
	    {TENSOR("\"U8\"", "1", "[0,1]"), 1, "no usable type"},
	    {TENSOR("\"U8\"", "[-1]", "[0,1]"), 1, "no usable type"},
	    {TENSOR("\"U8\"", "[1.0]", "[0,1]"), 1, "no usable type"},
	    {TENSOR("\"U8\"", "[1]", "[0]"), 1, "no usable place"},
	    {TENSOR("\"U8\"", "[1]", "[1,0]"), 1, "no usable place"},
	    {TENSOR("\"U8\"", "[1]", "[-1,0]"), 1, "no usable place"},
	    {TENSOR("\"U8\"", "[1]", "[1,2]"), 2, "does not begin"},
	    {TENSOR("\"U8\"", "[2]", "[0,1]"), 1, "another size"},
	    {TENSOR("\"F4\"", "[3]", "[0,1]"), 1, "another size"},
	    {TENSOR("\"U8\"", "[4294967296,4294967296,1]", "[0,0]"), 0, "another size"},
	    {TENSOR("\"F64\"", "[2305843009213693952]", "[0,0]"), 0, "another size"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++)
		expect(cases[i].header, cases[i].data_bytes, MXT_E_SAFETENSORS, cases[i].words);
	expect("{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
	       "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[1,3]}}",
	       3, MXT_E_SAFETENSORS, "does not begin");
	expect("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
	       "\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}",
	       1, MXT_E_SAFETENSORS, "twice");
}

static void test_files(void **state)
{
	size_t len;
	char *bytes = start_of(TWO, &len), *path = mxt_scratch_write(*state, "a.safetensors", "");
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct mxt_safetensors *header = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	assert_true(mxt_safetensors_read(fd, path, &header, &err) < 0);
	assert_int_equal(err.id, MXT_E_CHECKPOINT_PARTIAL);
	assert_int_equal(pwrite(fd, bytes, len, 0), len);
	assert_true(mxt_safetensors_read(fd, path, &header, &err) < 0);
	assert_int_equal(err.id, MXT_E_CHECKPOINT_PARTIAL);
	assert_int_equal(ftruncate(fd, (off_t)len + 16), 0);
	assert_int_equal(mxt_safetensors_read(fd, path, &header, NULL), 0);
	assert_int_equal(mxt_safetensors_count(header), 2);
	mxt_safetensors_destroy(header);
	close(fd);
	fd = open(path, O_WRONLY | O_CLOEXEC); /* cannot be read */
	assert_true(mxt_safetensors_read(fd, path, &header, &err) < 0);
	assert_int_not_equal(err.id, MXT_E_CHECKPOINT_PARTIAL);
	close(fd);
	free(path);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tensors_stand_by_their_place),
	    cmocka_unit_test(test_nothing_and_what_is_unknown),
	    cmocka_unit_test(test_a_part_of_a_file),
	    cmocka_unit_test(test_no_header),
	    cmocka_unit_test(test_tensors_that_do_not_hold),
	    cmocka_unit_test_setup_teardown(test_files, mxt_scratch_setup, mxt_scratch_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
