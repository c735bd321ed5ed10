/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"

#include <stdint.h>
#include <stdlib.h>

#define FIRST_CAPACITY 16

void *mxt_array_reserve(void *items, size_t count, size_t *capacity, size_t item_bytes)
{
	if (count < *capacity)
		return items;
	size_t larger = *capacity ? *capacity * 2 : FIRST_CAPACITY;
	if (larger > SIZE_MAX / item_bytes)
		return NULL;
	void *moved = realloc(items, larger * item_bytes);
	if (moved)
		*capacity = larger;
	return moved;
}
