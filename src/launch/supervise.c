/* SPDX-License-Identifier: Apache-2.0 */
#include "supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "error.h"
#include "guardian.h"
#include "inheritance.h"
#include "job_terminal.h"
#include "launch_signals.h"
#include "output_tee.h"
#include "process_tree.h"

/* A command at work. */
struct supervision {
	const struct mxt_supervise_request *request;
	struct mxt_supervised *result;
	struct mxt_launch_signals signals;
	struct mxt_guardian guardian;
	struct mxt_output_tee *tee; /* owned */
	struct mxt_job_terminal terminal;
	struct mxt_inheritance inheritance;
	pid_t command;   /* 0: not known yet */
	bool ended;      /* the command has */
	bool over;       /* all are gone, or given up */
	int spawn_errno; /* why there is no command at all */
};

static uint64_t now_ns(void)
{
	return mxt_now_ns(&mxt_clock_monotonic);
}

static void deliver(struct supervision *s, int signal)
{
	if (s->inheritance.taken)
		(void)mxt_wards_deliver(&s->inheritance.wards, signal, now_ns());
	else
		mxt_guardian_tell(&s->guardian, MXT_GUARDIAN_DELIVER, signal);
}

static void move_output(struct supervision *s, const struct pollfd fds[MXT_OUTPUT_TEE_FDS])
{
	if (mxt_output_tee_turn(s->tee, fds, now_ns()))
		return;
	s->result->ended_by_watch = true;
	deliver(s, SIGTERM);
}

/* ---- what the guardian says ---- */

static void take_started(struct supervision *s)
{
	s->result->started = true;
	if (s->request->on_start)
		s->request->on_start(s->request->on_start_context, s->command);
}

static void take_end(struct supervision *s, int wait_status)
{
	s->ended = true;
	s->result->wait_status = wait_status;
	s->result->ended_ns = now_ns();
}

static void take_over(struct supervision *s, const struct mxt_guardian_packet *packet)
{
	if (!s->ended && packet->command_ended)
		take_end(s, packet->value);
	s->result->n_swept = packet->n_swept;
	s->result->n_stuck = packet->n_stuck;
	memcpy(s->result->stuck, packet->stuck, sizeof packet->stuck);
	s->over = true;
}

static void hold(struct supervision *s, int signal)
{
	struct pollfd fds[MXT_OUTPUT_TEE_FDS];
	mxt_output_tee_poll(s->tee, fds);
	if (poll(fds, MXT_ARRAY_LEN(fds), 0) > 0)
		move_output(s, fds); /* it may be the question whose answer the command waits for */
	mxt_guardian_tell(&s->guardian, MXT_GUARDIAN_HALT, 0);
	bool held = mxt_job_stop_self(signal);
	if (!held && signal == SIGTSTP) /* one that waits for the terminal would only ask again */
		mxt_guardian_tell(&s->guardian, MXT_GUARDIAN_RESUME, 0);
}

static void take_stop(struct supervision *s, int signal)
{
	bool wants_terminal = signal == SIGTTIN || signal == SIGTTOU;
	if (wants_terminal && mxt_job_terminal_lend(&s->terminal))
		mxt_guardian_tell(&s->guardian, MXT_GUARDIAN_RESUME, 0);
	else if (wants_terminal || signal == SIGTSTP)
		hold(s, signal);
}

static void note_signal(struct supervision *s, int signal)
{
	if (mxt_signal_stops(signal) && !s->ended && s->result->signal == 0)
		s->result->signal = signal;
}

