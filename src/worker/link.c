/* SPDX-License-Identifier: Apache-2.0 */
#include "link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "channel.h"
#include "cleanup.h"
#include "error.h"
#include "spawn.h"
#include "worker_command.h"

#define PIPE_BYTES (1 << 20) /* room for a worker that prints while another one has the turn */
#define POLL_MS    100       /* the clock is looked at this often while nothing happens: it may not be the real one */

/* ---- start ---- */

/* The descriptors of a start; all close-on-exec, closed on every path unless stolen. */
struct ends {
	int socket_pair[2];
	int pipe[2];
	int null;
};

#define ENDS_INIT                                                                                                      \
	{                                                                                                              \
		{-1, -1}, {-1, -1}, -1                                                                                 \
	}

static void ends_finish(struct ends *ends)
{
	const int fds[] = {ends->socket_pair[0], ends->socket_pair[1], ends->pipe[0], ends->pipe[1], ends->null};
	for (size_t i = 0; i < MXT_ARRAY_LEN(fds); i++)
		if (fds[i] >= 0)
			(void)close(fds[i]);
}

static int ends_open(struct ends *ends, struct mxt_error *err)
{
	int rc = mxt_channel_pair(ends->socket_pair, err);
	if (rc < 0)
		return rc;
	if (pipe2(ends->pipe, O_CLOEXEC) < 0)
		return mxt_error_errno(err, errno, "cannot create a pipe for a worker");
	(void)fcntl(ends->pipe[1], F_SETPIPE_SZ, PIPE_BYTES); /* when refused, the default size has to do */
	if (fcntl(ends->pipe[0], F_SETFL, O_NONBLOCK) < 0)
		return mxt_error_errno(err, errno, "cannot set up a pipe for a worker");
	ends->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return ends->null < 0 ? mxt_error_errno(err, errno, "cannot open /dev/null") : 0;
}

static int spawn_worker(const struct mxt_worker_spec *spec, const struct ends *ends, pid_t *ret_pid,
			struct mxt_error *err)
{
	MXT_CLEANUP(mxt_worker_command_finish) struct mxt_worker_command command;
	int rc = mxt_worker_command_init(&command, spec, err);
	if (rc < 0)
		return rc;
	/* execve() wants char *, and changes nothing. */
	const struct mxt_spawn spawn = {.program = command.program,
					.argv = (char *const *)command.argv,
					.environment = spec->environment,
					.fds = {ends->null, ends->pipe[1], ends->pipe[1], ends->socket_pair[1]}};
	return mxt_spawn(&spawn, ret_pid, err);
}

int mxt_link_init(struct mxt_link *link, const struct mxt_worker_spec *spec, struct mxt_error *err)
{
	MXT_CLEANUP(ends_finish) struct ends ends = ENDS_INIT;
	int rc = ends_open(&ends, err);
	if (rc < 0)
		return rc;
	pid_t pid = -1;
	rc = spawn_worker(spec, &ends, &pid, err);
	if (rc < 0)
		return rc;
	link->clock = *spec->clock;
	link->cancel_fd = spec->cancel_fd;
	link->tail.total = 0;
	link->socket_fd = mxt_steal_fd(&ends.socket_pair[0]);
	link->output_fd = mxt_steal_fd(&ends.pipe[0]);
	mxt_process_init(&link->process, pid);
	return 0;
}

static void close_output(struct mxt_link *link)
{
	if (link->output_fd >= 0)
		(void)close(link->output_fd);
	link->output_fd = -1;
}

void mxt_link_finish(struct mxt_link *link)
{
	(void)close(link->socket_fd);
	close_output(link);
	mxt_process_finish(&link->process);
}

/* ---- talking ---- */

void mxt_link_drain(struct mxt_link *link)
{
	char chunk[16384];
	for (size_t taken = 0; link->output_fd >= 0 && taken < PIPE_BYTES;) {
		ssize_t got = read(link->output_fd, chunk, sizeof chunk);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return;
		if (got == 0)
			close_output(link);
		mxt_tail_add(&link->tail, chunk, (size_t)got);
		taken += (size_t)got;
	}
}

int mxt_link_send(struct mxt_link *link, const struct mxt_message *message)
{
	int rc = mxt_message_encode(message, &link->packet);
	return rc < 0 ? rc : mxt_channel_send(link->socket_fd, &link->packet, MSG_DONTWAIT);
}

static bool is_cancelled(const struct mxt_link *link)
{
	struct pollfd cancel = {link->cancel_fd, POLLIN, 0};
	return link->cancel_fd >= 0 && poll(&cancel, 1, 0) > 0;
}

static int wait_for_change(const struct mxt_link *link, uint64_t left_ns)
{
	struct pollfd fds[] = {{link->socket_fd, POLLIN, 0},
			       {link->output_fd, POLLIN, 0},
			       {link->process.pidfd, POLLIN, 0},
			       {link->cancel_fd, POLLIN, 0}};
	uint64_t left_ms = left_ns / MXT_NS_PER_MS + 1;
	int rc = poll(fds, MXT_ARRAY_LEN(fds), left_ms < POLL_MS ? (int)left_ms : POLL_MS);
	return rc < 0 && errno != EINTR ? -errno : 0;
}

/* -EAGAIN while the process lives and nothing is there. */
static int receive(struct mxt_link *link)
{
	int rc = mxt_channel_receive(link->socket_fd, &link->packet, MSG_DONTWAIT);
	if (rc != -EAGAIN || !mxt_process_ended(&link->process, 0))
		return rc;
	/* Between the two calls it may have answered and left. */
	rc = mxt_channel_receive(link->socket_fd, &link->packet, MSG_DONTWAIT);
	return rc == -EAGAIN ? -ECONNRESET : rc;
}

/* What has happened by now; false: nothing. */
static bool look(struct mxt_link *link, enum mxt_link_event *ret_event, const char **ret_fault)
{
	int rc = receive(link);
	if (rc == -EAGAIN)
		return false;
	*ret_event = MXT_LINK_GARBAGE;
	if (rc == -EMSGSIZE)
		*ret_fault = "a message larger than 64 KiB";
	else if (rc == -EPROTO)
		*ret_fault = "descriptors";
	else if (rc < 0 || link->packet.len == 0)
		*ret_event = MXT_LINK_CLOSED;
	else if (mxt_message_decode(MXT_FROM_WORKER, &link->packet, &link->message, ret_fault) == 0)
		*ret_event = MXT_LINK_MESSAGE;
	return true;
}

int mxt_link_await(struct mxt_link *link, uint64_t deadline_ns, enum mxt_link_event *ret_event, const char **ret_fault,
		   struct mxt_error *err)
{
	for (;;) {
		mxt_link_drain(link);
		if (look(link, ret_event, ret_fault))
			return 0;
		if (is_cancelled(link))
			return mxt_error_set(err, -ECANCELED, MXT_E_CANCELLED,
					     "told to stop while a worker was at work");
		uint64_t now = mxt_now_ns(&link->clock);
		if (now >= deadline_ns) {
			*ret_event = MXT_LINK_LATE;
			return 0;
		}
		int rc = wait_for_change(link, deadline_ns - now);
		if (rc < 0)
			return mxt_error_errno(err, -rc, "cannot wait for a worker");
	}
}
