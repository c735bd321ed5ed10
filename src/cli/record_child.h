/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command that is recorded: a child with our standard streams, in our process group, so that a terminal treats the
 * two as one job. What it leaves behind becomes our child, and can be ended.
 */
#ifndef MXT_CLI_RECORD_CHILD_H
#define MXT_CLI_RECORD_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "buf.h"
#include "compiler.h"

struct mxt_error;

struct mxt_record_child {
	pid_t pid;
	int pidfd;       /* readable once it has ended; -1 where the kernel has none */
	bool ended;      /* and waited for */
	int wait_status; /* as from waitpid(); valid once ended */
};

/*
 * argv is NULL-ended and looked up on PATH; `mask` is the child's signal mask. MXT_E_RECORD_COMMAND when it cannot be
 * started. To be released with mxt_record_child_finish().
 */
int mxt_record_child_start(struct mxt_record_child *child, char *const *argv, char *const *environment,
			   const sigset_t *mask, struct mxt_error *err) MXT_WUR;

/* True once it has ended; does not wait. */
bool mxt_record_child_ended(struct mxt_record_child *child);

/* KILL to it and to everything that descends from us, until all are gone or refuse to go. */
void mxt_record_child_kill(struct mxt_record_child *child);

void mxt_record_child_finish(struct mxt_record_child *child);

/* Of a child that has ended: appends "exited with status 3", "was killed by signal 9 (Killed)". */
void mxt_record_child_end_text(const struct mxt_record_child *child, struct mxt_buf *buf);

#endif
