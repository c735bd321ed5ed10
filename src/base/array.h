/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays that grow one item at a time.
 */
#ifndef MXT_BASE_ARRAY_H
#define MXT_BASE_ARRAY_H

#include <stddef.h>

#include "compiler.h"

/*
 * Room for one more of `count` items: the array, which may have moved and is at least twice as large where it was full.
 * NULL when memory ran out; array and *capacity are then what they were.
 */
void *mxt_array_reserve(void *items, size_t count, size_t *capacity, size_t item_bytes) MXT_WUR;

#endif
