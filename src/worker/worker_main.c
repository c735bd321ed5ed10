/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worker process: opens its device, says what is in force there, then answers one request after the other until
 * its supervisor tells it to quit or is gone. Whatever the device reports becomes an answer; only a socket that cannot
 * be used any more, or a supervisor that speaks nonsense, ends the process early.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "channel.h"
#include "cleanup.h"
#include "error.h"
#include "json.h"
#include "measure.h"
#include "protocol.h"
#include "worker.h"

enum { EXIT_DONE = 0, EXIT_SOCKET = 64, EXIT_NONSENSE = 65, EXIT_MEMORY = 66 };

struct session {
	const struct mxt_device_ops *ops;
	struct mxt_device *device; /* NULL until it is open */
	int socket_fd;
	struct mxt_task *tasks[MXT_WORKER_MAX_PROBLEMS]; /* by problem id; NULL: not prepared */
	struct mxt_message request;
	struct mxt_message answer;
	struct mxt_step steps[MXT_WORKER_MAX_STEPS];
	struct mxt_packet packet;
};

/* Libraries may have exit handlers that hang or crash: none is run. */
MXT_NORETURN static void leave(int status)
{
	(void)fflush(NULL);
	_exit(status);
}

static void send_answer(struct session *session)
{
	if (mxt_message_encode(&session->answer, &session->packet) < 0) {
		(void)fprintf(stderr, "the device gave an answer that the protocol cannot carry (message type %d)\n",
			      (int)session->answer.type);
		leave(EXIT_NONSENSE);
	}
	if (mxt_channel_send(session->socket_fd, &session->packet, 0) < 0)
		leave(EXIT_SOCKET);
}

static void answer_refused(struct session *session, enum mxt_outcome outcome, const char *text)
{
	size_t len = strlen(text);
	session->answer.type = MXT_MESSAGE_REFUSED;
	session->answer.as.refused.outcome = outcome;
	session->answer.as.refused.text.data = (const unsigned char *)text;
	session->answer.as.refused.text.len = (uint32_t)(len < MXT_MESSAGE_TEXT_BYTES ? len : MXT_MESSAGE_TEXT_BYTES);
	send_answer(session);
}

static void answer_error(struct session *session, int rc, const struct mxt_error *err)
{
	enum mxt_outcome outcome = rc == -ENOTSUP ? MXT_UNSUPPORTED : MXT_FAILED;
	answer_refused(session, outcome, mxt_error_text(err));
}

static int first_call(struct session *session, struct mxt_task *task, struct mxt_prepared *result,
		      struct mxt_error *err)
{
	const struct mxt_step step = {task, 0};
	int rc = session->ops->time(session->device, &step, 1, 1, &result->first_call_ns, err);
	if (rc == 0)
		rc = session->ops->check(session->device, task, &result->check, err);
	return rc;
}

static int prepare(struct session *session, uint32_t id, struct mxt_prepared *result, struct mxt_error *err)
{
	struct mxt_task **slot = &session->tasks[id];
	if (*slot)
		session->ops->release(session->device, *slot);
	*slot = NULL;
	struct mxt_task *task = NULL;
	int rc = session->ops->prepare(session->device, &session->request.as.prepare.problem, &task, err);
	if (rc < 0)
		return rc;
	rc = first_call(session, task, result, err);
	if (rc < 0)
		session->ops->release(session->device, task);
	else
		*slot = task;
	return rc;
}

static void serve_prepare(struct session *session)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_prepared result = {.first_call_ns = 0};
	uint32_t id = session->request.as.prepare.id;
	int rc = prepare(session, id, &result, &err);
	if (rc < 0) {
		answer_error(session, rc, &err);
		return;
	}
	session->answer.type = MXT_MESSAGE_PREPARED;
	session->answer.as.prepared.id = id;
	session->answer.as.prepared.result = result;
	send_answer(session);
}

/* Problem ids become tasks. */
static int resolve_steps(struct session *session, struct mxt_error *err)
{
	for (uint32_t i = 0; i < session->request.as.time.n_steps; i++) {
		const struct mxt_sequence_step *from = &session->request.as.time.steps[i];
		struct mxt_task *task = from->id == MXT_WORKER_FILLER ? NULL : session->tasks[from->id];
		if (!task && from->id != MXT_WORKER_FILLER)
			return mxt_error_set(err, -EINVAL, MXT_E_INTERNAL, "problem %u was not prepared", from->id);
		session->steps[i] = (struct mxt_step){task, task ? 0 : from->filler_bytes};
	}
	return 0;
}

static void serve_time(struct session *session)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	const struct mxt_measure measure = {session->ops,
					    session->device,
					    session->steps,
					    session->request.as.time.n_steps,
					    session->request.as.time.max_warm_ns,
					    session->request.as.time.target_ns};
	struct mxt_timing timing = {.ns = 0};
	int rc = resolve_steps(session, &err);
	if (rc == 0)
		rc = mxt_measure(&measure, &timing, &err);
	if (rc < 0) {
		answer_error(session, rc, &err);
		return;
	}
	session->answer.type = MXT_MESSAGE_TIMED;
	session->answer.as.timed = timing;
	send_answer(session);
}

