/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes one allocation of the code under test fail. The test program is linked with --wrap for aligned_alloc, malloc,
 * calloc, realloc, strdup and strndup (its row in meson.build), which catches every call from our own objects; for
 * jansson, pass mxt_test_malloc to json_set_alloc_funcs().
 */
#ifndef MXT_TESTS_ALLOC_FAULTS_H
#define MXT_TESTS_ALLOC_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

/* The nth allocation from now on fails, once; 0: none does. */
void mxt_test_fail_allocation(size_t nth);

/* Whether it was reached since it was armed. */
bool mxt_test_allocation_failed(void);

void *mxt_test_malloc(size_t bytes);

/*
 * Calls run(context) again and again while its 1st, 2nd, 3rd … allocation fails, until it succeeds without reaching the
 * fault. run returns 0 or a negative status; whenever the fault was reached, -ENOMEM is the only failure allowed.
 * Returns how many allocations were made to fail.
 */
size_t mxt_test_each_allocation(int (*run)(void *context), void *context);

#endif