static void take_packet(struct supervision *s, const struct mxt_guardian_packet *packet)
{
	switch (packet->word) {
	case MXT_GUARDIAN_FAILED:
		s->spawn_errno = packet->value;
		break;
	case MXT_GUARDIAN_FORKED:
		s->command = packet->value;
		break;
	case MXT_GUARDIAN_STARTED:
		take_started(s);
		break;
	case MXT_GUARDIAN_REFUSED:
		s->result->exec_errno = packet->value;
		break;
	case MXT_GUARDIAN_HEARD:
		note_signal(s, packet->value);
		break;
	case MXT_GUARDIAN_STOPPED:
		take_stop(s, packet->value);
		break;
	case MXT_GUARDIAN_ENDED:
		take_end(s, packet->value);
		break;
	case MXT_GUARDIAN_OVER:
		take_over(s, packet);
		break;
	default:
		break;
	}
}

static void lose_guardian(struct supervision *s)
{
	mxt_guardian_reap(&s->guardian);
	if (s->over || s->spawn_errno)
		s->over = true;
	else
		mxt_inheritance_take(&s->inheritance, s->command, s->ended, s->result->signal != 0,
				     (uint64_t)s->request->grace_s * MXT_NS_PER_S, now_ns());
}

static void hear_guardian(struct supervision *s)
{
	struct mxt_guardian_packet packet;
	int heard = 0;
	while (s->guardian.fd >= 0 && (heard = mxt_guardian_hear(&s->guardian, &packet)) == 1)
		take_packet(s, &packet);
	if (s->guardian.fd >= 0 && heard < 0)
		lose_guardian(s);
}

/* ---- what we do where the guardian cannot ---- */

static void mind_inheritance(struct supervision *s)
{
	const struct mxt_wards *wards = &s->inheritance.wards;
	if (!s->inheritance.taken || s->over)
		return;
	mxt_inheritance_turn(&s->inheritance, now_ns());
	if (wards->ended && !s->ended && s->command > 0)
		take_end(s, wards->wait_status);
	s->result->n_swept = wards->ending.n_swept;
	s->over = s->inheritance.over;
	if (wards->ending.given_up)
		s->result->n_stuck = mxt_process_tree_list(getpid(), s->result->stuck, MXT_PROCESS_TREE_NAMED);
}

/* ---- signals ---- */

/* As the first process of a container we are the parent of whoever lost theirs. */
static void reap_strangers(const struct supervision *s)
{
	siginfo_t info = {0};
	while (getpid() == 1 && !s->inheritance.taken && waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid > 0 && info.si_pid != s->guardian.pid) {
		(void)waitpid(info.si_pid, NULL, WNOHANG);
		info.si_pid = 0;
	}
}

static void take_signal(struct supervision *s, int signal)
{
	if (signal == SIGTSTP) {
		hold(s, signal);
	} else if (signal == SIGCONT) {
		if (s->terminal.lent)
			(void)mxt_job_terminal_lend(&s->terminal);
		mxt_guardian_tell(&s->guardian, MXT_GUARDIAN_RESUME, 0);
	} else if (signal == SIGCHLD) {
		reap_strangers(s);
	} else {
		note_signal(s, signal);
		deliver(s, signal);
	}
}

static void take_signals(struct supervision *s)
{
	struct signalfd_siginfo info;
	while (read(s->signals.fd, &info, sizeof info) == sizeof info)
		take_signal(s, (int)info.ssi_signo);
}

/* ---- the loop ---- */

static uint64_t earlier(uint64_t a, uint64_t b)
{
	if (a == 0 || b == 0)
		return a + b;
	return a < b ? a : b;
}

static int wait_ms(const struct supervision *s)
{
	return mxt_poll_ms(earlier(mxt_output_tee_deadline_ns(s->tee), mxt_inheritance_deadline_ns(&s->inheritance)),
			   now_ns());
}

static void turn(struct supervision *s)
{
	struct pollfd fds[MXT_OUTPUT_TEE_FDS + 2];
	mxt_output_tee_poll(s->tee, fds);
	fds[MXT_OUTPUT_TEE_FDS] = (struct pollfd){s->guardian.fd, POLLIN, 0};
	fds[MXT_OUTPUT_TEE_FDS + 1] = (struct pollfd){s->signals.fd, POLLIN, 0};
	(void)poll(fds, MXT_ARRAY_LEN(fds), wait_ms(s));
	hear_guardian(s);
	take_signals(s); /* later: what comes after the end of the command changes nothing */
	mind_inheritance(s);
	move_output(s, fds);
}

