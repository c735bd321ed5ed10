/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One child process that leads a process group of its own: signalled, waited for, ended, its end put into words.
 */
#ifndef MXT_WORKER_PROCESS_H
#define MXT_WORKER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "buf.h"

struct mxt_error;

struct mxt_process {
	pid_t pid;
	int pidfd;       /* readable once it has ended; -1 where the kernel has none */
	bool reaped;     /* it is gone and waited for */
	bool known;      /* wait_status is valid: nobody else took it */
	int wait_status; /* as from waitpid() */
};

#define MXT_PROCESS_INIT                                                                                               \
	{                                                                                                              \
		-1, -1, true, false, 0                                                                                 \
	}

/* Takes over a child of this process that was just forked. */
void mxt_process_init(struct mxt_process *process, pid_t pid);
void mxt_process_finish(struct mxt_process *process);

/* To the process and everything in its group; nothing once it is reaped. */
void mxt_process_signal(const struct mxt_process *process, int signal);

/*
 * True once the process has ended; it is reaped then, and what is left of its group is killed before. Waits at most
 * `wait_ns` of real time.
 */
bool mxt_process_ended(struct mxt_process *process, uint64_t wait_ns);

/* TERM, grace, KILL, reap. 0, or -EBUSY with pid and state in err when even that does not end it. */
int mxt_process_end(struct mxt_process *process, struct mxt_error *err);

/* State letter of /proc/PID/stat ('R', 'S', 'D', 'T', …); '?' when it cannot be read. */
char mxt_process_state(const struct mxt_process *process);

/* Appends "exited with status 3", "killed by signal 9 (…)" of a reaped process. */
void mxt_process_describe_end(const struct mxt_process *process, struct mxt_buf *buf);

#endif
