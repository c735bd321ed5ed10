/* SPDX-License-Identifier: Apache-2.0 */
/* The first tensor in which two safetensors files differ. */
#include "tensor_difference.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "cmocka_all.h"
#include "error.h"

#define TENSOR(name, dtype, shape, places)                                                                             \
	"\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" places "}"

/* An open file with this header, and data. */
static int file_of(const char *header, const void *data, size_t data_len)
{
	FILE *file = tmpfile();
	assert_non_null(file);
	int fd = dup(fileno(file));
	assert_int_equal(fclose(file), 0);
	assert_true(fd >= 0);
	size_t len = strlen(header);
	unsigned char start[8] = {(unsigned char)len, (unsigned char)(len >> 8)};
	assert_int_equal(write(fd, start, sizeof start), sizeof start);
	assert_int_equal(write(fd, header, len), len);
	assert_int_equal(write(fd, data, data_len), data_len);
	return fd;
}

static int compare(int a, int b, struct mxt_buf *text, struct mxt_error *err)
{
	struct mxt_tensor_side sides[2] = {{a, "A"}, {b, "B"}};
	int rc = mxt_tensor_difference(sides, text, err);
	close(a);
	close(b);
	return rc;
}

static void expect(int a, int b, const char *words)
{
	struct mxt_buf text = MXT_BUF_INIT;
	assert_int_equal(compare(a, b, &text, NULL), 0);
	assert_string_equal(mxt_buf_text(&text), words);
	mxt_buf_finish(&text);
}

static void test_data(void **state)
{
	(void)state;
	static const char header[] =
	    "{" TENSOR("p", "F32", "[2,3]", "[4,28]") "," TENSOR("n", "F32", "[]", "[0,4]") "}";
	uint32_t a[7] = {9, 0, 1, 2, 3, 4, 5}, b[7] = {9, 0, 1, 2, 3, 4, 5};
	expect(file_of(header, a, sizeof a), file_of(header, b, sizeof b),
	       "their tensors are the same, their headers (metadata, order) are not");
	b[5] = 7;
	b[6] = 7;
	expect(file_of(header, a, sizeof a), file_of(header, b, sizeof b),
	       "tensor p (F32 [2, 3]): 2 of 6 elements differ, the first is [1, 1]");
	b[0] = 7;
	expect(file_of(header, a, sizeof a), file_of(header, b, sizeof b),
	       "tensor n (F32 []): 1 of 1 elements differ, the first is number 0");
}

/* More than one part is read at once, and the difference is at its border. */
static void test_large_data(void **state)
{
	(void)state;
	enum { SIZE = (512 << 10) + 6 };
	static const char header[] = "{" TENSOR("w", "BF16", "[262147]", "[0,524294]") "}";
	static unsigned char a[SIZE], b[SIZE];
	b[SIZE - 1] = 1;
	expect(file_of(header, a, SIZE), file_of(header, b, SIZE),
	       "tensor w (BF16 [262147]): 1 of 262147 elements differ, the first is [262146]");
	b[256 << 10] = 1;
	expect(file_of(header, a, SIZE), file_of(header, b, SIZE),
	       "tensor w (BF16 [262147]): 2 of 262147 elements differ, the first is [131072]");
}

static void test_forms(void **state)
{
	(void)state;
	expect(file_of("{" TENSOR("t", "F16", "[2]", "[0,4]") "}", "abcd", 4),
	       file_of("{" TENSOR("t", "BF16", "[2]", "[0,4]") "}", "abcd", 4),
	       "tensor t is F16 [2] in A and BF16 [2] in B");
	expect(file_of("{" TENSOR("t", "F16", "[2,1]", "[0,4]") "}", "abcd", 4),
	       file_of("{" TENSOR("t", "F16", "[1,2]", "[0,4]") "}", "abcd", 4),
	       "tensor t is F16 [2, 1] in A and F16 [1, 2] in B");
	expect(file_of("{" TENSOR("t", "F4", "[2,2]", "[0,2]") "}", "ab", 2),
	       file_of("{" TENSOR("t", "F4", "[2,2]", "[0,2]") "}", "ac", 2),
	       "tensor t (F4 [2, 2]): 1 of 2 bytes differ, the first is number 1");
	expect(file_of("{" TENSOR("t", "NEW", "[7]", "[0,2]") "}", "ab", 2),
	       file_of("{" TENSOR("t", "NEW", "[7]", "[0,2]") "}", "bb", 2),
	       "tensor t (NEW [7]): 1 of 2 bytes differ, the first is number 0");
}

static void test_one_side_only(void **state)
{
	(void)state;
	static const char one[] = "{" TENSOR("a", "U8", "[1]", "[0,1]") "}";
	static const char two[] = "{" TENSOR("a", "U8", "[1]", "[0,1]") "," TENSOR("b", "U8", "[1]", "[1,2]") "}";
	expect(file_of(one, "x", 1), file_of(two, "xy", 2), "tensor b is only in B");
	expect(file_of(two, "xy", 2), file_of(one, "x", 1), "tensor b is only in A");
	/* The order in the file is none of names: the other side's tensors are found by theirs. */
	expect(file_of("{" TENSOR("a", "U8", "[1]", "[1,2]") "," TENSOR("b", "U8", "[1]", "[0,1]") "}", "yx", 2),
	       file_of(two, "xy", 2), "their tensors are the same, their headers (metadata, order) are not");
}

static void test_no_safetensors(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_buf text = MXT_BUF_INIT;
	assert_true(compare(file_of("{}", "", 0), file_of("[]", "", 0), &text, &err) < 0);
	assert_int_equal(err.id, MXT_E_SAFETENSORS);
	assert_non_null(strstr(mxt_error_text(&err), "B is no safetensors file"));
	assert_int_equal(text.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_data),          cmocka_unit_test(test_large_data),     cmocka_unit_test(test_forms),
	    cmocka_unit_test(test_one_side_only), cmocka_unit_test(test_no_safetensors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
