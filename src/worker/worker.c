/* SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "channel.h"
#include "clean_text.h"
#include "cleanup.h"
#include "clock.h"
#include "error.h"
#include "json.h"
#include "process.h"
#include "protocol.h"
#include "spawn.h"
#include "tail.h"

#define PIPE_BYTES   (1 << 20)             /* room for a worker that prints while another one has the turn */
#define POLL_MS      100                   /* the injected clock is looked at this often while nothing happens */
#define QUIT_NS      (300 * MXT_NS_PER_MS) /* to leave after QUIT */
#define EXIT_WAIT_NS (300 * MXT_NS_PER_MS) /* to end after the socket is closed */

struct mxt_worker {
	char *label;
	struct mxt_clock clock;
	int cancel_fd;
	int socket_fd;
	int output_fd; /* read end of the pipe that is its stdout and stderr; -1 once everybody closed it */
	struct mxt_process process;
	struct mxt_tail tail;
	uint64_t since_ns; /* when the current request, or the start, began */
	uint32_t request;  /* number of the last request */
	bool asked;        /* it was not answered yet */
	bool ready, dead, paused;
	enum mxt_outcome outcome; /* of the last thing asked */
	struct mxt_buf reason;
	struct mxt_buf facts_text; /* parts so far */
	size_t facts_bytes;        /* as announced; 0: not yet */
	json_t *facts;
	struct mxt_message message; /* last received */
	unsigned char packet[MXT_MESSAGE_MAX_BYTES];
};

/* ---- output ---- */

/* Takes in what is there, but no more than the pipe holds, so that a flood cannot keep us here. */
static void drain_output(struct mxt_worker *worker)
{
	char chunk[16384];
	for (size_t taken = 0; worker->output_fd >= 0 && taken < PIPE_BYTES;) {
		ssize_t got = read(worker->output_fd, chunk, sizeof chunk);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return;
		if (got == 0) {
			(void)close(worker->output_fd);
			worker->output_fd = -1;
			return;
		}
		mxt_tail_add(&worker->tail, chunk, (size_t)got);
		taken += (size_t)got;
	}
}

/* ---- how it ends ---- */

static const char *moment(const struct mxt_worker *worker)
{
	return worker->ready ? "before it answered" : "before it was ready";
}

static void append_last_line(struct mxt_worker *worker)
{
	struct mxt_buf line = MXT_BUF_INIT;
	mxt_tail_last_line(&worker->tail, &line);
	if (line.len > 0)
		mxt_buf_printf(&worker->reason, ": %s", mxt_buf_text(&line));
	mxt_buf_finish(&line);
}

/* The worker is over: the reason is what is in worker->reason. */
static void bury(struct mxt_worker *worker, enum mxt_outcome outcome)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_process_end(&worker->process, &err) < 0)
		mxt_buf_printf(&worker->reason, "; %s", mxt_error_text(&err));
	drain_output(worker);
	worker->outcome = outcome;
	worker->dead = true;
	worker->asked = false;
}

static void MXT_PRINTF(3, 4) fail(struct mxt_worker *worker, enum mxt_outcome outcome, const char *fmt, ...)
{
	char text[512];
	va_list args;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	mxt_buf_truncate(&worker->reason, 0);
	mxt_buf_puts(&worker->reason, text);
	bury(worker, outcome);
}

/* Its end of the socket is closed. */
static void fail_gone(struct mxt_worker *worker)
{
	if (!mxt_process_ended(&worker->process, EXIT_WAIT_NS)) {
		fail(worker, MXT_FAILED, "closed its socket %s", moment(worker));
		return;
	}
	drain_output(worker);
	mxt_buf_truncate(&worker->reason, 0);
	mxt_process_describe_end(&worker->process, &worker->reason);
	mxt_buf_printf(&worker->reason, " %s", moment(worker));
	append_last_line(worker);
	bury(worker, MXT_FAILED);
}

