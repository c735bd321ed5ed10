/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal that we share with a command which may read from it. The command is in a process group of its own, and a
 * terminal lets only one group read. It is handed over when the command wants to read, and not before: others of our
 * own group, behind a pipe (`| less`), may read from it as well.
 */
#ifndef MXT_LAUNCH_JOB_TERMINAL_H
#define MXT_LAUNCH_JOB_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>

struct mxt_job_terminal {
	int fd;      /* -1: there is none */
	pid_t group; /* the command's */
	bool lent;   /* it was handed over */
};
#define MXT_JOB_TERMINAL_INIT                                                                                          \
	{                                                                                                              \
		-1, 0, false                                                                                           \
	}

/* SIGTTOU is blocked from here to mxt_job_terminal_close(). */
void mxt_job_terminal_open(struct mxt_job_terminal *terminal, pid_t group);

/* True when the command may read now; false when that is not ours to say, since we are in the background. */
bool mxt_job_terminal_lend(struct mxt_job_terminal *terminal);

/*
 * Stops this process with a signal that stops a job (TSTP, TTIN, TTOU; blocked before and afterwards, as is CONT), for
 * a shell that waits for us; returns once it is continued. False: it was not stopped, since nobody controls its group
 * and could continue it.
 */
bool mxt_job_stop_self(int signal);

/* Takes it back, if the command still has it. */
void mxt_job_terminal_close(struct mxt_job_terminal *terminal);

#endif
