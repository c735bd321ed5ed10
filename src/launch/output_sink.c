/* SPDX-License-Identifier: Apache-2.0 */
#include "output_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"

#define CAPACITY   (1 << 20)
#define STALL_NS   (3 * MXT_NS_PER_S)
#define PIPE_BYTES (1 << 20)

/* A description of our own, whose flags nobody shares. */
static int open_again(int fd)
{
	char path[40];
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static void classify(struct mxt_output_sink *sink, int fd)
{
	struct stat info;
	int flags = fcntl(fd, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(fd, &info) < 0) {
		sink->errnum = EBADF;
		return;
	}
	sink->fd = fd;
	bool is_pipe = S_ISFIFO(info.st_mode);
	int again = is_pipe || isatty(fd) ? open_again(fd) : -1;
	if (again >= 0) {
		sink->kind = MXT_OUTPUT_SINK_NONBLOCK;
		sink->fd = again;
		sink->owns_fd = true;
		if (is_pipe)
			(void)fcntl(again, F_SETPIPE_SZ, PIPE_BYTES); /* refused where the user has too many */
	} else if (S_ISSOCK(info.st_mode)) {
		sink->kind = MXT_OUTPUT_SINK_SOCKET;
	} else {
		sink->kind = is_pipe || isatty(fd) ? MXT_OUTPUT_SINK_CAREFUL : MXT_OUTPUT_SINK_FILE;
	}
}

void mxt_output_sink_open(struct mxt_output_sink *sink, int fd)
{
	*sink = (struct mxt_output_sink)MXT_OUTPUT_SINK_INIT;
	sink->waiting = malloc(CAPACITY);
	if (sink->waiting)
		classify(sink, fd);
	else
		sink->errnum = ENOMEM;
}

void mxt_output_sink_finish(struct mxt_output_sink *sink)
{
	free(sink->waiting);
	if (sink->owns_fd)
		(void)close(sink->fd);
	*sink = (struct mxt_output_sink)MXT_OUTPUT_SINK_INIT;
}

static void lose(struct mxt_output_sink *sink, size_t len, int errnum)
{
	sink->lost_bytes += len;
	if (len > 0 && !sink->errnum)
		sink->errnum = errnum;
}

static void shut(struct mxt_output_sink *sink, int errnum)
{
	if (!sink->errnum)
		sink->errnum = errnum;
	lose(sink, sink->len, errnum);
	sink->len = 0;
	sink->stalled = false;
	sink->kind = MXT_OUTPUT_SINK_CLOSED;
}

/* As write(): EAGAIN where one would have to wait. */
static ssize_t write_careful(int fd, const char *bytes, size_t len)
{
	struct pollfd ready = {fd, POLLOUT, 0};
	if (poll(&ready, 1, 0) == 1)
		return write(fd, bytes, len < PIPE_BUF ? len : PIPE_BUF);
	errno = EAGAIN;
	return -1;
}

static ssize_t write_some(const struct mxt_output_sink *sink, const char *bytes, size_t len)
{
	switch (sink->kind) {
	case MXT_OUTPUT_SINK_SOCKET:
		return send(sink->fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	case MXT_OUTPUT_SINK_CAREFUL:
		return write_careful(sink->fd, bytes, len);
	default:
		return write(sink->fd, bytes, len);
	}
}

/* How many were taken. */
static size_t show(struct mxt_output_sink *sink, const char *bytes, size_t len, uint64_t now_ns)
{
	size_t done = 0;
	while (done < len && sink->kind != MXT_OUTPUT_SINK_CLOSED) {
		ssize_t n = write_some(sink, bytes + done, len - done);
		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno == EAGAIN)
			break;
		else if (n == 0 || errno != EINTR)
			shut(sink, n == 0 ? EIO : errno);
	}
	if (done > 0) {
		sink->since_ns = now_ns;
		sink->stalled = false;
	}
	return done;
}

bool mxt_output_sink_has_room(const struct mxt_output_sink *sink, size_t len)
{
	return sink->kind == MXT_OUTPUT_SINK_CLOSED || sink->stalled || CAPACITY - sink->len >= len;
}

static void keep(struct mxt_output_sink *sink, const char *bytes, size_t len, uint64_t now_ns)
{
	size_t room = CAPACITY - sink->len, kept = len < room ? len : room;
	if (sink->len == 0)
		sink->since_ns = now_ns;
	if (sink->at > 0)
		memmove(sink->waiting, sink->waiting + sink->at, sink->len);
	memcpy(sink->waiting + sink->len, bytes, kept);
	sink->at = 0;
	sink->len += kept;
	lose(sink, len - kept, EAGAIN);
}

void mxt_output_sink_write(struct mxt_output_sink *sink, const char *bytes, size_t len, uint64_t now_ns)
{
	mxt_output_sink_flush(sink, now_ns);
	size_t done = sink->len == 0 ? show(sink, bytes, len, now_ns) : 0;
	if (sink->kind == MXT_OUTPUT_SINK_CLOSED)
		lose(sink, len - done, sink->errnum);
	else if (done < len)
		keep(sink, bytes + done, len - done, now_ns);
}

void mxt_output_sink_flush(struct mxt_output_sink *sink, uint64_t now_ns)
{
	if (sink->len == 0)
		return;
	size_t done = show(sink, sink->waiting + sink->at, sink->len, now_ns);
	if (sink->kind == MXT_OUTPUT_SINK_CLOSED)
		return;
	sink->at += done;
	sink->len -= done;
	if (sink->len > 0 && now_ns - sink->since_ns >= STALL_NS)
		sink->stalled = true;
}

int mxt_output_sink_poll_fd(const struct mxt_output_sink *sink)
{
	return sink->len > 0 ? sink->fd : -1;
}

uint64_t mxt_output_sink_deadline_ns(const struct mxt_output_sink *sink)
{
	return sink->len > 0 && !sink->stalled ? sink->since_ns + STALL_NS : 0;
}
