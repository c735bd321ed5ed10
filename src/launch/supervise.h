/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command with everything that it starts, shows and keeps what it writes, and leaves no process behind.
 *
 *   mindxtrain              reads the command's two pipes, writes its own streams and the log, forwards signals
 *     guardian              sees that nothing outlives the command or us: subreaper, holds a pipe to us
 *       command             leads a process group of its own
 *         ranks ...         may lead sessions of their own; found through /proc
 */
#ifndef MXT_LAUNCH_SUPERVISE_H
#define MXT_LAUNCH_SUPERVISE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "compiler.h"

struct mxt_error;

/* Looks at what the command writes. */
struct mxt_output_watch {
	/* stream 0: standard output, 1: standard error. False: the command is to be ended now. */
	bool (*take)(void *context, int stream, const char *bytes, size_t len);
	void *context;
};

/* All borrowed. */
struct mxt_supervise_request {
	char *const *argv; /* NULL-ended; argv[0] is looked up on the PATH of `environment` */
	char *const *environment;
	bool hands_stdin_over;                      /* else standard input is /dev/null */
	int log_fd;                                 /* train.log, append only; -1: none */
	int64_t grace_s;                            /* between a forwarded signal and the sweep */
	const struct mxt_output_watch *watch;       /* NULL: none */
	void (*on_start)(void *context, pid_t pid); /* once the command runs; NULL: not asked */
	void *on_start_context;
};

#define MXT_SUPERVISE_STUCK 8

struct mxt_supervised {
	bool started;
	int exec_errno;  /* why it was not started; 0: it was */
	int wait_status; /* the command's, as from waitpid() */
	int signal;      /* the first of TERM, INT, HUP and QUIT that stopped us; 0: none */
	bool ended_by_watch;
	int log_errno;   /* why the log is not complete; 0: it is */
	int shown_errno; /* why not all was shown (a closed pipe); 0: it was */
	uint64_t log_bytes;
	size_t n_swept;                   /* processes that had to be ended after the command was gone */
	pid_t stuck[MXT_SUPERVISE_STUCK]; /* processes that could not be ended */
	size_t n_stuck;
	uint64_t started_ns, ended_ns; /* CLOCK_MONOTONIC */
};

/*
 * From the calling process's main thread, while no other thread runs. A command that fails is no error: MXT_E_SPAWN and
 * the like are. Signals that stop us while it runs are forwarded; dispositions and mask are put back at the end.
 */
int mxt_supervise(const struct mxt_supervise_request *request, struct mxt_supervised *ret_supervised,
		  struct mxt_error *err) MXT_WUR;

/*
 * The exit status of `run` and `train` as far as the command decides it: its own; 128+n when a signal killed it or
 * stopped us, whatever it says itself; 126 when it cannot be executed, 127 when it is not found.
 */
int mxt_supervised_status(const struct mxt_supervised *supervised);

#endif