static void serve_rank(struct session *session)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_ranking ranking = {.algorithms = 0};
	uint32_t id = session->request.as.rank.id;
	struct mxt_task *task = session->tasks[id];
	int rc = task ? session->ops->rank(session->device, task, session->request.as.rank.limit_ns, &ranking, &err)
		      : mxt_error_set(&err, -EINVAL, MXT_E_INTERNAL, "problem %u was not prepared", id);
	if (rc < 0) {
		answer_error(session, rc, &err);
		return;
	}
	session->answer.type = MXT_MESSAGE_RANKED;
	session->answer.as.ranked = ranking;
	send_answer(session);
}

static void serve_quit(struct session *session)
{
	for (uint32_t id = 0; id < MXT_WORKER_MAX_PROBLEMS; id++)
		if (session->tasks[id])
			session->ops->release(session->device, session->tasks[id]);
	session->ops->close(session->device);
	leave(EXIT_DONE);
}

static void serve(struct session *session)
{
	session->answer.request = session->request.request;
	if (session->request.type == MXT_MESSAGE_PREPARE)
		serve_prepare(session);
	else if (session->request.type == MXT_MESSAGE_TIME)
		serve_time(session);
	else if (session->request.type == MXT_MESSAGE_RANK)
		serve_rank(session);
	else
		serve_quit(session);
}

static void receive_request(struct session *session)
{
	int rc = mxt_channel_receive(session->socket_fd, &session->packet, 0);
	if (rc < 0 || session->packet.len == 0)
		leave(rc < 0 ? EXIT_SOCKET : EXIT_DONE); /* nobody is there any more */
	const char *fault = NULL;
	if (mxt_message_decode(MXT_TO_WORKER, &session->packet, &session->request, &fault) < 0) {
		(void)fprintf(stderr, "the supervisor sent %s\n", fault);
		leave(EXIT_NONSENSE);
	}
}

static void send_facts(struct session *session, const char *text, size_t len)
{
	session->answer.type = MXT_MESSAGE_HELLO;
	session->answer.as.hello.facts_bytes = (uint32_t)len;
	send_answer(session);
	session->answer.type = MXT_MESSAGE_FACTS;
	for (size_t at = 0; at < len; at += MXT_MESSAGE_PART_BYTES) {
		size_t part = len - at < MXT_MESSAGE_PART_BYTES ? len - at : MXT_MESSAGE_PART_BYTES;
		session->answer.as.facts = (struct mxt_message_bytes){(const unsigned char *)text + at, (uint32_t)part};
		send_answer(session);
	}
}

/* Appends the facts as JSON text. */
static int describe(struct session *session, struct mxt_buf *text, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *facts = NULL;
	int rc = session->ops->describe(session->device, &facts, err);
	if (rc == 0)
		rc = mxt_json_canonical(facts, text, err);
	if (rc == 0 && text->len > MXT_FACTS_MAX_BYTES)
		rc = mxt_error_set(err, -EMSGSIZE, MXT_E_INTERNAL, "the device has too much to say about itself");
	return rc;
}

static void say_hello(struct session *session, const struct mxt_device_target *target)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_BUF struct mxt_buf facts = MXT_BUF_INIT;
	int rc = session->ops->open(target, &session->device, &err);
	bool broken = rc == -ELIBBAD && session->ops->needs_torch; /* without its torch it is no device */
	bool unusable = rc == -ENOSYS || rc == -ENODEV || broken;
	if (rc == 0)
		rc = describe(session, &facts, &err);
	if (rc == 0) {
		send_facts(session, mxt_buf_text(&facts), facts.len);
		return;
	}
	answer_error(session, unusable ? -ENOTSUP : rc, &err);
	leave(EXIT_DONE);
}

/* When memory runs out, the kernel shall take a worker, not the supervisor; and a crash leaves no core file. */
static void prepare_process(int socket_fd)
{
	const struct rlimit none = {0, 0};
	(void)setrlimit(RLIMIT_CORE, &none);
	(void)prctl(PR_SET_NAME, "mxt-worker");
	MXT_CLEANUP_CLOSE int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && write(fd, "1000", 4) < 0)
		(void)0; /* not allowed to: the kernel's own judgement stands */
	(void)fcntl(socket_fd, F_SETFD, FD_CLOEXEC);
}

MXT_NORETURN void mxt_worker_main(const char *device, const struct mxt_device_target *target, int socket_fd)
{
	prepare_process(socket_fd);
	struct session *session = calloc(1, sizeof *session);
	if (!session) {
		(void)fputs("memory ran out\n", stderr);
		leave(EXIT_MEMORY);
	}
	session->socket_fd = socket_fd;
	session->ops = mxt_device_find(device);
	if (!session->ops) {
		answer_refused(session, MXT_FAILED, "this program has no such device");
		leave(EXIT_DONE);
	}
	say_hello(session, target);
	for (;;) {
		receive_request(session);
		serve(session);
	}
}
