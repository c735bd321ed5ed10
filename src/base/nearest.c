/* SPDX-License-Identifier: Apache-2.0 */
#include "nearest.h"

#include <string.h>

#define MAX_NAME 96

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;
	return ab < c ? ab : c;
}

/* One more letter of the first word: the row of distances to the beginnings of `b`. Returns the smallest of them. */
static size_t next_row(size_t *row, size_t i, char letter, const char *b, size_t len_b)
{
	size_t diagonal = row[0], smallest = i;
	row[0] = i;
	for (size_t j = 1; j <= len_b; j++) {
		size_t up = row[j];
		row[j] = min3(up + 1, row[j - 1] + 1, diagonal + (letter == b[j - 1] ? 0 : 1));
		smallest = row[j] < smallest ? row[j] : smallest;
		diagonal = up;
	}
	return smallest;
}

/* Levenshtein distance, or `limit` where it is that or more, and where more than MAX_NAME letters are left behind equal
 * beginnings. */
static size_t distance(const char *a, const char *b, size_t limit)
{
	for (; *a && *a == *b; a++)
		b++;
	size_t len_a = strlen(a), len_b = strlen(b);
	if (len_a > MAX_NAME || len_b > MAX_NAME)
		return limit;
	size_t row[MAX_NAME + 1];
	for (size_t j = 0; j <= len_b; j++)
		row[j] = j;
	for (size_t i = 1; i <= len_a; i++)
		if (next_row(row, i, a[i - 1], b, len_b) >= limit)
			return limit;
	return row[len_b] < limit ? row[len_b] : limit;
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
		size_t d = distance(given, name, limit);
		if (d < limit) {
			limit = d;
			best = name;
		}
	}
	return best;
}
