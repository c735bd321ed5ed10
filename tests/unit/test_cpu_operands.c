/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and operand memory of the CPU device. */
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "operand_arena.h"
#include "thread_pool.h"

#define ITEMS 1000

struct counters {
	atomic_uint items[ITEMS];
	atomic_uint threads[8];
};

static void count_item(void *context, uint32_t thread, uint32_t item)
{
	struct counters *counters = context;
	atomic_fetch_add(&counters->items[item], 1);
	atomic_fetch_add(&counters->threads[thread], 1);
}

static void test_pool(void **state)
{
	(void)state;
	for (uint32_t threads = 1; threads <= 8; threads++) {
		struct mxt_thread_pool *pool = NULL;
		assert_int_equal(mxt_thread_pool_create(threads, &pool, NULL), 0);
		assert_int_equal(mxt_thread_pool_size(pool), threads);
		static struct counters counters;
		memset(&counters, 0, sizeof counters);
		for (uint32_t round = 1; round <= 20; round++) {
			mxt_thread_pool_run(pool, count_item, &counters, ITEMS);
			for (uint32_t i = 0; i < ITEMS; i++)
				assert_int_equal(counters.items[i], round);
		}
		unsigned total = 0;
		for (uint32_t i = 0; i < 8; i++)
			total += counters.threads[i];
		assert_int_equal(total, 20 * ITEMS);
		mxt_thread_pool_run(pool, count_item, &counters, 0);
		mxt_thread_pool_destroy(pool);
	}
	mxt_thread_pool_destroy(NULL);
}

static void test_arena_values(void **state)
{
	(void)state;
	struct mxt_operand_arena arena;
	assert_int_equal(mxt_operand_arena_init(&arena, 64 << 20, true, 7, NULL), 0);
	assert_int_equal(mxt_operand_arena_grow(&arena, 100, NULL), 0);
	float first = arena.base[10];
	assert_int_equal(mxt_operand_arena_grow(&arena, 9 << 20, NULL), 0);
	assert_true(arena.base[10] == first);
	double sum = 0, squares = 0;
	size_t count = arena.ready / sizeof(float);
	for (size_t i = 0; i < count; i++) {
		double value = (double)arena.base[i];
		assert_true(arena.base[i] == mxt_operand_value(7, i));
		sum += value;
		squares += value * value;
	}
	assert_true(fabs(sum / (double)count) < 0.01);
	assert_true(fabs(squares / (double)count - 1) < 0.01);
	assert_true(mxt_operand_value(7, 0) != mxt_operand_value(8, 0));
	assert_true(mxt_operand_value(7, 1) != mxt_operand_value(7, ((size_t)1 << 32) + 1));
	mxt_operand_arena_finish(&arena);
	mxt_operand_arena_finish(&arena);
}

static void test_arena_windows(void **state)
{
	(void)state;
	struct mxt_operand_arena arena;
	assert_int_equal(mxt_operand_arena_init(&arena, 8 << 20, false, 0, NULL), 0);
	assert_int_equal(mxt_operand_arena_grow(&arena, 4 << 20, NULL), 0);
	size_t window = (1 << 20) + 4;
	float *a = mxt_operand_arena_next(&arena, window), *b = mxt_operand_arena_next(&arena, window);
	float *c = mxt_operand_arena_next(&arena, window);
	assert_ptr_equal(a, arena.base);
	assert_int_equal((char *)b - (char *)a, mxt_operand_window(window));
	assert_ptr_equal(mxt_operand_arena_next(&arena, window), a); /* a fourth one does not fit */
	mxt_operand_arena_rewind(&arena);
	assert_ptr_equal(mxt_operand_arena_next(&arena, 4 << 20), a);
	assert_ptr_equal(mxt_operand_arena_next(&arena, 4 << 20), a);
	assert_true(a[0] == 0 && c[100] == 0);
	mxt_operand_arena_finish(&arena);
}

static void test_arena_limit(void **state)
{
	(void)state;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_operand_arena arena;
	assert_int_equal(mxt_operand_arena_init(&arena, 4 << 20, false, 0, &err), 0);
	assert_int_equal(mxt_operand_arena_grow(&arena, 5 << 20, &err), -ENOTSUP);
	assert_int_equal(err.id, MXT_E_OPERANDS_TOO_LARGE);
	assert_non_null(strstr(mxt_error_text(&err), "6 MiB, and one worker may use 4 MiB"));
	mxt_operand_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pool),
	    cmocka_unit_test(test_arena_values),
	    cmocka_unit_test(test_arena_windows),
	    cmocka_unit_test(test_arena_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
