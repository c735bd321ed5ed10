/* SPDX-License-Identifier: Apache-2.0 */
/* Results as libraries of several sizes write them. */
#include <errno.h>
#include <string.h>

#include "cmocka_all.h"
#include "compiler.h"
#include "device_ops.h"
#include "error.h"
#include "lt_dialect.h"
#include "lt_results.h"

#define ASKED     64
#define WORKSPACE (UINT64_C(76) << 20)

static unsigned char memory[ASKED * MXT_LT_SLOT_BYTES];

static void put(size_t at, const void *value, size_t bytes)
{
	memcpy(memory + at, value, bytes);
}

/* What the library says of one solution; `whole` also fills what it need not. */
static void write_result(size_t at, size_t bytes, int32_t solution, size_t needed, int32_t status, bool whole)
{
	const size_t allowed = WORKSPACE;
	const float waves = 1;
	if (whole)
		memset(memory + at, 0, bytes);
	put(at, &solution, sizeof solution);
	memset(memory + at + 4, 0, 5);
	put(at + 9, &allowed, sizeof allowed); /* as it lies there in hipBLASLt: unaligned */
	put(at + 24, &needed, sizeof needed);
	put(at + 32, &status, sizeof status);
	if (whole)
		put(at + 36, &waves, sizeof waves);
}

enum style { MINIMAL, WHOLE, MARKING };

static struct mxt_lt_results answer(size_t stride, size_t count, enum style style)
{
	memset(memory, MXT_LT_POISON, sizeof memory);
	for (size_t i = 0; i < count; i++)
		write_result(i * stride, stride, (int32_t)(4711 + 3 * i), i % 3 ? 0 : (i + 1) << 20, 0, style == WHOLE);
	for (size_t i = count; style == MARKING && i < ASKED; i++)
		put(i * stride + 32, &(int32_t){3}, sizeof(int32_t));
	return (struct mxt_lt_results){memory, ASKED, count, WORKSPACE};
}

static int find_with(const struct mxt_lt_results *results, size_t known, size_t *ret_stride, bool *ret_certain)
{
	struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_lt_results_stride(results, &mxt_hipblaslt.result, known, ret_stride, ret_certain, &err);
	assert_int_equal(rc < 0 ? MXT_E_LT_LAYOUT : 0, err.id);
	mxt_error_clear(&err);
	return rc;
}

static int find(const struct mxt_lt_results *results, size_t *ret_stride, bool *ret_certain)
{
	return find_with(results, mxt_hipblaslt.result.bytes, ret_stride, ret_certain);
}

static void finds_the_distance(void **state)
{
	(void)state;
	static const size_t strides[] = {56, 64, 72, 96, 128}, counts[] = {3, 8, 20, ASKED};
	for (size_t s = 0; s < MXT_ARRAY_LEN(strides); s++)
		for (size_t c = 0; c < MXT_ARRAY_LEN(counts); c++)
			for (int style = MINIMAL; style <= MARKING; style++) {
				const struct mxt_lt_results results = answer(strides[s], counts[c], (enum style)style);
				size_t stride = 0;
				bool certain = false;
				assert_int_equal(find(&results, &stride, &certain), 0);
				assert_int_equal(stride, strides[s]);
				assert_true(certain);
			}
}

/* One result says nothing about the distance, and needs none. */
static void one_result_is_enough(void **state)
{
	(void)state;
	const struct mxt_lt_results results = answer(56, 1, MINIMAL);
	size_t stride = 0;
	bool certain = true;
	assert_int_equal(find(&results, &stride, &certain), 0);
	assert_int_equal(stride, 56);
	assert_false(certain);
}

