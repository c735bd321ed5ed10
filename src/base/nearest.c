/* SPDX-License-Identifier: Apache-2.0 */
#include "nearest.h"

#include <string.h>

#define MAX_NAME 96

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;
	return ab < c ? ab : c;
}

/* Levenshtein distance; names longer than MAX_NAME are never near. */
static size_t distance(const char *a, const char *b)
{
	size_t len_a = strlen(a), len_b = strlen(b);
	if (len_a > MAX_NAME || len_b > MAX_NAME)
		return MAX_NAME;
	size_t row[MAX_NAME + 1];
	for (size_t j = 0; j <= len_b; j++)
		row[j] = j;
	for (size_t i = 1; i <= len_a; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= len_b; j++) {
			size_t up = row[j];
			row[j] = min3(up + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1));
			diagonal = up;
		}
	}
	return row[len_b];
}

const char *mxt_nearest(const char *given, const char *(*name_at)(const void *list, size_t i), const void *list,
			size_t count)
{
	size_t len = strlen(given);
	size_t half = (len + 1) / 2;
	size_t limit = half < 3 ? half : 3; /* distances below this are near */
	const char *best = NULL;
	for (size_t i = 0; i < count; i++) {
		const char *name = name_at(list, i);
		size_t other = strlen(name);
		if ((len > other ? len - other : other - len) >= limit)
			continue; /* the lengths alone are too far apart */
		size_t d = distance(given, name);
		if (d < limit) {
			limit = d;
			best = name;
		}
	}
	return best;
}
