/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One of our own output streams, as something that never blocks us: a terminal that is held, a pipe that nobody reads.
 * The descriptor is shared with other programs, so it is not made non-blocking itself; a pipe or terminal is opened
 * once more.
 */
#ifndef MXT_LAUNCH_OUTPUT_SINK_H
#define MXT_LAUNCH_OUTPUT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mxt_output_sink_kind {
	MXT_OUTPUT_SINK_CLOSED,   /* nobody reads it, or its disk is full: takes everything, shows nothing */
	MXT_OUTPUT_SINK_FILE,     /* a file or a device that does not make one wait */
	MXT_OUTPUT_SINK_NONBLOCK, /* opened once more */
	MXT_OUTPUT_SINK_SOCKET,
	MXT_OUTPUT_SINK_CAREFUL /* could not be opened once more (another user's terminal): small pieces, when poll()
				   says so */
};

struct mxt_output_sink {
	enum mxt_output_sink_kind kind;
	int fd;
	bool owns_fd;
	char *waiting; /* owned: bytes at [at, at + len) have not been taken yet */
	size_t at, len;
	uint64_t since_ns; /* since when it has taken nothing while something waited */
	bool stalled;      /* for so long that what does not fit is thrown away, until it takes something again */
	int errnum;        /* why not all was shown; 0: it was */
	uint64_t lost_bytes;
};

#define MXT_OUTPUT_SINK_INIT                                                                                           \
	{                                                                                                              \
		.kind = MXT_OUTPUT_SINK_CLOSED, .fd = -1                                                               \
	}

/* `fd` stays the caller's. Without memory it is one of the kind CLOSED, with ENOMEM. */
void mxt_output_sink_open(struct mxt_output_sink *sink, int fd);
void mxt_output_sink_finish(struct mxt_output_sink *sink);

/* Room for `len` more bytes, or stalled. False: who writes to us is to wait. */
bool mxt_output_sink_has_room(const struct mxt_output_sink *sink, size_t len);

/* Shows, keeps for later, or throws away. */
void mxt_output_sink_write(struct mxt_output_sink *sink, const char *bytes, size_t len, uint64_t now_ns);

/* Shows what waits, as far as it goes. To be called when poll() says so, and at the deadline. */
void mxt_output_sink_flush(struct mxt_output_sink *sink, uint64_t now_ns);

/* To be watched for POLLOUT; -1: nothing waits. */
int mxt_output_sink_poll_fd(const struct mxt_output_sink *sink);

/* When it becomes stalled unless something happens; 0: never. */
uint64_t mxt_output_sink_deadline_ns(const struct mxt_output_sink *sink);

#endif
