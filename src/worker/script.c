/* SPDX-License-Identifier: Apache-2.0 */
#include "script.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "clock.h"
#include "error.h"
#include "process.h"
#include "spawn.h"
#include "tail.h"

#define POLL_MS  100            /* the clock is looked at this often: it may not be the real one */
#define LEAVE_NS (MXT_NS_PER_S) /* for leaving after the answer is complete */

struct run {
	const struct mxt_script *script;
	struct mxt_process process;
	int answer_fd, output_fd; /* -1 once they are at their end */
	struct mxt_tail tail;
	struct mxt_buf answer;
};

static void run_close(struct run *run)
{
	if (run->answer_fd >= 0)
		(void)close(run->answer_fd);
	if (run->output_fd >= 0)
		(void)close(run->output_fd);
	run->answer_fd = run->output_fd = -1;
}

static bool takes_terminal(const struct run *run)
{
	return run->script->tool && run->script->tool->takes_terminal;
}

/* Without SIGTTOU, which would stop us: we are in the background until it is done. */
static void take_terminal_back(void)
{
	sigset_t output, before;
	(void)sigemptyset(&output);
	(void)sigaddset(&output, SIGTTOU);
	(void)pthread_sigmask(SIG_BLOCK, &output, &before);
	(void)tcsetpgrp(STDIN_FILENO, getpgrp());
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void run_finish(struct run *run)
{
	run_close(run);
	if (takes_terminal(run))
		take_terminal_back();
	mxt_process_finish(&run->process);
	mxt_buf_finish(&run->answer);
}

/* ---- start ---- */

static int open_pipe(int *ret_read, int *ret_write, struct mxt_error *err)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return mxt_error_errno(err, errno, "cannot create a pipe for a child process");
	*ret_read = ends[0];
	*ret_write = ends[1];
	if (fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0)
		return mxt_error_errno(err, errno, "cannot set up a pipe for a child process");
	return 0;
}

/* `spawn` begins as that of a script. */
static void place_tool(const struct mxt_script_tool *tool, int answer, struct mxt_spawn *spawn)
{
	int null = spawn->fds[STDIN_FILENO];
	spawn->fds[STDIN_FILENO] = tool->input_fd < 0 ? null : tool->input_fd;
	spawn->fds[STDOUT_FILENO] = answer;
	spawn->fds[MXT_SPAWN_FDS - 1] = tool->extra_fd < 0 ? null : tool->extra_fd;
	spawn->takes_terminal = tool->takes_terminal;
}

static int run_start(struct run *run, struct mxt_error *err)
{
	MXT_CLEANUP_CLOSE int answer = -1;
	MXT_CLEANUP_CLOSE int output = -1;
	MXT_CLEANUP_CLOSE int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0)
		return mxt_error_errno(err, errno, "cannot open /dev/null");
	int rc = open_pipe(&run->answer_fd, &answer, err);
	if (rc == 0)
		rc = open_pipe(&run->output_fd, &output, err);
	if (rc < 0)
		return rc;
	struct mxt_spawn spawn = {.program = run->script->program,
				  .argv = run->script->argv,
				  .environment = run->script->environment,
				  .fds = {null, output, output, answer}};
	const struct mxt_script_tool *tool = run->script->tool;
	if (tool)
		place_tool(tool, answer, &spawn);
	pid_t pid = -1;
	rc = mxt_spawn(&spawn, &pid, err);
	if (rc == 0)
		mxt_process_init(&run->process, pid);
	return rc;
}

/* ---- listening ---- */

/* One piece; at the end, or on an error, the descriptor is closed. Returns how many bytes were read. */
static size_t read_piece(int *fd, char *piece, size_t size)
{
	ssize_t got = read(*fd, piece, size);
	if (got > 0)
		return (size_t)got;
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	(void)close(*fd);
	*fd = -1;
	return 0;
}

