/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include "figures.h"

#define PHASE_WIDTH 12
#define LEFT_WIDTH  15 /* "  3600.0 s left" */
#define MAX_BAR     60

static void put_bar(struct mxt_line *line, enum mxt_paint paint, size_t count, const char *piece)
{
	MXT_CLEANUP_BUF struct mxt_buf bar = MXT_BUF_INIT;
	for (size_t i = 0; i < count; i++)
		mxt_buf_puts(&bar, piece);
	line->buf->failed = line->buf->failed || bar.failed;
	mxt_line_put(line, paint, mxt_buf_text(&bar));
}

void mxt_progress_draw(const struct mxt_event_progress *progress, struct mxt_line *line)
{
	bool utf8 = line->style->utf8;
	uint64_t budget = progress->budget_ns > 0 ? progress->budget_ns : 1;
	uint64_t elapsed = progress->elapsed_ns < budget ? progress->elapsed_ns : budget;
	size_t around = PHASE_WIDTH + LEFT_WIDTH + 1; /* the last column stays free: some terminals wrap there */
	size_t room = line->columns > around ? line->columns - around : 0;
	size_t bar = room < MAX_BAR ? room : MAX_BAR;
	size_t done = (size_t)((double)bar * (double)elapsed / (double)budget);
	char left[MXT_FIGURE_SIZE];
	mxt_line_field(line, PHASE_WIDTH, MXT_LEFT, MXT_PAINT_NONE, progress->phase);
	put_bar(line, MXT_PAINT_GOOD, done, utf8 ? "\xe2\x94\x81" : "=");
	put_bar(line, MXT_PAINT_DIM, bar - done, utf8 ? "\xe2\x94\x80" : "-");
	mxt_line_put(line, MXT_PAINT_NONE, "  ");
	mxt_line_put(line, MXT_PAINT_NONE, mxt_figure_seconds(left, budget - elapsed));
	mxt_line_put(line, MXT_PAINT_NONE, " left");
}
