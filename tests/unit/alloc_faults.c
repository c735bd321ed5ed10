/* SPDX-License-Identifier: Apache-2.0 */
#include "alloc_faults.h"

#include <errno.h>

#include "cmocka_all.h"

#define MAX_ALLOCATIONS 100000

static size_t countdown;
static bool reached;

void mxt_test_fail_allocation(size_t nth)
{
	countdown = nth;
	reached = false;
}

bool mxt_test_allocation_failed(void)
{
	return reached;
}

static bool fails_now(void)
{
	if (countdown == 0 || --countdown > 0)
		return false;
	reached = true;
	errno = ENOMEM;
	return true;
}

/* The linker's names. */
void *__real_malloc(size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t len);
void *__wrap_malloc(size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t len);

void *__wrap_malloc(size_t bytes)
{
	return fails_now() ? NULL : __real_malloc(bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
	return fails_now() ? NULL : __real_aligned_alloc(alignment, bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
	return fails_now() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *block, size_t bytes)
{
	return fails_now() ? NULL : __real_realloc(block, bytes);
}

char *__wrap_strdup(const char *text)
{
	return fails_now() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t len)
{
	return fails_now() ? NULL : __real_strndup(text, len);
}

void *mxt_test_malloc(size_t bytes)
{
	return __wrap_malloc(bytes);
}

size_t mxt_test_each_allocation(int (*run)(void *context), void *context)
{
	for (size_t nth = 1; nth < MAX_ALLOCATIONS; nth++) {
		mxt_test_fail_allocation(nth);
		int rc = run(context);
		bool failed = reached;
		mxt_test_fail_allocation(0);
		if (!failed) {
			assert_int_equal(rc, 0);
			return nth - 1;
		}
		assert_true(rc == 0 || rc == -ENOMEM);
	}
	fail_msg("no end of allocations");
	return 0;
}
