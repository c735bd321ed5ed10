/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line of a worker: this program's own, or, where a provider computes, that of the Python that trains
 * (python/mindxtrain_plan/worker.py), which speaks the same protocol.
 */
#ifndef MXT_WORKER_WORKER_COMMAND_H
#define MXT_WORKER_WORKER_COMMAND_H

#include "buf.h"
#include "worker.h"

#define MXT_WORKER_MAX_ARGUMENTS 96

struct mxt_worker_command {
	const char *program;                        /* borrowed from the spec, or static */
	const char *argv[MXT_WORKER_MAX_ARGUMENTS]; /* NULL-ended; borrowed from the spec, its tables, and below */
	char ordinal[16];
	struct mxt_buf script; /* owned: the path of a Python worker */
};

/*
 * Made in place: it does not move afterwards. MXT_E_PYTHON_FILES, MXT_E_PYTHON_PROVIDER for a provider without a
 * Python. To be released with mxt_worker_command_finish() in every case.
 */
int mxt_worker_command_init(struct mxt_worker_command *command, const struct mxt_worker_spec *spec,
			    struct mxt_error *err) MXT_WUR;
void mxt_worker_command_finish(struct mxt_worker_command *command);

#endif