static void fail_late(struct mxt_worker *worker, uint64_t deadline_ns)
{
	uint64_t waited_ms = deadline_ns > worker->since_ns ? (deadline_ns - worker->since_ns) / MXT_NS_PER_MS : 0;
	char state = mxt_process_state(&worker->process);
	const char *why = state == 'T'   ? " (something stopped the process)"
			  : state == 'D' ? " (it waits inside the kernel)"
					 : "";
	fail(worker, MXT_TIMEOUT, "%s within %u.%u s%s", worker->ready ? "no answer" : "not ready",
	     (unsigned)(waited_ms / 1000), (unsigned)(waited_ms / 100 % 10), why);
}

/* ---- waiting ---- */

static bool is_cancelled(const struct mxt_worker *worker)
{
	struct pollfd cancel = {worker->cancel_fd, POLLIN, 0};
	return worker->cancel_fd >= 0 && poll(&cancel, 1, 0) > 0;
}

static int wait_for_event(struct mxt_worker *worker, uint64_t left_ns)
{
	struct pollfd fds[] = {{worker->socket_fd, POLLIN, 0},
			       {worker->output_fd, POLLIN, 0},
			       {worker->process.pidfd, POLLIN, 0},
			       {worker->cancel_fd, POLLIN, 0}};
	uint64_t left_ms = left_ns / MXT_NS_PER_MS + 1;
	int rc = poll(fds, MXT_ARRAY_LEN(fds), left_ms < POLL_MS ? (int)left_ms : POLL_MS);
	return rc < 0 && errno != EINTR ? -errno : 0;
}

static const char *receive_fault(int rc)
{
	return rc == -EMSGSIZE ? "a message larger than 64 KiB" : rc == -EPROTO ? "descriptors" : NULL;
}

/* Looks for a packet: true when worker->message holds one or the worker died of what it sent. */
static bool try_receive(struct mxt_worker *worker)
{
	size_t len = 0;
	const char *fault = NULL;
	int rc = mxt_channel_receive(worker->socket_fd, worker->packet, MSG_DONTWAIT, &len);
	if (rc == -EAGAIN) {
		if (!mxt_process_ended(&worker->process, 0))
			return false;
		/* Between the two calls it may have answered and left. */
		rc = mxt_channel_receive(worker->socket_fd, worker->packet, MSG_DONTWAIT, &len);
	}
	if (receive_fault(rc))
		fail(worker, MXT_FAILED, "sent garbage (%s)", receive_fault(rc));
	else if (rc < 0 || len == 0)
		fail_gone(worker);
	else if (mxt_message_decode(MXT_FROM_WORKER, worker->packet, len, &worker->message, &fault) < 0)
		fail(worker, MXT_FAILED, "sent garbage (%s)", fault);
	return true;
}

/* Waits for the next packet: 0 with worker->message, or with worker->dead. */
static int await_message(struct mxt_worker *worker, uint64_t deadline_ns, struct mxt_error *err)
{
	for (;;) {
		drain_output(worker);
		if (try_receive(worker))
			return 0;
		if (is_cancelled(worker))
			return mxt_error_set(err, -ECANCELED, MXT_E_CANCELLED,
					     "told to stop while worker '%s' was at work", worker->label);
		uint64_t now = mxt_now_ns(&worker->clock);
		if (now >= deadline_ns) {
			fail_late(worker, deadline_ns);
			return 0;
		}
		int rc = wait_for_event(worker, deadline_ns - now);
		if (rc < 0)
			return mxt_error_errno(err, -rc, "cannot wait for worker '%s'", worker->label);
	}
}

/* ---- start ---- */

/* The descriptors of a start; all close-on-exec, closed on every path. */
struct start {
	int socket_pair[2];
	int pipe[2];
	int null_fd;
};

#define START_INIT                                                                                                     \
	{                                                                                                              \
		{-1, -1}, {-1, -1}, -1                                                                                 \
	}

static void start_finish(struct start *start)
{
	const int fds[] = {start->socket_pair[0], start->socket_pair[1], start->pipe[0], start->pipe[1],
			   start->null_fd};
	for (size_t i = 0; i < MXT_ARRAY_LEN(fds); i++)
		if (fds[i] >= 0)
			(void)close(fds[i]);
}

