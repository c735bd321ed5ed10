/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals while a command is supervised: as a readable descriptor, and put back as they were afterwards.
 */
#ifndef MXT_LAUNCH_LAUNCH_SIGNALS_H
#define MXT_LAUNCH_LAUNCH_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "compiler.h"

struct mxt_error;

struct mxt_launch_signals {
	int fd;             /* signalfd: what is in `forwarded`, CHLD, CONT, TSTP */
	sigset_t forwarded; /* to the command: TERM, INT, HUP, QUIT, USR1, USR2, but for those that our caller ignores
			       (nohup) */
	sigset_t mask;      /* as it was */
	struct sigaction actions[3];
	bool held;
};
#define MXT_LAUNCH_SIGNALS_INIT                                                                                        \
	{                                                                                                              \
		.fd = -1, .held = false                                                                                \
	}

/* Blocks all of them, and what would stop or end us for reading or writing: TTIN, TTOU, PIPE, XFSZ. */
int mxt_launch_signals_hold(struct mxt_launch_signals *signals, struct mxt_error *err) MXT_WUR;

/* What has come and was not read is forgotten: it can change nothing any more. */
void mxt_launch_signals_release(struct mxt_launch_signals *signals);

/* In a child that becomes the command: nothing is blocked; PIPE, XFSZ and CHLD are at their defaults, as a shell leaves
 * them; what else our caller ignores stays ignored. */
void mxt_launch_signals_reset(void);

#endif
