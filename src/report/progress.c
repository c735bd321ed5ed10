/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include "figures.h"

#define PHASE_WIDTH 12
#define LEFT_WIDTH  15 /* "  3600.0 s left" */
#define MAX_BAR     60

static void put_pieces(struct mxt_line *line, enum mxt_paint paint, size_t count, const char *piece)
{
	MXT_CLEANUP_BUF struct mxt_buf bar = MXT_BUF_INIT;
	for (size_t i = 0; i < count; i++)
		mxt_buf_puts(&bar, piece);
	line->buf->failed = line->buf->failed || bar.failed;
	mxt_line_put(line, paint, mxt_buf_text(&bar));
}

void mxt_progress_bar(struct mxt_line *line, size_t width, uint64_t done, uint64_t total)
{
	bool utf8 = line->style->utf8;
	size_t filled = total == 0 || done >= total ? width : (size_t)((double)width * (double)done / (double)total);
	put_pieces(line, MXT_PAINT_GOOD, filled, utf8 ? "\xe2\x94\x81" : "=");
	put_pieces(line, MXT_PAINT_DIM, width - filled, utf8 ? "\xe2\x94\x80" : "-");
}

void mxt_progress_draw(const struct mxt_event_progress *progress, struct mxt_line *line)
{
	uint64_t budget = progress->budget_ns > 0 ? progress->budget_ns : 1;
	uint64_t elapsed = progress->elapsed_ns < budget ? progress->elapsed_ns : budget;
	size_t around = PHASE_WIDTH + LEFT_WIDTH + 1; /* the last column stays free: some terminals wrap there */
	size_t room = line->columns > around ? line->columns - around : 0;
	char left[MXT_FIGURE_SIZE];
	mxt_line_field(line, PHASE_WIDTH, MXT_LEFT, MXT_PAINT_NONE, progress->phase);
	mxt_progress_bar(line, room < MAX_BAR ? room : MAX_BAR, elapsed, budget);
	mxt_line_put(line, MXT_PAINT_NONE, "  ");
	mxt_line_put(line, MXT_PAINT_NONE, mxt_figure_seconds(left, budget - elapsed));
	mxt_line_put(line, MXT_PAINT_NONE, " left");
}
