/* SPDX-License-Identifier: Apache-2.0 */
#include "guardian.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "error.h"
#include "launch_child.h"
#include "number.h"
#include "process_tree.h"
#include "wards.h"

/* ---- our side ---- */

void mxt_guardian_tell(const struct mxt_guardian *guardian, enum mxt_guardian_word word, int value)
{
	const struct mxt_guardian_packet packet = {.word = word, .value = value};
	(void)send(guardian->fd, &packet, sizeof packet, MSG_NOSIGNAL | MSG_DONTWAIT);
}

int mxt_guardian_hear(const struct mxt_guardian *guardian, struct mxt_guardian_packet *ret_packet)
{
	ssize_t n;
	do { /* a reset is told once: it ended with words of ours unread, and its own come after that */
		n = recv(guardian->fd, ret_packet, sizeof *ret_packet, MSG_DONTWAIT);
	} while (n < 0 && errno == ECONNRESET);
	if (n == sizeof *ret_packet)
		return 1;
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

void mxt_guardian_reap(struct mxt_guardian *guardian)
{
	if (guardian->fd >= 0)
		(void)close(guardian->fd);
	while (guardian->pid > 0 && waitpid(guardian->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*guardian = (struct mxt_guardian)MXT_GUARDIAN_INIT;
}

/* ---- the guardian itself: one thread that never returns ---- */

struct guard {
	const struct mxt_guardian_request *request;
	int fd;        /* to the supervisor; -1: it is gone */
	int signal_fd; /* everything that can be blocked is; this tells of what matters */
	struct mxt_launch_child child;
	struct mxt_wards wards;
	bool told_end;
};

static uint64_t now_ns(void)
{
	return mxt_now_ns(&mxt_clock_monotonic);
}

static void tell_packet(const struct guard *guard, const struct mxt_guardian_packet *packet)
{
	if (guard->fd >= 0)
		(void)send(guard->fd, packet, sizeof *packet, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void tell(const struct guard *guard, enum mxt_guardian_word word, int value)
{
	const struct mxt_guardian_packet packet = {.word = word, .value = value};
	tell_packet(guard, &packet);
}

static bool is_kept(const struct guard *guard, int fd)
{
	return fd == guard->fd || fd == guard->signal_fd || fd == guard->child.exec_fd;
}

/* A pipe that we held open would not end for its reader when the supervisor does. */
static void close_others(const struct guard *guard)
{
	MXT_CLEANUP_DIR DIR *dir = opendir("/proc/self/fd");
	MXT_CLEANUP_CLOSE int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	const struct dirent *row;
	int64_t fd;
	while (dir && (row = readdir(dir)))
		if (mxt_parse_i64_in(row->d_name, STDERR_FILENO + 1, INT32_MAX, &fd) == 0 && fd != dirfd(dir) &&
		    fd != null_fd && !is_kept(guard, (int)fd))
			(void)close((int)fd);
	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
		if (!is_kept(guard, i) && null_fd >= 0)
			(void)dup2(null_fd, i);
}

static int watch_signals(const struct mxt_guardian_request *request)
{
	sigset_t all, watched = *request->forwarded;
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	(void)sigaddset(&watched, SIGCHLD);
	return signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
}

/*
 * A terminal's signal came to the command, too. What a process sent to the group may have come from the command itself
 * ("kill 0" at the end of a script): it is remembered, but asks for nothing.
 */
static void take_signal(struct guard *guard, const struct signalfd_siginfo *info)
{
	int signal = (int)info->ssi_signo;
	if (signal == SIGCHLD)
		return;
	mxt_wards_hear(&guard->wards, signal, now_ns());
	if (info->ssi_code > 0 && mxt_wards_deliver(&guard->wards, signal, now_ns()))
		tell(guard, MXT_GUARDIAN_HEARD, signal);
}

static void take_signals(struct guard *guard)
{
	struct signalfd_siginfo info;
	while (read(guard->signal_fd, &info, sizeof info) == sizeof info)
		take_signal(guard, &info);
}

static void take_exec(struct guard *guard)
{
	int errnum = 0;
	if (guard->child.exec_fd < 0)
		return;
	enum mxt_launch_exec exec = mxt_launch_child_exec(&guard->child, &errnum);
	if (exec != MXT_LAUNCH_EXEC_PENDING)
		tell(guard, exec == MXT_LAUNCH_EXEC_DONE ? MXT_GUARDIAN_STARTED : MXT_GUARDIAN_REFUSED, errnum);
}

/* The supervisor is gone: nobody reads what they write, and nobody else can end them. */
static void orphan(struct guard *guard)
{
	(void)close(mxt_steal_fd(&guard->fd));
	(void)mxt_process_tree_signal(getpid(), SIGCONT);
	(void)mxt_wards_deliver(&guard->wards, SIGTERM, now_ns());
}

static void take_word(struct guard *guard)
{
	struct mxt_guardian_packet packet;
	ssize_t n = guard->fd >= 0 ? recv(guard->fd, &packet, sizeof packet, MSG_DONTWAIT) : -1;
	if (guard->fd < 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	if (n != sizeof packet)
		orphan(guard);
	else if (packet.word == MXT_GUARDIAN_DELIVER)
		(void)mxt_wards_deliver(&guard->wards, packet.value, now_ns());
	else
		(void)mxt_process_tree_signal(getpid(), packet.word == MXT_GUARDIAN_HALT ? SIGSTOP : SIGCONT);
}

static void tell_changes(struct guard *guard)
{
	const struct mxt_wards *wards = &guard->wards;
	if (wards->stopped_by)
		tell(guard, MXT_GUARDIAN_STOPPED, wards->stopped_by);
	if (wards->ended && !guard->told_end)
		tell(guard, MXT_GUARDIAN_ENDED, wards->wait_status);
	guard->told_end = wards->ended;
}

static void tell_over(const struct guard *guard)
{
	const struct mxt_wards *wards = &guard->wards;
	struct mxt_guardian_packet packet = {.word = MXT_GUARDIAN_OVER,
					     .value = wards->wait_status,
					     .command_ended = wards->ended,
					     .n_swept = wards->ending.n_swept};
	if (wards->ending.given_up)
		packet.n_stuck = mxt_process_tree_list(getpid(), packet.stuck, MXT_PROCESS_TREE_NAMED);
	tell_packet(guard, &packet);
}

static void watch_over(struct guard *guard)
{
	do {
		struct pollfd fds[] = {
		    {guard->fd, POLLIN, 0}, {guard->signal_fd, POLLIN, 0}, {guard->child.exec_fd, POLLIN, 0}};
		(void)poll(fds, MXT_ARRAY_LEN(fds), mxt_poll_ms(mxt_wards_deadline_ns(&guard->wards), now_ns()));
		take_signals(guard);
		take_word(guard);
		mxt_wards_reap(&guard->wards, now_ns());
		take_exec(guard); /* after the reaping: what has ended has tried it, and STARTED comes before ENDED */
		tell_changes(guard);
	} while (!mxt_wards_step(&guard->wards, now_ns()));
}

static MXT_NORETURN void guardian_main(const struct mxt_guardian_request *request, int fd)
{
	struct guard guard = {.request = request, .fd = fd, .signal_fd = watch_signals(request)};
	(void)prctl(PR_SET_NAME, "mxt-guardian");
	if (request->keeps_terminal)
		(void)setpgid(0, 0);
	else
		(void)setsid();
	int rc = prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 || guard.signal_fd < 0 ? -errno : 0;
	if (rc == 0)
		rc = mxt_launch_child_start(request, &guard.child);
	if (rc < 0) {
		tell(&guard, MXT_GUARDIAN_FAILED, -rc);
		_exit(1);
	}
	mxt_wards_init(&guard.wards, guard.child.pid, request->grace_ns);
	tell(&guard, MXT_GUARDIAN_FORKED, (int)guard.child.pid);
	close_others(&guard);
	watch_over(&guard);
	tell_over(&guard);
	_exit(0);
}

int mxt_guardian_start(const struct mxt_guardian_request *request, struct mxt_guardian *ret_guardian,
		       struct mxt_error *err)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return mxt_error_errno(err, errno, "cannot talk to a process that guards the command");
	MXT_CLEANUP_CLOSE int ours = ends[0];
	MXT_CLEANUP_CLOSE int theirs = ends[1];
	pid_t pid = fork();
	if (pid < 0)
		return mxt_error_set(err, -errno, MXT_E_SPAWN,
				     "cannot start a process that guards the command: %s; see the limit of processes "
				     "(ulimit -u)",
				     strerror(errno));
	if (pid == 0) {
		(void)close(ours);
		guardian_main(request, theirs);
	}
	*ret_guardian = (struct mxt_guardian){pid, mxt_steal_fd(&ours)};
	return 0;
}
