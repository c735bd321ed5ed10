/* SPDX-License-Identifier: Apache-2.0 */
#include "job_terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

void mxt_job_terminal_open(struct mxt_job_terminal *terminal, pid_t group)
{
	*terminal = (struct mxt_job_terminal)MXT_JOB_TERMINAL_INIT;
	terminal->fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	terminal->group = group;
}

bool mxt_job_terminal_lend(struct mxt_job_terminal *terminal)
{
	if (terminal->fd < 0)
		return false;
	pid_t now = tcgetpgrp(terminal->fd);
	if (now == getpgrp())
		now = tcsetpgrp(terminal->fd, terminal->group) == 0 ? terminal->group : -1;
	terminal->lent = terminal->lent || now == terminal->group;
	return now == terminal->group;
}

bool mxt_job_stop_self(int signal)
{
	sigset_t set;
	(void)sigemptyset(&set);
	(void)sigaddset(&set, signal);
	(void)kill(getpid(), signal);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL); /* here it stops */
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	(void)sigpending(&set);
	return sigismember(&set, SIGCONT) == 1;
}

void mxt_job_terminal_close(struct mxt_job_terminal *terminal)
{
	if (terminal->lent && tcgetpgrp(terminal->fd) == terminal->group)
		(void)tcsetpgrp(terminal->fd, getpgrp());
	if (terminal->fd >= 0)
		(void)close(terminal->fd);
	*terminal = (struct mxt_job_terminal)MXT_JOB_TERMINAL_INIT;
}