static int listen_once(struct run *run, struct mxt_error *err)
{
	char piece[16384];
	struct pollfd fds[] = {
	    {run->answer_fd, POLLIN, 0}, {run->output_fd, POLLIN, 0}, {run->script->cancel_fd, POLLIN, 0}};
	if (takes_terminal(run))
		mxt_process_signal(&run->process, SIGCONT); /* nobody else could, after a ^Z */
	if (poll(fds, MXT_ARRAY_LEN(fds), POLL_MS) <= 0)
		return 0; /* interrupted, or nothing yet */
	if (fds[2].revents)
		return mxt_error_set(err, -ECANCELED, MXT_E_CANCELLED,
				     "told to stop while a child process was at work");
	if (fds[1].revents)
		mxt_tail_add(&run->tail, piece, read_piece(&run->output_fd, piece, sizeof piece));
	if (!fds[0].revents)
		return 0;
	mxt_buf_append(&run->answer, piece, read_piece(&run->answer_fd, piece, sizeof piece));
	if (run->answer.len > run->script->max_bytes)
		return mxt_error_set(err, -E2BIG, MXT_E_SCRIPT, "it answers more than %zu bytes",
				     run->script->max_bytes);
	return mxt_buf_status(&run->answer, err);
}

/* Until the answer is complete. */
static int listen_all(struct run *run, struct mxt_error *err)
{
	int rc = 0;
	while (rc == 0 && run->answer_fd >= 0) {
		if (mxt_now_ns(run->script->clock) >= run->script->deadline_ns)
			return mxt_error_set(err, -ETIME, MXT_E_SCRIPT, "it takes too long");
		rc = listen_once(run, err);
	}
	return rc;
}

/* What it printed last is on its way when the answer ends. */
static void drain_output(struct run *run)
{
	char piece[16384];
	size_t got = 1;
	while (run->output_fd >= 0 && got > 0) {
		got = read_piece(&run->output_fd, piece, sizeof piece);
		mxt_tail_add(&run->tail, piece, got);
	}
}

/* Whether it left by itself. */
static bool has_exited(const struct run *run)
{
	return run->process.known && WIFEXITED(run->process.wait_status);
}

static bool has_answered(const struct run *run)
{
	if (run->script->tool)
		return has_exited(run) && WEXITSTATUS(run->process.wait_status) == 0;
	return run->answer.len > 0;
}

static int explain_end(struct run *run, struct mxt_error *err)
{
	bool killed = run->process.known && WIFSIGNALED(run->process.wait_status);
	if (killed && takes_terminal(run) && WTERMSIG(run->process.wait_status) == SIGINT)
		return mxt_error_set(err, -ECANCELED, MXT_E_CANCELLED, "it was interrupted at the terminal");
	MXT_CLEANUP_BUF struct mxt_buf why = MXT_BUF_INIT;
	mxt_buf_puts(&why, killed ? "it was " : "it ");
	mxt_process_describe_end(&run->process, &why);
	mxt_buf_puts(&why, ": ");
	size_t before = why.len;
	mxt_tail_last_line(&run->tail, &why);
	if (why.len == before)
		mxt_buf_truncate(&why, before - 2);
	int rc = mxt_buf_status(&why, err);
	int status = run->script->tool && has_exited(run) ? -EREMOTEIO : -EIO;
	return rc < 0 ? rc : mxt_error_set(err, status, MXT_E_SCRIPT, "%s", mxt_buf_text(&why));
}

int mxt_script_run(const struct mxt_script *script, struct mxt_buf *answer, struct mxt_error *err)
{
	MXT_CLEANUP(run_finish)
	struct run run = {.script = script, .process = MXT_PROCESS_INIT, .answer_fd = -1, .output_fd = -1};
	int rc = run_start(&run, err);
	if (rc < 0)
		return rc;
	rc = listen_all(&run, err);
	if (rc == 0)
		(void)mxt_process_ended(&run.process, LEAVE_NS);
	int ended = mxt_process_end(&run.process, rc < 0 ? NULL : err);
	drain_output(&run);
	if (rc == 0 && ended == 0 && !has_answered(&run))
		rc = explain_end(&run, err);
	if (rc == 0 && ended == 0)
		mxt_buf_append(answer, run.answer.data, run.answer.len);
	return rc < 0 ? rc : ended < 0 ? ended : mxt_buf_status(answer, err);
}
