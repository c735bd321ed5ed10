/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream that nobody reads, on a clock that the test turns.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "cmocka_all.h"
#include "output_sink.h"

#define PIECE    (256 << 10)
#define START_NS MXT_NS_PER_S
#define STALL_NS (3 * MXT_NS_PER_S)

struct stream {
	int ends[2];
	struct mxt_output_sink sink;
	char *piece; /* owned */
	size_t written;
};

static void open_stream(struct stream *stream)
{
	assert_int_equal(pipe2(stream->ends, O_CLOEXEC), 0);
	mxt_output_sink_open(&stream->sink, stream->ends[1]);
	stream->piece = malloc(PIECE);
	assert_non_null(stream->piece);
	for (size_t i = 0; i < PIECE; i++)
		stream->piece[i] = (char)(i % 251);
	stream->written = 0;
}

static void close_stream(struct stream *stream)
{
	mxt_output_sink_finish(&stream->sink);
	free(stream->piece);
	(void)close(stream->ends[0]);
	(void)close(stream->ends[1]);
}

/* Writes for as long as there is room. */
static void fill(struct stream *stream, uint64_t now_ns)
{
	while (mxt_output_sink_has_room(&stream->sink, PIECE)) {
		mxt_output_sink_write(&stream->sink, stream->piece, PIECE, now_ns);
		stream->written += PIECE;
		assert_true(stream->written < 64u * PIECE); /* it does hold us up */
	}
}

/* Reads all that can be had, flushing between; returns how much, after looking at it. */
static size_t empty(struct stream *stream, uint64_t now_ns)
{
	static char buf[PIECE];
	size_t total = 0;
	assert_int_equal(fcntl(stream->ends[0], F_SETFL, O_NONBLOCK), 0);
	for (;;) {
		ssize_t n = read(stream->ends[0], buf, sizeof buf);
		if (n <= 0)
			return total;
		for (ssize_t i = 0; i < n; i++)
			assert_int_equal(buf[i], (char)((total + (size_t)i) % PIECE % 251));
		total += (size_t)n;
		mxt_output_sink_flush(&stream->sink, now_ns);
	}
}

static void test_a_slow_reader_gets_everything(void **state)
{
	(void)state;
	struct stream stream;
	open_stream(&stream);
	fill(&stream, START_NS);
	assert_int_equal(mxt_output_sink_deadline_ns(&stream.sink), START_NS + STALL_NS);
	assert_true(mxt_output_sink_poll_fd(&stream.sink) >= 0);
	mxt_output_sink_flush(&stream.sink, START_NS + STALL_NS - 1);
	assert_false(mxt_output_sink_has_room(&stream.sink, PIECE));
	assert_int_equal(empty(&stream, START_NS + STALL_NS - 1), stream.written);
	assert_true(mxt_output_sink_has_room(&stream.sink, PIECE));
	assert_int_equal(mxt_output_sink_poll_fd(&stream.sink), -1);
	assert_int_equal(stream.sink.errnum, 0);
	close_stream(&stream);
}

static void test_a_dead_reader_holds_nobody_up(void **state)
{
	(void)state;
	struct stream stream;
	open_stream(&stream);
	fill(&stream, START_NS);
	size_t kept = stream.written;
	mxt_output_sink_flush(&stream.sink, START_NS + STALL_NS);
	assert_true(mxt_output_sink_has_room(&stream.sink, PIECE));
	assert_int_equal(mxt_output_sink_deadline_ns(&stream.sink), 0);
	size_t free_bytes = (1u << 20) - stream.sink.len;
	for (int i = 0; i < 9; i++)
		mxt_output_sink_write(&stream.sink, stream.piece, PIECE, START_NS + STALL_NS);
	assert_int_equal(stream.sink.errnum, EAGAIN);
	assert_int_equal(stream.sink.lost_bytes, 9 * PIECE - free_bytes);
	assert_int_equal(empty(&stream, START_NS + STALL_NS),
			 kept + free_bytes); /* and once it reads again, it may lag */
	assert_false(stream.sink.stalled);
	fill(&stream, START_NS + STALL_NS);
	assert_false(mxt_output_sink_has_room(&stream.sink, PIECE));
	close_stream(&stream);
}

static void test_a_reader_that_has_gone(void **state)
{
	(void)state;
	struct stream stream;
	open_stream(&stream);
	fill(&stream, START_NS);
	uint64_t waiting = stream.sink.len;
	(void)close(stream.ends[0]);
	mxt_output_sink_flush(&stream.sink, START_NS);
	assert_int_equal(stream.sink.kind, MXT_OUTPUT_SINK_CLOSED);
	assert_int_equal(stream.sink.errnum, EPIPE);
	assert_int_equal(stream.sink.lost_bytes, waiting);
	mxt_output_sink_write(&stream.sink, "x", 1, START_NS);
	assert_int_equal(stream.sink.lost_bytes, waiting + 1);
	assert_true(mxt_output_sink_has_room(&stream.sink, PIECE));
	stream.ends[0] = -1;
	close_stream(&stream);
}

static void test_what_is_no_stream(void **state)
{
	(void)state;
	struct mxt_output_sink sink;
	MXT_CLEANUP_CLOSE int reading = open("/dev/null", O_RDONLY | O_CLOEXEC);
	const int fds[] = {-1, reading};
	for (size_t i = 0; i < MXT_ARRAY_LEN(fds); i++) {
		mxt_output_sink_open(&sink, fds[i]);
		assert_int_equal(sink.kind, MXT_OUTPUT_SINK_CLOSED);
		assert_int_equal(sink.errnum, EBADF);
		mxt_output_sink_write(&sink, "lost", 4, START_NS);
		assert_int_equal(sink.lost_bytes, 4);
		mxt_output_sink_finish(&sink);
	}
}

static void test_flags_of_the_caller_stay(void **state)
{
	(void)state;
	struct stream stream;
	open_stream(&stream);
	assert_int_equal(stream.sink.kind, MXT_OUTPUT_SINK_NONBLOCK);
	assert_int_equal(fcntl(stream.ends[1], F_GETFL) & O_NONBLOCK, 0);
	close_stream(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_slow_reader_gets_everything), cmocka_unit_test(test_a_dead_reader_holds_nobody_up),
	    cmocka_unit_test(test_a_reader_that_has_gone),        cmocka_unit_test(test_what_is_no_stream),
	    cmocka_unit_test(test_flags_of_the_caller_stay),
	};
	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