static void watch_command(struct supervision *s)
{
	while (!s->over)
		turn(s);
	mxt_guardian_reap(&s->guardian);
	while (!mxt_output_tee_drain(s->tee, now_ns()))
		turn(s);
}

static int start(struct supervision *s, struct mxt_error *err)
{
	const struct mxt_supervise_request *request = s->request;
	static const int show_fds[] = {STDOUT_FILENO, STDERR_FILENO};
	MXT_CLEANUP_CLOSE int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null_fd < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		return mxt_error_errno(err, errno, "cannot start %s", request->argv[0]);
	int rc = mxt_output_tee_create(show_fds, request->log_fd, request->watch, &s->tee, err);
	if (rc == 0)
		rc = mxt_launch_signals_hold(&s->signals, err);
	if (rc < 0)
		return rc;
	const int *ends = mxt_output_tee_write_ends(s->tee);
	const struct mxt_guardian_request asked = {
	    .argv = request->argv,
	    .environment = request->environment,
	    .stdin_fd = request->hands_stdin_over ? STDIN_FILENO : null_fd,
	    .stdout_fd = ends[0],
	    .stderr_fd = ends[1],
	    .keeps_terminal = request->hands_stdin_over,
	    .grace_ns = (uint64_t)request->grace_s * MXT_NS_PER_S,
	    .forwarded = &s->signals.forwarded,
	};
	s->result->started_ns = now_ns();
	rc = mxt_guardian_start(&asked, &s->guardian, err);
	mxt_output_tee_started(s->tee);
	if (rc == 0 && request->hands_stdin_over)
		mxt_job_terminal_open(&s->terminal, s->guardian.pid);
	return rc;
}

static int verdict(const struct supervision *s, struct mxt_error *err)
{
	if (s->spawn_errno)
		return mxt_error_set(err, -s->spawn_errno, MXT_E_SPAWN,
				     "cannot start %s: %s; see the limits of processes and open files (ulimit -u, -n)",
				     s->request->argv[0], strerror(s->spawn_errno));
	if (s->inheritance.ends_it)
		return mxt_error_set(err, -ECHILD, MXT_E_LAUNCH_GUARDIAN,
				     "the process that guards the command was killed; the command was ended");
	return 0;
}

static void finish(struct supervision *s)
{
	struct mxt_output_tally tally = {0};
	if (s->tee)
		mxt_output_tee_tally(s->tee, &tally);
	s->result->log_errno = tally.log_errno;
	s->result->shown_errno = tally.shown_errno;
	s->result->log_bytes = tally.log_bytes;
	s->result->lost_bytes = tally.lost_bytes;
	if (!s->ended)
		s->result->wait_status = SIGKILL; /* it was sent that */
	if (s->result->ended_ns == 0)
		s->result->ended_ns = now_ns();
	mxt_guardian_reap(&s->guardian);
	mxt_output_tee_destroy(s->tee);
	mxt_job_terminal_close(&s->terminal);
	mxt_launch_signals_release(&s->signals);
}

int mxt_supervise(const struct mxt_supervise_request *request, struct mxt_supervised *ret_supervised,
		  struct mxt_error *err)
{
	struct mxt_supervised result = {0};
	struct supervision s = {.request = request,
				.result = &result,
				.signals = MXT_LAUNCH_SIGNALS_INIT,
				.guardian = MXT_GUARDIAN_INIT,
				.terminal = MXT_JOB_TERMINAL_INIT};
	int rc = start(&s, err);
	if (rc == 0) {
		watch_command(&s);
		rc = verdict(&s, err);
	}
	finish(&s);
	if (rc == 0)
		*ret_supervised = result;
	return rc;
}
