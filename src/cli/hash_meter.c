/* SPDX-License-Identifier: Apache-2.0 */
#include "hash_meter.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "buf.h"
#include "error.h"
#include "exit_status.h"
#include "figures.h"
#include "interrupt.h"
#include "line.h"
#include "progress.h"

#define ERASE_LINE       "\r\033[K"
#define FIRST_AFTER_NS   (500 * MXT_NS_PER_MS) /* short work shows nothing */
#define DRAW_EVERY_NS    (100 * MXT_NS_PER_MS)
#define TELL_EVERY_NS    (10 * MXT_NS_PER_S) /* where lines stay */
#define RATE_EVERY_NS    MXT_NS_PER_S
#define BAR_WIDTH        20
#define MINUTES_FROM_S   100
#define BAR_FROM_COLUMNS 72 /* the figures matter more */

/* A number of things, or of bytes where the total of those is known. */
static void put_done(const struct mxt_hash_progress *progress, struct mxt_buf *text)
{
	char done[MXT_FIGURE_SIZE], total[MXT_FIGURE_SIZE];
	if (progress->bytes_total > 0)
		mxt_buf_printf(text, "%s of %s", mxt_figure_bytes(done, progress->bytes_done),
			       mxt_figure_bytes(total, progress->bytes_total));
	else
		mxt_buf_printf(text, "%zu of %zu files", progress->files_done, progress->files_total);
}

static void put_rate(const struct mxt_hash_meter *meter, const struct mxt_hash_progress *progress, struct mxt_buf *text)
{
	char figure[MXT_FIGURE_SIZE];
	if (meter->rate == 0 || progress->bytes_total <= progress->bytes_done)
		return;
	mxt_buf_printf(text, ", %s/s", mxt_figure_bytes(figure, meter->rate));
	uint64_t left_s = (progress->bytes_total - progress->bytes_done) / meter->rate;
	if (left_s < MINUTES_FROM_S)
		mxt_buf_printf(text, ", %" PRIu64 " s left", left_s);
	else
		mxt_buf_printf(text, ", %" PRIu64 " min left", (left_s + 30) / 60);
}

/* The rate of the last second or so, steadied by those before it. */
static void take_rate(struct mxt_hash_meter *meter, const struct mxt_hash_progress *progress, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns - meter->marked_ns;
	if (passed_ns < RATE_EVERY_NS && meter->rate > 0)
		return;
	uint64_t bytes = progress->bytes_done > meter->marked_bytes ? progress->bytes_done - meter->marked_bytes : 0;
	uint64_t rate = passed_ns > 0 ? (uint64_t)((double)bytes * 1e9 / (double)passed_ns) : 0;
	meter->rate = meter->rate > 0 ? (meter->rate + rate) / 2 : rate;
	meter->marked_ns = now_ns;
	meter->marked_bytes = progress->bytes_done;
}

static void draw(struct mxt_hash_meter *meter, const struct mxt_hash_progress *progress, struct mxt_buf *text)
{
	MXT_CLEANUP_BUF struct mxt_buf line_text = MXT_BUF_INIT;
	struct mxt_line line = MXT_LINE_INIT(&meter->style, &line_text, mxt_style_columns(&meter->style) - 1);
	bool by_bytes = progress->bytes_total > 0;
	mxt_line_put(&line, MXT_PAINT_NONE, "hashing  ");
	if (mxt_style_columns(&meter->style) >= BAR_FROM_COLUMNS) {
		mxt_progress_bar(&line, BAR_WIDTH, by_bytes ? progress->bytes_done : progress->files_done,
				 by_bytes ? progress->bytes_total : progress->files_total);
		mxt_line_put(&line, MXT_PAINT_NONE, "  ");
	}
	mxt_line_put(&line, MXT_PAINT_NONE, mxt_buf_text(text));
	mxt_line_put(&line, MXT_PAINT_NONE, "  ");
	mxt_line_put(&line, MXT_PAINT_DIM, progress->path);
	if (!line_text.failed)
		(void)fprintf(meter->out, "\r%s\033[K", mxt_buf_text(&line_text));
	meter->shown = true;
}

static void show(struct mxt_hash_meter *meter, const struct mxt_hash_progress *progress, uint64_t now_ns)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	take_rate(meter, progress, now_ns);
	put_done(progress, &text);
	put_rate(meter, progress, &text);
	meter->next_ns = now_ns + (meter->style.escapes ? DRAW_EVERY_NS : TELL_EVERY_NS);
	if (meter->style.escapes)
		draw(meter, progress, &text);
	else
		(void)fprintf(meter->out, "hashing: %s\n", mxt_buf_text(&text));
	(void)fflush(meter->out);
}

static bool is_stopped(struct mxt_hash_meter *meter)
{
	struct signalfd_siginfo info;
	if (meter->signal == 0 && read(meter->interrupt_fd, &info, sizeof info) == (ssize_t)sizeof info)
		meter->signal = (int)info.ssi_signo;
	return meter->signal != 0;
}

static bool look(void *context, const struct mxt_hash_progress *progress)
{
	struct mxt_hash_meter *meter = context;
	if (is_stopped(meter))
		return false;
	if (progress->files_total == 0) /* folders are listed: there is nothing to show */
		return true;
	uint64_t now_ns = mxt_now_ns(meter->clock);
	if (meter->start_ns == 0) {
		meter->start_ns = meter->marked_ns = now_ns;
		meter->marked_bytes = progress->bytes_done;
		meter->next_ns = now_ns + (meter->style.escapes ? FIRST_AFTER_NS : TELL_EVERY_NS);
	}
	if (meter->out && now_ns >= meter->next_ns)
		show(meter, progress, now_ns);
	return true;
}

int mxt_hash_meter_start(struct mxt_hash_meter *meter, const struct mxt_hash_meter_request *request,
			 struct mxt_error *err)
{
	*meter = (struct mxt_hash_meter){
	    .watch = {look, meter},
	    .out = request->out,
	    .clock = request->clock ? request->clock : &mxt_clock_monotonic,
	    .interrupt_fd = -1,
	};
	if (meter->out)
		meter->style = mxt_style_detect(fileno(meter->out), false, request->environment);
	(void)sigprocmask(SIG_BLOCK, NULL, &meter->mask);
	return mxt_interrupt_open(&meter->interrupt_fd, err);
}

/* A user may press the keys more than once. */
static void drop_signals(int fd)
{
	struct signalfd_siginfo info;
	while (read(fd, &info, sizeof info) > 0)
		;
}

int mxt_hash_meter_end(struct mxt_hash_meter *meter, int rc, struct mxt_error *err)
{
	if (meter->shown) {
		(void)fputs(ERASE_LINE, meter->out);
		(void)fflush(meter->out);
	}
	if (meter->signal != 0)
		drop_signals(meter->interrupt_fd);
	(void)close(meter->interrupt_fd);
	(void)sigprocmask(SIG_SETMASK, &meter->mask, NULL);
	if (rc != -ECANCELED || meter->signal == 0)
		return rc;
	return mxt_error_set(err, mxt_interrupt_status(meter->signal), MXT_E_INTERRUPTED,
			     "stopped by signal %d (%s) before all files were hashed", meter->signal,
			     strsignal(meter->signal));
}
