/* SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "clock.h"
#include "error.h"
#include "json.h"
#include "link.h"

#define QUIT_NS      (300 * MXT_NS_PER_MS) /* to leave after QUIT */
#define EXIT_WAIT_NS (300 * MXT_NS_PER_MS) /* to end after the socket is closed */

struct mxt_worker {
	char *label;
	struct mxt_link link;
	uint64_t since_ns; /* when the current request, or the start, began */
	uint32_t request;  /* number of the last request */
	bool asked;        /* it was not answered yet */
	bool ready, dead, paused;
	enum mxt_outcome outcome;  /* of the last thing asked */
	struct mxt_buf reason;     /* for it */
	struct mxt_buf facts_text; /* parts so far */
	size_t facts_bytes;        /* as announced; 0: not yet */
	json_t *facts;
};

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
	worker->since_ns = mxt_now_ns(spec->clock);
	return worker;
}

int mxt_worker_start(const struct mxt_worker_spec *spec, struct mxt_worker **ret_worker, struct mxt_error *err)
{
	struct mxt_worker *worker = worker_alloc(spec);
	if (!worker)
		return mxt_error_oom(err);
	int rc = mxt_link_init(&worker->link, spec, err);
	if (rc < 0) {
		free(worker->label);
		free(worker);
		return rc;
	}
	*ret_worker = worker;
	return 0;
}

static void worker_free(struct mxt_worker *worker)
{
	mxt_link_finish(&worker->link);
	mxt_buf_finish(&worker->reason);
	mxt_buf_finish(&worker->facts_text);
	json_decref(worker->facts);
	free(worker->label);
	free(worker);
}

/* ---- how it ends ---- */

/* The worker is over; worker->reason says why, in printable text. */
static void bury(struct mxt_worker *worker, enum mxt_outcome outcome)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_process_end(&worker->link.process, &err) < 0)
		mxt_buf_printf(&worker->reason, "; %s", mxt_error_text(&err));
	mxt_link_drain(&worker->link);
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
	mxt_clean_text(&worker->reason, text, strlen(text));
	bury(worker, outcome);
}

static void append_last_line(struct mxt_worker *worker)
{
	struct mxt_buf line = MXT_BUF_INIT;
	mxt_tail_last_line(&worker->link.tail, &line);
	if (line.len > 0)
		mxt_buf_printf(&worker->reason, ": %s", mxt_buf_text(&line));
	mxt_buf_finish(&line);
}

/* Nothing will come through its socket any more. */
static void fail_closed(struct mxt_worker *worker)
{
	const char *moment = worker->ready ? "before it answered" : "before it was ready";
	if (!mxt_process_ended(&worker->link.process, EXIT_WAIT_NS)) {
		fail(worker, MXT_FAILED, "closed its socket %s", moment);
		return;
	}
	mxt_link_drain(&worker->link);
	mxt_buf_truncate(&worker->reason, 0);
	mxt_process_describe_end(&worker->link.process, &worker->reason);
	mxt_buf_printf(&worker->reason, " %s", moment);
	append_last_line(worker);
	bury(worker, MXT_FAILED);
}

static void fail_late(struct mxt_worker *worker, uint64_t deadline_ns)
{
	uint64_t waited_ns = deadline_ns > worker->since_ns ? deadline_ns - worker->since_ns : 0;
	uint64_t tenths = (waited_ns + MXT_NS_PER_S / 20) / (MXT_NS_PER_S / 10);
	char state = mxt_process_state(&worker->link.process);
	const char *why = state == 'T'   ? " (something stopped the process)"
			  : state == 'D' ? " (it waits inside the kernel)"
					 : "";
	fail(worker, MXT_TIMEOUT, "%s within %" PRIu64 ".%" PRIu64 " s%s", worker->ready ? "no answer" : "not ready",
	     tenths / 10, tenths % 10, why);
}

