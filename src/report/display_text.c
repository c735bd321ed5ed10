/* SPDX-License-Identifier: Apache-2.0 */
#include "display_text.h"

#include <stdint.h>
#include <string.h>

#include "compiler.h"

/* One code point; length 0 at the end of the text, and a value of UINT32_MAX for a byte that is not UTF-8. */
struct point {
	uint32_t value;
	size_t len;
};

static struct point point_at(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	if (p[0] < 0x80)
		return (struct point){p[0], p[0] ? 1 : 0};
	size_t len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	uint32_t value = p[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return (struct point){UINT32_MAX, 1};
		value = value << 6 | (p[i] & 0x3fu);
	}
	bool valid = p[0] >= 0xc2 && p[0] <= 0xf4 && value >= smallest[len] && value <= 0x10ffff &&
		     (value < 0xd800 || value > 0xdfff);
	return valid ? (struct point){value, len} : (struct point){UINT32_MAX, 1};
}

struct range {
	uint32_t first, last;
	unsigned width;
};

/* Blocks whose characters do not take one column, roughly: exact widths differ between terminals anyway. */
static const struct range ranges[] = {
    {0x0300, 0x036f, 0}, {0x1100, 0x115f, 2},   {0x200b, 0x200f, 0},   {0x20d0, 0x20ff, 0}, {0x2e80, 0xa4cf, 2},
    {0xac00, 0xd7a3, 2}, {0xf900, 0xfaff, 2},   {0xfe00, 0xfe0f, 0},   {0xfe30, 0xfe6f, 2}, {0xff00, 0xff60, 2},
    {0xffe0, 0xffe6, 2}, {0x1f300, 0x1faff, 2}, {0x20000, 0x3fffd, 2},
};

static size_t width_of(uint32_t value)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(ranges); i++)
		if (value >= ranges[i].first && value <= ranges[i].last)
			return ranges[i].width;
	return 1;
}

/* C0, DEL, C1, the line separators, and the marks that turn the direction of what follows. */
static bool is_control(uint32_t value)
{
	return value < 0x20 || (value >= 0x7f && value < 0xa0) || value == 0x2028 || value == 0x2029 ||
	       (value >= 0x202a && value <= 0x202e) || (value >= 0x2066 && value <= 0x2069) || value == 0xfeff;
}

void mxt_display_clean(const char *text, bool utf8, struct mxt_buf *buf)
{
	struct point point;
	for (; (point = point_at(text)).len > 0; text += point.len) {
		bool broken = point.value == UINT32_MAX || is_control(point.value);
		if (broken || (!utf8 && point.value >= 0x80))
			mxt_buf_puts(buf, utf8 ? "\xef\xbf\xbd" : "?");
		else
			mxt_buf_append(buf, text, point.len);
	}
}

size_t mxt_display_width(const char *text)
{
	size_t width = 0;
	struct point point;
	for (; (point = point_at(text)).len > 0; text += point.len)
		width += width_of(point.value);
	return width;
}

/* The bytes of the longest beginning that fits into `columns`. */
static size_t fitting(const char *text, size_t columns)
{
	const char *at = text;
	size_t width = 0;
	struct point point;
	for (; (point = point_at(at)).len > 0; at += point.len) {
		width += width_of(point.value);
		if (width > columns)
			break;
	}
	return (size_t)(at - text);
}

void mxt_display_cut(const char *text, size_t columns, bool utf8, struct mxt_buf *buf)
{
	if (mxt_display_width(text) <= columns) {
		mxt_buf_puts(buf, text);
		return;
	}
	const char *ellipsis = utf8 ? "\xe2\x80\xa6" : "...";
	size_t taken = utf8 ? 1 : 3;
	if (columns < taken) {
		mxt_buf_append(buf, text, fitting(text, columns));
		return;
	}
	mxt_buf_append(buf, text, fitting(text, columns - taken));
	mxt_buf_puts(buf, ellipsis);
}

void mxt_display_wrap(const char *text, size_t columns, size_t used, size_t indent, bool utf8, struct mxt_buf *buf)
{
	size_t at = used, room = columns > indent ? columns - indent : 1;
	bool fresh = true; /* nothing on this line yet but what was there before */
	while (*(text += strspn(text, " ")) != '\0') {
		MXT_CLEANUP_BUF struct mxt_buf word = MXT_BUF_INIT;
		size_t len = strcspn(text, " ");
		mxt_buf_append(&word, text, len);
		buf->failed = buf->failed || word.failed;
		size_t width = mxt_display_width(mxt_buf_text(&word));
		if (at + (fresh ? 0 : 1) + width > columns && (!fresh || at > indent)) {
			mxt_buf_putc(buf, '\n');
			mxt_display_pad(indent, buf);
			at = indent;
			fresh = true;
		}
		if (!fresh)
			mxt_buf_putc(buf, ' ');
		mxt_display_cut(mxt_buf_text(&word), room, utf8, buf);
		at += (fresh ? 0 : 1) + (width < room ? width : room);
		fresh = false;
		text += len;
	}
}

void mxt_display_pad(size_t count, struct mxt_buf *buf)
{
	while (count-- > 0)
		mxt_buf_putc(buf, ' ');
}