static int open_descriptors(struct start *start, struct mxt_error *err)
{
	int rc = mxt_channel_pair(start->socket_pair, err);
	if (rc < 0)
		return rc;
	if (pipe2(start->pipe, O_CLOEXEC) < 0)
		return mxt_error_errno(err, errno, "cannot create a pipe for a worker");
	(void)fcntl(start->pipe[1], F_SETPIPE_SZ, PIPE_BYTES); /* refused: the default size has to do */
	if (fcntl(start->pipe[0], F_SETFL, O_NONBLOCK) < 0)
		return mxt_error_errno(err, errno, "cannot set up a pipe for a worker");
	start->null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return start->null_fd < 0 ? mxt_error_errno(err, errno, "cannot open /dev/null") : 0;
}

static struct mxt_worker *worker_alloc(const struct mxt_worker_spec *spec)
{
	struct mxt_worker *worker = calloc(1, sizeof *worker);
	char *label = strdup(spec->label);
	if (!worker || !label) {
		free(worker);
		free(label);
		return NULL;
	}
	worker->label = label;
	worker->clock = *spec->clock;
	worker->cancel_fd = spec->cancel_fd;
	worker->socket_fd = worker->output_fd = -1;
	worker->process = (struct mxt_process)MXT_PROCESS_INIT;
	worker->since_ns = mxt_now_ns(&worker->clock);
	return worker;
}

static void worker_free(struct mxt_worker *worker)
{
	if (worker->socket_fd >= 0)
		(void)close(worker->socket_fd);
	if (worker->output_fd >= 0)
		(void)close(worker->output_fd);
	mxt_process_finish(&worker->process);
	mxt_buf_finish(&worker->reason);
	mxt_buf_finish(&worker->facts_text);
	json_decref(worker->facts);
	free(worker->label);
	free(worker);
}

static int spawn_worker(const struct mxt_worker_spec *spec, const struct start *start, pid_t *ret_pid,
			struct mxt_error *err)
{
	char ordinal[16];
	(void)snprintf(ordinal, sizeof ordinal, "%u", spec->ordinal);
	/* execve() takes them as char *, but changes nothing. */
	char *argv[] = {(char *)"mindxtrain", (char *)"worker",    (char *)"--device",
			(char *)spec->device, (char *)"--ordinal", ordinal,
			(char *)"--label",    (char *)spec->label, NULL};
	const struct mxt_spawn spawn = {spec->program ? spec->program : "/proc/self/exe",
					argv,
					spec->environment,
					start->socket_pair[1],
					start->pipe[1],
					start->null_fd};
	return mxt_spawn(&spawn, ret_pid, err);
}

int mxt_worker_start(const struct mxt_worker_spec *spec, struct mxt_worker **ret_worker, struct mxt_error *err)
{
	MXT_CLEANUP(start_finish) struct start start = START_INIT;
	int rc = open_descriptors(&start, err);
	if (rc < 0)
		return rc;
	struct mxt_worker *worker = worker_alloc(spec);
	if (!worker)
		return mxt_error_oom(err);
	pid_t pid = -1;
	rc = spawn_worker(spec, &start, &pid, err);
	if (rc < 0) {
		worker_free(worker);
		return rc;
	}
	mxt_process_init(&worker->process, pid);
	worker->socket_fd = mxt_steal_fd(&start.socket_pair[0]);
	worker->output_fd = mxt_steal_fd(&start.pipe[0]);
	*ret_worker = worker;
	return 0;
}

/* ---- ready ---- */

static int parse_facts(struct mxt_worker *worker, struct mxt_error *err)
{
	MXT_CLEANUP_ERROR struct mxt_error fault = MXT_ERROR_INIT;
	int rc = mxt_json_parse("facts", mxt_buf_text(&worker->facts_text), worker->facts_text.len, MXT_JSON_CANONICAL,
				&worker->facts, &fault);
	mxt_buf_finish(&worker->facts_text);
	worker->ready = rc == 0;
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	if (rc < 0)
		fail(worker, MXT_FAILED, "sent garbage (%s)", mxt_error_text(&fault));
	return 0;
}

