/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process between us and the command. It is the parent of the command and the subreaper of everything below, and
 * leads the process group that the command is in: what a terminal sends to that group it hears, too. When we die, it
 * ends them all; nothing but SIGKILL stops or ends the guardian itself before.
 */
#ifndef MXT_LAUNCH_GUARDIAN_H
#define MXT_LAUNCH_GUARDIAN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "compiler.h"
#include "process_tree.h"

struct mxt_error;

/* One packet of a SOCK_SEQPACKET pair, between a process and its fork. */
enum mxt_guardian_word {
	/* to the guardian */
	MXT_GUARDIAN_DELIVER, /* value: a signal for the command; one that asks for an end starts its grace */
	MXT_GUARDIAN_HALT,    /* stop all of them (SIGSTOP) */
	MXT_GUARDIAN_RESUME,  /* continue them */
	/* from it */
	MXT_GUARDIAN_FAILED,  /* value: errno; there is no command, and no guardian any more */
	MXT_GUARDIAN_FORKED,  /* value: the command's pid */
	MXT_GUARDIAN_STARTED, /* it has become the command */
	MXT_GUARDIAN_REFUSED, /* value: errno of exec */
	MXT_GUARDIAN_HEARD,   /* value: a signal that a terminal sent to the command's group */
	MXT_GUARDIAN_STOPPED, /* value: the signal that stopped the command */
	MXT_GUARDIAN_ENDED,   /* value: its wait status; what it left behind is ended now */
	MXT_GUARDIAN_OVER,    /* value: the wait status again; all are gone but `stuck`, and so will be the guardian */
};

struct mxt_guardian_packet {
	enum mxt_guardian_word word;
	int value;
	bool command_ended; /* OVER: value is valid */
	size_t n_swept, n_stuck;
	pid_t stuck[MXT_PROCESS_TREE_NAMED];
};

/* All borrowed. */
struct mxt_guardian_request {
	char *const *argv;
	char *const *environment;
	int stdin_fd, stdout_fd, stderr_fd; /* become the command's */
	bool keeps_terminal; /* a process group of this session; else a session of its own, without a terminal */
	uint64_t grace_ns;
	const sigset_t *forwarded; /* signals that it tells of */
};

struct mxt_guardian {
	pid_t pid; /* 0: none, or reaped */
	int fd;    /* our end of the pair, does not block; -1: none */
};
#define MXT_GUARDIAN_INIT                                                                                              \
	{                                                                                                              \
		0, -1                                                                                                  \
	}

/* Signals are held (launch_signals.h), and this process is a subreaper. MXT_E_SPAWN. */
int mxt_guardian_start(const struct mxt_guardian_request *request, struct mxt_guardian *ret_guardian,
		       struct mxt_error *err) MXT_WUR;

/* A guardian that cannot be told is dead or dying: nothing is lost. */
void mxt_guardian_tell(const struct mxt_guardian *guardian, enum mxt_guardian_word word, int value);

/* 1: a packet; 0: none now; -1: the guardian is gone. */
int mxt_guardian_hear(const struct mxt_guardian *guardian, struct mxt_guardian_packet *ret_packet);

/* Waits for its end, which has come or is about to. */
void mxt_guardian_reap(struct mxt_guardian *guardian);

#endif