/* Waits for the next message: 0 with it in worker->link.message, or with worker->dead. */
static int await_message(struct mxt_worker *worker, uint64_t deadline_ns, struct mxt_error *err)
{
	enum mxt_link_event event = MXT_LINK_LATE;
	const char *fault = NULL;
	int rc = mxt_link_await(&worker->link, deadline_ns, &event, &fault, err);
	if (rc < 0)
		return mxt_error_wrap(err, rc, "worker '%s'", worker->label);
	if (event == MXT_LINK_GARBAGE)
		fail(worker, MXT_FAILED, "sent garbage (%s)", fault);
	else if (event == MXT_LINK_CLOSED)
		fail_closed(worker);
	else if (event == MXT_LINK_LATE)
		fail_late(worker, deadline_ns);
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
	const struct mxt_message *message = &worker->link.message;
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
	const struct mxt_message_bytes *text = &worker->link.message.as.refused.text;
	worker->outcome = worker->link.message.as.refused.outcome;
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
		if (worker->link.message.type == MXT_MESSAGE_REFUSED)
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
	if (worker->link.message.request != worker->request)
		fail(worker, MXT_FAILED, "answered another request than the one that it was asked");
	else if (worker->link.message.type == MXT_MESSAGE_REFUSED)
		take_refusal(worker);
	else if (worker->link.message.type != expected)
		fail(worker, MXT_FAILED, "answered with another kind of message than it was asked for");
	else
		worker->outcome = MXT_OK;
}

/*
 * Sends *request and takes the answer: 0 with worker->outcome set, and on MXT_OK worker->link.message.
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
	mxt_buf_truncate(&worker->reason, 0);
	request->request = ++worker->request;
	worker->since_ns = mxt_now_ns(&worker->link.clock);
	int rc = mxt_link_send(&worker->link, request);
	if (rc < 0 && rc != -EPIPE && rc != -ECONNRESET)
		return mxt_error_errno(err, -rc, "cannot send a request to worker '%s'", worker->label);
	worker->asked = true; /* also when it hung up: the wait finds out what became of it */
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
	if (worker->outcome == MXT_OK && worker->link.message.as.prepared.id != id)
		fail(worker, MXT_FAILED, "answered for another problem");
	if (worker->outcome == MXT_OK)
		*ret_prepared = worker->link.message.as.prepared.result;
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
		*ret_timing = worker->link.message.as.timed;
	*ret_outcome = worker->outcome;
	return 0;
}

int mxt_worker_rank(struct mxt_worker *worker, uint32_t id, uint64_t limit_ns, uint64_t deadline_ns,
		    enum mxt_outcome *ret_outcome, struct mxt_ranking *ret_ranking, struct mxt_error *err)
{
	struct mxt_message request = {.type = MXT_MESSAGE_RANK};
	request.as.rank.id = id;
	request.as.rank.limit_ns = limit_ns;
	int rc = ask(worker, &request, MXT_MESSAGE_RANKED, deadline_ns, err);
	if (rc < 0)
		return rc;
	if (worker->outcome == MXT_OK)
		*ret_ranking = worker->link.message.as.ranked;
	*ret_outcome = worker->outcome;
	return 0;
}

/* ---- pausing, looking, ending ---- */

void mxt_worker_pause(struct mxt_worker *worker)
{
	mxt_link_drain(&worker->link);
	if (!worker->dead && !worker->paused)
		mxt_process_signal(&worker->link.process, SIGSTOP);
	worker->paused = true;
}

void mxt_worker_resume(struct mxt_worker *worker)
{
	mxt_link_drain(&worker->link);
	if (!worker->dead && worker->paused)
		mxt_process_signal(&worker->link.process, SIGCONT);
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
	mxt_tail_text(&worker->link.tail, buf);
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
	return worker->link.process.pid;
}

/* A worker that waits for requests can leave by itself. */
static void ask_to_quit(struct mxt_worker *worker)
{
	const struct mxt_message quit = {.type = MXT_MESSAGE_QUIT};
	mxt_worker_resume(worker);
	if (mxt_link_send(&worker->link, &quit) == 0)
		(void)mxt_process_ended(&worker->link.process, QUIT_NS);
}

int mxt_worker_destroy(struct mxt_worker *worker, struct mxt_error *err)
{
	if (!worker)
		return 0;
	if (worker->ready && !worker->dead && !worker->asked)
		ask_to_quit(worker);
	int rc = worker->link.process.reaped ? 0 : mxt_process_end(&worker->link.process, err);
	if (rc < 0)
		mxt_error_wrap(err, rc, "worker '%s'", worker->label);
	worker_free(worker);
	return rc;
}
