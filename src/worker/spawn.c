/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "compiler.h"
#include "error.h"

/*
 * Everything down to child_main() runs between fork and exec: only async-signal-safe calls, no allocation, no locks.
 */

#define SAFE_FD   10 /* where descriptors wait until their final numbers are free */
#define EXIT_BARE 126

/* `fd`: what is, or will be, standard error. */
MXT_NORETURN static void give_up(int fd, const char *what)
{
	char digits[16];
	size_t at = sizeof digits;
	unsigned number = (unsigned)errno;
	do
		digits[--at] = (char)('0' + number % 10);
	while ((number /= 10) > 0);
	static const char before[] = "worker cannot start: ";
	static const char middle[] = " failed with error number ";
	ssize_t ignored = write(fd, before, sizeof before - 1);
	ignored += write(fd, what, strlen(what));
	ignored += write(fd, middle, sizeof middle - 1);
	ignored += write(fd, digits + at, sizeof digits - at);
	(void)ignored;
	_exit(EXIT_BARE);
}

/* By the system call: sigaction() refuses the two that libc keeps for itself, and the caller may ignore these, too. */
static void reset_signals(void)
{
	static const uint64_t standard[8]; /* the kernel's own struct sigaction, whatever its layout: zero is SIG_DFL */
	for (int signal = 1; signal <= SIGRTMAX; signal++)
		(void)syscall(SYS_rt_sigaction, signal, standard, NULL, sizeof(uint64_t)); /* KILL and STOP refuse */
	sigset_t none;
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* dup2() over two steps, because a source may lie where another target goes. */
static void place_descriptors(const struct mxt_spawn *spawn)
{
	int held[MXT_SPAWN_FDS];
	for (size_t i = 0; i < MXT_SPAWN_FDS; i++) {
		held[i] = fcntl(spawn->fds[i], F_DUPFD, SAFE_FD);
		if (held[i] < 0)
			give_up(spawn->fds[STDERR_FILENO], "duplicating a descriptor");
	}
	for (size_t i = 0; i < MXT_SPAWN_FDS; i++)
		if (dup2(held[i], (int)i) < 0)
			give_up(spawn->fds[STDERR_FILENO], "placing a descriptor");
}

struct kernel_dirent { /* as getdents64(2) writes it */
	uint64_t inode;
	int64_t offset;
	uint16_t record_bytes;
	uint8_t type;
	char name[];
};

static int fd_of_name(const char *name)
{
	int fd = 0;
	for (; *name >= '0' && *name <= '9'; name++)
		fd = fd * 10 + (*name - '0');
	return *name ? -1 : fd;
}

/* Closes what one batch of directory entries names; returns whether anything was closed. */
static bool close_listed(const char *entries, long bytes, int first, int directory)
{
	bool closed = false;
	for (long at = 0; at < bytes;) {
		struct kernel_dirent entry;
		memcpy(&entry, entries + at, sizeof entry);
		int fd = fd_of_name(entries + at + offsetof(struct kernel_dirent, name));
		if (fd >= first && fd != directory)
			closed = close(fd) == 0 || closed;
		at += entry.record_bytes;
	}
	return closed;
}

/* Without close_range(2): by the list of what is open, again from its start until a pass finds nothing. */
static void close_by_list(int first)
{
	int directory = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		give_up(STDERR_FILENO, "reading /proc/self/fd");
	char entries[4096];
	bool closed = true;
	while (closed) {
		closed = false;
		long bytes;
		(void)lseek(directory, 0, SEEK_SET);
		while ((bytes = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0)
			closed = close_listed(entries, bytes, first, directory) || closed;
	}
	(void)close(directory);
}

static void close_from(int first)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, (unsigned)first, ~0U, 0U) == 0)
		return;
#endif
	close_by_list(first);
}

MXT_NORETURN static void child_main(const struct mxt_spawn *spawn, pid_t parent, int armed_fd)
{
	(void)setpgid(0, 0);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		give_up(spawn->fds[STDERR_FILENO], "prctl(PR_SET_PDEATHSIG)");
	if (getppid() != parent) /* it died before the signal was armed */
		_exit(EXIT_BARE);
	if (write(armed_fd, "", 1) != 1)
		give_up(spawn->fds[STDERR_FILENO], "telling the supervisor");
	place_descriptors(spawn);
	close_from(MXT_SPAWN_FDS);
	if (spawn->takes_terminal) /* all signals are blocked: SIGTTOU stops nobody */
		(void)tcsetpgrp(STDIN_FILENO, getpid());
	reset_signals();
	(void)execve(spawn->program, spawn->argv, spawn->environment);
	give_up(STDERR_FILENO, spawn->program);
}

static int fork_child(const struct mxt_spawn *spawn, int armed_fd, pid_t *ret_pid, struct mxt_error *err)
{
	sigset_t all, before;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before); /* no handler of the caller may run in the child */
	pid_t parent = getpid();
	pid_t pid = fork();
	int fault = errno;
	if (pid == 0)
		child_main(spawn, parent, armed_fd);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (pid < 0)
		return mxt_error_set(err, -fault, MXT_E_SPAWN,
				     "cannot start a worker process: %s; see the limit of processes (ulimit -u)",
				     strerror(fault));
	(void)setpgid(pid, pid); /* whoever is first; so that the group exists when this returns */
	*ret_pid = pid;
	return 0;
}

/* Until the child dies with us it must not be stopped, or it could outlive us; so this waits for it. */
static void await_armed(int fd)
{
	char byte;
	ssize_t got;
	do
		got = read(fd, &byte, 1); /* nothing: it ended before, which whoever waits for it will see */
	while (got < 0 && errno == EINTR);
}

int mxt_spawn(const struct mxt_spawn *spawn, pid_t *ret_pid, struct mxt_error *err)
{
	int armed[2];
	if (pipe2(armed, O_CLOEXEC) < 0)
		return mxt_error_errno(err, errno, "cannot create a pipe for a worker");
	int rc = fork_child(spawn, armed[1], ret_pid, err);
	(void)close(armed[1]);
	if (rc == 0)
		await_armed(armed[0]);
	(void)close(armed[0]);
	return rc;
}
