/* SPDX-License-Identifier: Apache-2.0 */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "error.h"

#define GRACE_NS (250 * MXT_NS_PER_MS) /* between TERM and KILL */
#define KILL_NS  (4 * MXT_NS_PER_S)    /* after KILL, on a busy host: only an uninterruptible sleep outlasts this */
#define SLICE_MS 10                    /* how often a process without pidfd is looked at */

void mxt_process_init(struct mxt_process *process, pid_t pid)
{
	*process = (struct mxt_process)MXT_PROCESS_INIT;
	process->pid = pid;
	process->reaped = false;
#ifdef SYS_pidfd_open
	process->pidfd = (int)syscall(SYS_pidfd_open, pid, 0); /* close-on-exec by itself; ENOSYS before Linux 5.3 */
#endif
}

void mxt_process_finish(struct mxt_process *process)
{
	if (process->pidfd >= 0)
		(void)close(process->pidfd);
	process->pidfd = -1;
}

void mxt_process_signal(const struct mxt_process *process, int signal)
{
	if (!process->reaped)
		(void)kill(-process->pid, signal);
}

/* Looks once. The group goes before its leader is reaped: until then nothing else can have its number. */
static bool reap(struct mxt_process *process)
{
	siginfo_t info = {.si_pid = 0};
	if (process->reaped)
		return true;
	if (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0)
		return false;
	if (info.si_pid == process->pid) {
		(void)kill(-process->pid, SIGKILL);
		process->known = waitpid(process->pid, &process->wait_status, 0) == process->pid;
	}
	process->reaped = true; /* also when someone else waited for it (ECHILD), as under an ignored SIGCHLD */
	return true;
}

bool mxt_process_ended(struct mxt_process *process, uint64_t wait_ns)
{
	uint64_t deadline = mxt_now_ns(&mxt_clock_monotonic) + wait_ns;
	while (!reap(process)) {
		uint64_t now = mxt_now_ns(&mxt_clock_monotonic);
		if (now >= deadline)
			return false;
		int left_ms = (int)((deadline - now) / MXT_NS_PER_MS) + 1;
		struct pollfd end = {process->pidfd, POLLIN, 0};
		(void)poll(&end, 1, process->pidfd < 0 && left_ms > SLICE_MS ? SLICE_MS : left_ms);
	}
	return true;
}

int mxt_process_end(struct mxt_process *process, struct mxt_error *err)
{
	mxt_process_signal(process, SIGTERM);
	mxt_process_signal(process, SIGCONT); /* a stopped process takes TERM only when it goes on */
	if (mxt_process_ended(process, GRACE_NS))
		return 0;
	mxt_process_signal(process, SIGKILL);
	if (mxt_process_ended(process, KILL_NS))
		return 0;
	return mxt_error_set(
	    err, -EBUSY, MXT_E_WORKER_STUCK,
	    "process %d does not end, not even by SIGKILL (state %c); it holds what it holds until the "
	    "kernel lets it go",
	    (int)process->pid, mxt_process_state(process));
}

char mxt_process_state(const struct mxt_process *process)
{
	char text[512];
	(void)snprintf(text, sizeof text, "/proc/%d/stat", (int)process->pid);
	MXT_CLEANUP_CLOSE int fd = open(text, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
	text[got > 0 ? got : 0] = '\0';
	const char *name_end = strrchr(text, ')'); /* the name before it may hold anything */
	if (!name_end || name_end[1] != ' ' || name_end[2] == '\0')
		return '?';
	return name_end[2];
}

struct signal_hint {
	int signal;
	const char *hint;
};

static const struct signal_hint signal_hints[] = {
    {SIGKILL, "out of memory? the kernel kills with 9"},
    {SIGSEGV, "invalid memory access"},
    {SIGBUS, "memory or a mapped file went away"},
    {SIGILL, "an instruction that this processor does not have"},
    {SIGFPE, "arithmetic fault"},
    {SIGABRT, "it aborted itself"},
    {SIGSYS, "a system call that is forbidden here"},
    {SIGXCPU, "limit of processor time"},
};

static const char *hint_of(int signal)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(signal_hints); i++)
		if (signal_hints[i].signal == signal)
			return signal_hints[i].hint;
	return NULL;
}

void mxt_process_describe_end(const struct mxt_process *process, struct mxt_buf *buf)
{
	int status = process->wait_status;
	const char *hint = process->known && WIFSIGNALED(status) ? hint_of(WTERMSIG(status)) : NULL;
	if (!process->known)
		mxt_buf_puts(buf, "ended; its exit status went to someone else");
	else if (hint)
		mxt_buf_printf(buf, "killed by signal %d (%s)", WTERMSIG(status), hint);
	else if (WIFSIGNALED(status))
		mxt_buf_printf(buf, "killed by signal %d", WTERMSIG(status));
	else
		mxt_buf_printf(buf, "exited with status %d", WEXITSTATUS(status));
}
