/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork and exec of a worker process.
 */
#ifndef MXT_WORKER_SPAWN_H
#define MXT_WORKER_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

struct mxt_error;

#define MXT_SPAWN_FDS 4

struct mxt_spawn {
	const char *program;
	char *const *argv;
	char *const *environment; /* exactly this */
	bool takes_terminal;      /* standard input is a terminal, and it gets into its foreground */
	int fds[MXT_SPAWN_FDS];   /* what become descriptors 0 to 3; MXT_WORKER_SOCKET_FD is the last */
};

/*
 * Starts the process: leader of a process group of its own, killed when the calling thread ends, signal mask and
 * dispositions at their defaults, no other descriptor open. What fails between fork and exec is a line on its
 * standard error and exit status 126. Descriptors of `spawn` stay the caller's. Returns as soon as the process is bound
 * to die with the calling thread; it may not have called exec yet.
 */
int mxt_spawn(const struct mxt_spawn *spawn, pid_t *ret_pid, struct mxt_error *err);

#endif