/* Two whole ones with zeros in them may be read in several ways. */
static void two_results_need_what_is_known(void **state)
{
	(void)state;
	struct mxt_lt_results results = answer(56, 2, WHOLE);
	size_t stride = 0;
	bool certain = true;
	assert_int_equal(find(&results, &stride, &certain), 0);
	assert_int_equal(stride, 56);
	assert_false(certain);
	results = answer(64, 2, WHOLE);
	assert_int_equal(find(&results, &stride, &certain), -EPROTO);
	assert_int_equal(find_with(&results, 64, &stride, &certain), 0);
	assert_int_equal(stride, 64);
	results = answer(64, 2, MINIMAL);
	assert_int_equal(find(&results, &stride, &certain), 0);
	assert_int_equal(stride, 64);
	assert_true(certain);
}

static void garbage_is_refused(void **state)
{
	(void)state;
	size_t stride = 0;
	bool certain = false;
	memset(memory, 0x3c, sizeof memory);
	struct mxt_lt_results results = {memory, ASKED, 10, WORKSPACE};
	assert_int_equal(find(&results, &stride, &certain), -EPROTO);
	memset(memory, MXT_LT_POISON, sizeof memory); /* nothing was written */
	assert_int_equal(find(&results, &stride, &certain), -EPROTO);
	memset(memory, 0, sizeof memory);
	assert_int_equal(find(&results, &stride, &certain), -EPROTO);
	results = answer(60, 10, WHOLE); /* no distance that there can be */
	assert_int_equal(find(&results, &stride, &certain), -EPROTO);
	results = answer(56, 10, WHOLE);
	put(3 * 56 + 32, &(int32_t){7}, 4); /* returned, and not valid */
	assert_int_equal(find(&results, &stride, &certain), -EPROTO);
	results = answer(56, 10, WHOLE);
	put((size_t)3 * 56, &(int32_t){-1}, 4); /* no solution's number */
	assert_int_equal(find(&results, &stride, &certain), -EPROTO);
	results = answer(56, 10, WHOLE);
	results.workspace_bytes = 1000; /* more than was allowed */
	assert_int_equal(find(&results, &stride, &certain), -EPROTO);
	results.returned = 0;
	assert_int_equal(find(&results, &stride, &certain), -EPROTO);
}

static void reads_what_is_valid(void **state)
{
	(void)state;
	struct mxt_lt_choice choices[ASKED];
	const struct mxt_lt_results results = answer(64, 5, WHOLE);
	put((size_t)2 * 64 + 32, &(int32_t){7}, 4);
	assert_int_equal(mxt_lt_results_read(&results, &mxt_hipblaslt.result, 64, choices), 4);
	assert_int_equal(choices[0].solution, 4711);
	assert_int_equal(choices[0].workspace_bytes, 1 << 20);
	assert_int_equal(choices[1].solution, 4714);
	assert_int_equal(choices[1].workspace_bytes, 0);
	assert_int_equal(choices[2].solution, 4720);
	assert_memory_equal(choices[3].algorithm, memory + (size_t)4 * 64, 64);
}

/* cuBLASLt's have no numbers, and their layout is that of the header. */
static void without_numbers(void **state)
{
	(void)state;
	const struct mxt_lt_result_layout *layout = &mxt_cublaslt.result;
	struct mxt_lt_choice choices[2];
	memset(memory, 0, sizeof memory);
	put(layout->workspace_at, &(size_t){4096}, sizeof(size_t));
	put(layout->bytes + layout->workspace_at, &(size_t){8192}, sizeof(size_t));
	const struct mxt_lt_results results = {memory, 2, 2, WORKSPACE};
	assert_int_equal(mxt_lt_results_read(&results, layout, layout->bytes, choices), 2);
	assert_int_equal(choices[0].solution, MXT_SOLUTION_DEFAULT);
	assert_int_equal(choices[1].workspace_bytes, 8192);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(finds_the_distance),
	    cmocka_unit_test(one_result_is_enough),
	    cmocka_unit_test(two_results_need_what_is_known),
	    cmocka_unit_test(garbage_is_refused),
	    cmocka_unit_test(reads_what_is_valid),
	    cmocka_unit_test(without_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
