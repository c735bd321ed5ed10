/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tool of the system that answers one question, such as git: found on the PATH, run as script.h says.
 */
#ifndef MXT_WORKER_OUTSIDE_TOOL_H
#define MXT_WORKER_OUTSIDE_TOOL_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "script.h"

struct mxt_buf;
struct mxt_clock;
struct mxt_error;

struct mxt_outside_tool {
	const char *const *argv;  /* NULL-ended; the first is its name, without a slash */
	char *const *environment; /* NULL-ended, complete; its PATH is searched, but for relative folders */
	const struct mxt_clock *clock;
	uint64_t limit_ns;
	size_t max_bytes; /* of what it prints */
	int cancel_fd;    /* -ECANCELED when it becomes readable; -1: none */
	struct mxt_script_tool streams;
};

/*
 * Appends what it prints on standard output. -ENOENT (MXT_E_SCRIPT) when it is not there; statuses of
 * mxt_script_run(). Texts begin with the tool's name. Call from the main thread only.
 */
int mxt_outside_tool_run(const struct mxt_outside_tool *tool, struct mxt_buf *output, struct mxt_error *err) MXT_WUR;

#endif
