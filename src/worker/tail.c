/* SPDX-License-Identifier: Apache-2.0 */
#include "tail.h"

#include <stdbool.h>
#include <string.h>

#include "clean_text.h"

#define LINE_BYTES ((size_t)240)

void mxt_tail_add(struct mxt_tail *tail, const char *bytes, size_t len)
{
	if (len > MXT_TAIL_BYTES) {
		tail->total += len - MXT_TAIL_BYTES;
		bytes += len - MXT_TAIL_BYTES;
		len = MXT_TAIL_BYTES;
	}
	size_t at = (size_t)(tail->total % MXT_TAIL_BYTES);
	size_t first = len < MXT_TAIL_BYTES - at ? len : MXT_TAIL_BYTES - at;
	memcpy(tail->ring + at, bytes, first);
	memcpy(tail->ring, bytes + first, len - first);
	tail->total += len;
}

/* Copies what is kept in order; returns its length. */
static size_t unroll(const struct mxt_tail *tail, char out[MXT_TAIL_BYTES])
{
	if (tail->total <= MXT_TAIL_BYTES) {
		memcpy(out, tail->ring, (size_t)tail->total);
		return (size_t)tail->total;
	}
	size_t at = (size_t)(tail->total % MXT_TAIL_BYTES);
	memcpy(out, tail->ring + at, MXT_TAIL_BYTES - at);
	memcpy(out + MXT_TAIL_BYTES - at, tail->ring, at);
	return MXT_TAIL_BYTES;
}

void mxt_tail_text(const struct mxt_tail *tail, struct mxt_buf *buf)
{
	char text[MXT_TAIL_BYTES];
	mxt_clean_text(buf, text, unroll(tail, text));
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}

void mxt_tail_last_line(const struct mxt_tail *tail, struct mxt_buf *buf)
{
	char text[MXT_TAIL_BYTES];
	size_t end = unroll(tail, text);
	while (end > 0 && is_blank(text[end - 1]))
		end--;
	size_t start = end;
	while (start > 0 && text[start - 1] != '\n')
		start--;
	while (start < end && is_blank(text[start]))
		start++;
	size_t len = end - start;
	mxt_clean_text(buf, text + start, len < LINE_BYTES ? len : LINE_BYTES);
}
