/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command with everything that it starts, shows and keeps what it writes, and leaves no process behind.
 *
 *   mindxtrain              reads the command's two pipes, writes its own streams and the log, hears signals
 *     guardian              leads the command's process group; sees that nothing outlives the command or us
 *       command
 *         ranks ...         may lead sessions of their own; found through /proc
 *
 * Signals that ask for an end (TERM, INT, HUP, QUIT) reach the command once, and its grace begins; a second one leaves
 * five seconds of it, a third nothing. Then all that are left get TERM, and KILL after five seconds more; so do those
 * that are left a second after the command has ended by itself. USR1 and USR2 are passed on. TSTP holds all of them,
 * and CONT continues them.
 *
 * Where standard input is handed over on a terminal, the command may read from it as a job in the foreground of a shell
 * may; else it has no terminal at all.
 */
#ifndef MXT_LAUNCH_SUPERVISE_H
#define MXT_LAUNCH_SUPERVISE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "compiler.h"
#include "process_tree.h"

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

struct mxt_supervised {
	bool started;
	int exec_errno;  /* why it was not started; 0: it was */
	int wait_status; /* the command's, as from waitpid(); that of a killed one when it could not be ended */
	int signal;      /* the first of TERM, INT, HUP and QUIT that stopped us; 0: none */
	bool ended_by_watch;
	int log_errno;       /* why the log is not complete; 0: it is */
	int shown_errno;     /* why not all was shown: EPIPE, EAGAIN (nobody reads it), ...; 0: it was */
	uint64_t lost_bytes; /* not shown */
	uint64_t log_bytes;
	size_t n_swept;                      /* processes that had to be ended after the command was gone */
	pid_t stuck[MXT_PROCESS_TREE_NAMED]; /* processes that could not be ended */
	size_t n_stuck;
	uint64_t started_ns, ended_ns; /* CLOCK_MONOTONIC */
};

/*
 * From the calling process's main thread, while no other thread runs and there is no other child. A command that fails
 * is no error; MXT_E_SPAWN is, and MXT_E_LAUNCH_GUARDIAN: the guardian was killed, and the command ended for that.
 * Dispositions and mask are put back at the end, signals that came and changed nothing are forgotten; the process stays
 * a subreaper.
 */
int mxt_supervise(const struct mxt_supervise_request *request, struct mxt_supervised *ret_supervised,
		  struct mxt_error *err) MXT_WUR;

#endif
