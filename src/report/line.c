/* SPDX-License-Identifier: Apache-2.0 */
#include "line.h"

#include "display_text.h"

static void owe(struct mxt_line *line, size_t blanks)
{
	line->used += blanks;
	line->owed += blanks;
}

static void put_clean(struct mxt_line *line, enum mxt_paint paint, const char *text, size_t width)
{
	if (width == 0)
		return;
	mxt_display_pad(line->owed, line->buf);
	line->owed = 0;
	line->used += width;
	mxt_style_puts(line->style, paint, text, line->buf);
}

void mxt_line_field(struct mxt_line *line, size_t width, enum mxt_align align, enum mxt_paint paint, const char *text)
{
	MXT_CLEANUP_BUF struct mxt_buf clean = MXT_BUF_INIT, shown = MXT_BUF_INIT;
	size_t left = line->columns - line->used;
	width = width < left ? width : left;
	mxt_display_clean(text, line->style->utf8, &clean);
	mxt_display_cut(mxt_buf_text(&clean), width, line->style->utf8, &shown);
	line->buf->failed = line->buf->failed || clean.failed || shown.failed;
	size_t taken = mxt_display_width(mxt_buf_text(&shown));
	if (align == MXT_RIGHT)
		owe(line, width - taken);
	put_clean(line, paint, mxt_buf_text(&shown), taken);
	if (align == MXT_LEFT)
		owe(line, width - taken);
}

void mxt_line_put(struct mxt_line *line, enum mxt_paint paint, const char *text)
{
	MXT_CLEANUP_BUF struct mxt_buf clean = MXT_BUF_INIT;
	mxt_display_clean(text, line->style->utf8, &clean);
	line->buf->failed = line->buf->failed || clean.failed;
	mxt_line_field(line, mxt_display_width(mxt_buf_text(&clean)), MXT_LEFT, paint, mxt_buf_text(&clean));
}

void mxt_line_end(struct mxt_line *line)
{
	mxt_buf_putc(line->buf, '\n');
	line->used = 0;
	line->owed = 0;
}
