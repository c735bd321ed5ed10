/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"

#include <stdint.h>
#include <stdlib.h>

#include "cleanup.h"
#include "cmocka_all.h"

static void test_grows_when_it_is_full(void **state)
{
	(void)state;
	MXT_CLEANUP_FREE size_t *items = NULL;
	size_t capacity = 0;
	for (size_t i = 0; i < 1000; i++) {
		size_t before = capacity;
		size_t *room = mxt_array_reserve(items, i, &capacity, sizeof *items);
		assert_non_null(room);
		assert_true(capacity > i && (capacity == before || capacity >= 2 * before));
		items = room;
		items[i] = i;
	}
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(items[i], i);
}

/* A size that no memory has is not taken for a small one. */
static void test_refuses_what_overflows(void **state)
{
	(void)state;
	char item = 'x';
	size_t capacity = SIZE_MAX / 4;
	assert_null(mxt_array_reserve(&item, SIZE_MAX / 4, &capacity, 4));
	assert_int_equal(capacity, SIZE_MAX / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_grows_when_it_is_full),
	    cmocka_unit_test(test_refuses_what_overflows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