static void take_hello(struct mxt_worker *worker)
{
	const struct mxt_message *message = &worker->message;
	if (message->type == MXT_MESSAGE_HELLO && worker->facts_bytes == 0) {
		worker->facts_bytes = message->as.hello.facts_bytes;
	} else if (message->type == MXT_MESSAGE_FACTS &&
		   message->as.facts.len <= worker->facts_bytes - worker->facts_text.len) {
		mxt_buf_append(&worker->facts_text, message->as.facts.data, message->as.facts.len);
	} else {
		fail(worker, MXT_FAILED, "sent garbage (an answer that nobody asked for)");
	}
}

static void take_refusal(struct mxt_worker *worker)
{
	const struct mxt_message_bytes *text = &worker->message.as.refused.text;
	worker->outcome = worker->message.as.refused.outcome;
	mxt_buf_truncate(&worker->reason, 0);
	mxt_clean_text(&worker->reason, (const char *)text->data, text->len);
	worker->asked = false;
	if (worker->outcome != MXT_UNSUPPORTED || !worker->ready)
		bury(worker, worker->outcome);
}

int mxt_worker_ready(struct mxt_worker *worker, uint64_t deadline_ns, enum mxt_outcome *ret_outcome,
		     struct mxt_error *err)
{
	mxt_worker_resume(worker);
	while (!worker->ready && !worker->dead) {
		int rc = await_message(worker, deadline_ns, err);
		if (rc < 0)
			return rc;
		if (worker->dead)
			break;
		if (worker->message.type == MXT_MESSAGE_REFUSED)
			take_refusal(worker);
		else
			take_hello(worker);
		rc = mxt_buf_status(&worker->facts_text, err);
		if (rc == 0 && !worker->dead && worker->facts_bytes > 0 &&
		    worker->facts_text.len == worker->facts_bytes)
			rc = parse_facts(worker, err);
		if (rc < 0)
			return rc;
	}
	*ret_outcome = worker->dead ? worker->outcome : MXT_OK;
	return 0;
}

/* ---- requests ---- */

static void take_answer(struct mxt_worker *worker, enum mxt_message_type expected)
{
	worker->asked = false;
	if (worker->message.request != worker->request)
		fail(worker, MXT_FAILED, "answered another request than the one that it was asked");
	else if (worker->message.type == MXT_MESSAGE_REFUSED)
		take_refusal(worker);
	else if (worker->message.type != expected)
		fail(worker, MXT_FAILED, "answered with another kind of message than it was asked for");
	else
		worker->outcome = MXT_OK;
}

/*
 * Sends *request and takes the answer: 0 with worker->outcome set, and on MXT_OK worker->message. The socket has room:
 * at most one request is on its way.
 */
static int ask(struct mxt_worker *worker, struct mxt_message *request, enum mxt_message_type expected,
	       uint64_t deadline_ns, struct mxt_error *err)
{
	if (worker->dead)
		return 0;
	if (!worker->ready || worker->asked)
		return mxt_error_set(err, -EINVAL, MXT_E_INTERNAL, "worker '%s' cannot take a request now",
				     worker->label);
	mxt_worker_resume(worker);
	request->request = ++worker->request;
	size_t len = mxt_message_encode(request, worker->packet);
	if (len == 0)
		return mxt_error_set(err, -EINVAL, MXT_E_INTERNAL, "a request to worker '%s' is out of range",
				     worker->label);
	worker->since_ns = mxt_now_ns(&worker->clock);
	worker->asked = true;
	int rc = mxt_channel_send(worker->socket_fd, worker->packet, len, MSG_DONTWAIT);
	if (rc < 0) {
		fail_gone(worker);
		return 0;
	}
	rc = await_message(worker, deadline_ns, err);
	if (rc == 0 && !worker->dead)
		take_answer(worker, expected);
	return rc;
}

