/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child process that answers one question: it writes its answer to a descriptor of its own, so that nothing that a
 * library prints can get into it, and ends. It is ended when it takes too long or answers too much; of what it prints
 * the last line becomes part of the reason. A tool of others, such as git, answers on its standard output instead, and
 * its exit status says whether that counts.
 */
#ifndef MXT_WORKER_SCRIPT_H
#define MXT_WORKER_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

struct mxt_buf;
struct mxt_clock;
struct mxt_error;

/* Where the child finds the descriptor to write to, in decimal digits for its command line. */
#define MXT_SCRIPT_DESCRIPTOR "3"

struct mxt_script_tool {
	int input_fd; /* its standard input; -1: /dev/null */
	int extra_fd; /* its descriptor 3 (/dev/fd/3); -1: /dev/null */
	/* Standard input, ours and its own, is a terminal: it is in the foreground until its end. */
	bool takes_terminal;
};

struct mxt_script {
	const char *program;
	char *const *argv;        /* NULL-ended */
	char *const *environment; /* NULL-ended, complete */
	const struct mxt_clock *clock;
	uint64_t deadline_ns;
	int cancel_fd;                      /* readable once the run must stop; -1 for none */
	size_t max_bytes;                   /* of an answer */
	const struct mxt_script_tool *tool; /* NULL: it is none */
};

/*
 * Appends the answer, whatever the exit status, unless it is empty. MXT_E_SCRIPT: -ETIME past the deadline, -E2BIG, or
 * -EIO without an answer; -ECANCELED (MXT_E_CANCELLED) once cancel_fd is readable; or faults of ours. No process is
 * left; -EBUSY names one that cannot be ended. Call from the main thread only.
 *
 * Of a tool, an empty answer is one, too; it must exit with status 0: any other is MXT_E_SCRIPT with -EREMOTEIO, and
 * -EIO what a signal killed.
 */
int mxt_script_run(const struct mxt_script *script, struct mxt_buf *answer, struct mxt_error *err) MXT_WUR;

#endif
