/* SPDX-License-Identifier: Apache-2.0 */
#include "output_tee.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cleanup.h"
#include "error.h"
#include "output_sink.h"
#include "supervise.h"

#define PIECE_BYTES (256 << 10)
#define PIPE_BYTES  (1 << 20)
#define N_STREAMS   2

struct mxt_output_tee {
	int read_fds[N_STREAMS], write_fds[N_STREAMS];
	size_t left_bytes[N_STREAMS]; /* draining: as much as a pipe can hold; who still writes is none of ours */
	bool draining;
	struct mxt_output_sink sinks[N_STREAMS];
	int log_fd, log_errno;
	uint64_t log_bytes;
	const struct mxt_output_watch *watch; /* NULL: none, or it has had its say */
	char piece[PIECE_BYTES];
};

/* Only our end does not block: the command's is an ordinary pipe. */
static int open_pipe(struct mxt_output_tee *tee, int stream)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	tee->read_fds[stream] = ends[0];
	tee->write_fds[stream] = ends[1];
	(void)fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES); /* refused where the user has too many: then smaller */
	return fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

int mxt_output_tee_create(const int show_fds[2], int log_fd, const struct mxt_output_watch *watch,
			  struct mxt_output_tee **ret_tee, struct mxt_error *err)
{
	struct mxt_output_tee *tee = calloc(1, sizeof *tee);
	if (!tee)
		return mxt_error_oom(err);
	tee->log_fd = log_fd;
	tee->watch = watch;
	int rc = 0;
	for (int i = 0; i < N_STREAMS; i++)
		tee->read_fds[i] = tee->write_fds[i] = -1;
	for (int i = 0; i < N_STREAMS; i++) {
		mxt_output_sink_open(&tee->sinks[i], show_fds[i]);
		rc = rc == 0 ? open_pipe(tee, i) : rc;
	}
	if (rc < 0) {
		mxt_output_tee_destroy(tee);
		return mxt_error_errno(err, -rc, "cannot make a pipe for what the command writes");
	}
	*ret_tee = tee;
	return 0;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		(void)close(mxt_steal_fd(fd));
}

void mxt_output_tee_destroy(struct mxt_output_tee *tee)
{
	for (int i = 0; tee && i < N_STREAMS; i++) {
		close_end(&tee->read_fds[i]);
		close_end(&tee->write_fds[i]);
		mxt_output_sink_finish(&tee->sinks[i]);
	}
	free(tee);
}

const int *mxt_output_tee_write_ends(const struct mxt_output_tee *tee)
{
	return tee->write_fds;
}

void mxt_output_tee_started(struct mxt_output_tee *tee)
{
	for (int i = 0; i < N_STREAMS; i++)
		close_end(&tee->write_fds[i]);
}

void mxt_output_tee_poll(const struct mxt_output_tee *tee, struct pollfd fds[MXT_OUTPUT_TEE_FDS])
{
	for (int i = 0; i < N_STREAMS; i++) {
		const struct mxt_output_sink *sink = &tee->sinks[i];
		int read_fd = mxt_output_sink_has_room(sink, PIECE_BYTES) ? tee->read_fds[i] : -1;
		fds[i] = (struct pollfd){read_fd, POLLIN, 0};
		fds[N_STREAMS + i] = (struct pollfd){mxt_output_sink_poll_fd(sink), POLLOUT, 0};
	}
}

uint64_t mxt_output_tee_deadline_ns(const struct mxt_output_tee *tee)
{
	uint64_t first = 0;
	for (int i = 0; i < N_STREAMS; i++) {
		uint64_t deadline = mxt_output_sink_deadline_ns(&tee->sinks[i]);
		if (deadline != 0 && (first == 0 || deadline < first))
			first = deadline;
	}
	return first;
}

/* What does not fit ends the log: a gap in the middle would be worse. */
static void write_log(struct mxt_output_tee *tee, const char *bytes, size_t len)
{
	while (len > 0 && tee->log_fd >= 0) {
		ssize_t n = write(tee->log_fd, bytes, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			tee->log_errno = n < 0 ? errno : EIO;
			tee->log_fd = -1;
			return;
		}
		tee->log_bytes += (uint64_t)n;
		bytes += n;
		len -= (size_t)n;
	}
}

/* Moves one piece; returns its length, 0 when there is none. */
static size_t move(struct mxt_output_tee *tee, int stream, uint64_t now_ns, bool *ret_unwanted)
{
	ssize_t n = read(tee->read_fds[stream], tee->piece, sizeof tee->piece);
	if (n == 0)
		close_end(&tee->read_fds[stream]);
	if (n <= 0)
		return 0;
	write_log(tee, tee->piece, (size_t)n);
	mxt_output_sink_write(&tee->sinks[stream], tee->piece, (size_t)n, now_ns);
	if (tee->watch && !tee->watch->take(tee->watch->context, stream, tee->piece, (size_t)n)) {
		tee->watch = NULL;
		*ret_unwanted = true;
	}
	return (size_t)n;
}

bool mxt_output_tee_turn(struct mxt_output_tee *tee, const struct pollfd fds[MXT_OUTPUT_TEE_FDS], uint64_t now_ns)
{
	bool unwanted = false;
	for (int i = 0; i < N_STREAMS; i++) {
		mxt_output_sink_flush(&tee->sinks[i], now_ns);
		if (fds[i].fd >= 0 && fds[i].revents)
			(void)move(tee, i, now_ns, &unwanted);
	}
	return !unwanted;
}

static void start_draining(struct mxt_output_tee *tee)
{
	tee->draining = true;
	for (int i = 0; i < N_STREAMS; i++) {
		int capacity = tee->read_fds[i] < 0 ? 0 : fcntl(tee->read_fds[i], F_GETPIPE_SZ);
		tee->left_bytes[i] = capacity > 0 ? (size_t)capacity : 0;
	}
}

/* True once all of this stream was taken and shown. */
static bool drain_stream(struct mxt_output_tee *tee, int stream, uint64_t now_ns)
{
	struct mxt_output_sink *sink = &tee->sinks[stream];
	bool unwanted = false;
	mxt_output_sink_flush(sink, now_ns);
	while (tee->read_fds[stream] >= 0 && mxt_output_sink_has_room(sink, PIECE_BYTES)) {
		size_t n = move(tee, stream, now_ns, &unwanted);
		tee->left_bytes[stream] -= n < tee->left_bytes[stream] ? n : tee->left_bytes[stream];
		if (n == 0 || tee->left_bytes[stream] == 0)
			close_end(&tee->read_fds[stream]);
	}
	return tee->read_fds[stream] < 0 && (sink->len == 0 || sink->stalled);
}

bool mxt_output_tee_drain(struct mxt_output_tee *tee, uint64_t now_ns)
{
	if (!tee->draining)
		start_draining(tee);
	bool first = drain_stream(tee, 0, now_ns), second = drain_stream(tee, 1, now_ns);
	return first && second;
}

void mxt_output_tee_tally(const struct mxt_output_tee *tee, struct mxt_output_tally *ret_tally)
{
	*ret_tally = (struct mxt_output_tally){.log_errno = tee->log_errno, .log_bytes = tee->log_bytes};
	for (int i = 0; i < N_STREAMS; i++) {
		const struct mxt_output_sink *sink = &tee->sinks[i];
		int errnum = sink->errnum ? sink->errnum : sink->len > 0 ? EAGAIN : 0;
		ret_tally->lost_bytes += sink->lost_bytes + sink->len;
		if (!ret_tally->shown_errno)
			ret_tally->shown_errno = errnum;
	}
}