int mxt_worker_prepare(struct mxt_worker *worker, uint32_t id, const struct mxt_problem *problem, uint64_t deadline_ns,
		       enum mxt_outcome *ret_outcome, struct mxt_prepared *ret_prepared, struct mxt_error *err)
{
	struct mxt_message request = {.type = MXT_MESSAGE_PREPARE};
	request.as.prepare.id = id;
	request.as.prepare.problem = *problem;
	int rc = ask(worker, &request, MXT_MESSAGE_PREPARED, deadline_ns, err);
	if (rc < 0)
		return rc;
	if (worker->outcome == MXT_OK && worker->message.as.prepared.id != id)
		fail(worker, MXT_FAILED, "answered for another problem");
	if (worker->outcome == MXT_OK)
		*ret_prepared = worker->message.as.prepared.result;
	*ret_outcome = worker->outcome;
	return 0;
}

int mxt_worker_time(struct mxt_worker *worker, const struct mxt_time_request *request, uint64_t deadline_ns,
		    enum mxt_outcome *ret_outcome, struct mxt_timing *ret_timing, struct mxt_error *err)
{
	struct mxt_message message = {.type = MXT_MESSAGE_TIME};
	message.as.time.max_warm_ns = request->max_warm_ns;
	message.as.time.target_ns = request->target_ns;
	if (request->n_steps == 0 || request->n_steps > MXT_WORKER_MAX_STEPS)
		return mxt_error_set(err, -EINVAL, MXT_E_INTERNAL, "a sequence has 1 to %d steps, not %zu",
				     MXT_WORKER_MAX_STEPS, request->n_steps);
	message.as.time.n_steps = (uint32_t)request->n_steps;
	memcpy(message.as.time.steps, request->steps, request->n_steps * sizeof *request->steps);
	int rc = ask(worker, &message, MXT_MESSAGE_TIMED, deadline_ns, err);
	if (rc < 0)
		return rc;
	if (worker->outcome == MXT_OK)
		*ret_timing = worker->message.as.timed;
	*ret_outcome = worker->outcome;
	return 0;
}

/* ---- pausing, looking, ending ---- */

void mxt_worker_pause(struct mxt_worker *worker)
{
	drain_output(worker);
	if (!worker->dead && !worker->paused)
		mxt_process_signal(&worker->process, SIGSTOP);
	worker->paused = true;
}

void mxt_worker_resume(struct mxt_worker *worker)
{
	drain_output(worker);
	if (!worker->dead && worker->paused)
		mxt_process_signal(&worker->process, SIGCONT);
	worker->paused = false;
}

const json_t *mxt_worker_facts(const struct mxt_worker *worker)
{
	return worker->facts;
}

const char *mxt_worker_reason(const struct mxt_worker *worker)
{
	if (worker->reason.failed)
		return "memory ran out before the reason was written down";
	return mxt_buf_text(&worker->reason);
}

void mxt_worker_output(const struct mxt_worker *worker, struct mxt_buf *buf)
{
	mxt_tail_text(&worker->tail, buf);
}

const char *mxt_worker_label(const struct mxt_worker *worker)
{
	return worker->label;
}

bool mxt_worker_alive(const struct mxt_worker *worker)
{
	return !worker->dead;
}

pid_t mxt_worker_pid(const struct mxt_worker *worker)
{
	return worker->process.pid;
}

/* A worker that waits for requests can leave by itself. */
static void ask_to_quit(struct mxt_worker *worker)
{
	const struct mxt_message quit = {.type = MXT_MESSAGE_QUIT};
	size_t len = mxt_message_encode(&quit, worker->packet);
	mxt_worker_resume(worker);
	if (mxt_channel_send(worker->socket_fd, worker->packet, len, MSG_DONTWAIT) == 0)
		(void)mxt_process_ended(&worker->process, QUIT_NS);
}

int mxt_worker_destroy(struct mxt_worker *worker, struct mxt_error *err)
{
	if (!worker)
		return 0;
	if (worker->ready && !worker->dead && !worker->asked)
		ask_to_quit(worker);
	int rc = worker->process.reaped ? 0 : mxt_process_end(&worker->process, err);
	if (rc < 0)
		mxt_error_wrap(err, "worker '%s'", worker->label);
	worker_free(worker);
	return rc;
}
