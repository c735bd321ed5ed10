/* SPDX-License-Identifier: Apache-2.0 */
#include "record_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "error.h"
#include "exec_report.h"
#include "process_tree.h"

#define KILL_ROUNDS  40
#define KILL_WAIT_MS 25

/* In the child: signals as a shell would have left them. */
static void reset_signals(const sigset_t *mask)
{
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGXFSZ, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, mask, NULL);
}

/* 0 once the command runs; else what exec said. */
static int read_failure(int fd)
{
	int errnum = 0;
	ssize_t n;
	do
		n = read(fd, &errnum, sizeof errnum);
	while (n < 0 && errno == EINTR);
	return n == sizeof errnum ? errnum : 0;
}

static void wait_for(struct mxt_record_child *child)
{
	while (waitpid(child->pid, &child->wait_status, 0) < 0 && errno == EINTR)
		;
	child->ended = true;
}

int mxt_record_child_start(struct mxt_record_child *child, char *const *argv, char *const *environment,
			   const sigset_t *mask, struct mxt_error *err)
{
	int ends[2];
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return mxt_error_errno(err, errno, "cannot start %s", argv[0]);
	MXT_CLEANUP_CLOSE int read_end = ends[0];
	MXT_CLEANUP_CLOSE int write_end = ends[1];
	pid_t parent = getpid(), pid = fork();
	if (pid < 0)
		return mxt_error_errno(err, errno, "cannot start %s", argv[0]);
	if (pid == 0) {
		reset_signals(mask);
		mxt_exec_report(argv, environment, parent, write_end);
	}
	(void)close(mxt_steal_fd(&write_end));
	*child = (struct mxt_record_child){.pid = pid, .pidfd = -1};
	int errnum = read_failure(read_end);
	if (errnum) {
		wait_for(child);
		return mxt_error_set(err, -errnum, MXT_E_RECORD_COMMAND,
				     "cannot start %s: %s; what comes after -- is a program and its arguments", argv[0],
				     strerror(errnum));
	}
#ifdef SYS_pidfd_open
	child->pidfd = (int)syscall(SYS_pidfd_open, pid, 0); /* close-on-exec by itself; ENOSYS before Linux 5.3 */
#endif
	return 0;
}

bool mxt_record_child_ended(struct mxt_record_child *child)
{
	if (!child->ended && waitpid(child->pid, &child->wait_status, WNOHANG) == child->pid)
		child->ended = true;
	return child->ended;
}

void mxt_record_child_kill(struct mxt_record_child *child)
{
	for (int round = 0; round < KILL_ROUNDS; round++) {
		size_t living = mxt_process_tree_signal(getpid(), SIGKILL);
		if (mxt_record_child_ended(child) && living == 0)
			return;
		(void)poll(NULL, 0, KILL_WAIT_MS);
	}
}

void mxt_record_child_finish(struct mxt_record_child *child)
{
	if (child->pidfd >= 0)
		(void)close(child->pidfd);
	child->pidfd = -1;
}

void mxt_record_child_end_text(const struct mxt_record_child *child, struct mxt_buf *buf)
{
	if (WIFSIGNALED(child->wait_status))
		mxt_buf_printf(buf, "was killed by signal %d (%s)", WTERMSIG(child->wait_status),
			       strsignal(WTERMSIG(child->wait_status)));
	else
		mxt_buf_printf(buf, "exited with status %d", WEXITSTATUS(child->wait_status));
}
