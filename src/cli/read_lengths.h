/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lengths of the dataset that will be trained on, read by a child process in the Python that trains.
 */
#ifndef MXT_CLI_READ_LENGTHS_H
#define MXT_CLI_READ_LENGTHS_H

#include <stdint.h>

#include "command.h"
#include "compiler.h"
#include "workload.h"

struct mxt_error;

struct mxt_lengths_request {
	const char *dataset; /* --dataset; NULL: what the config's folder of prepared datasets holds, if there is one */
	const char *python;  /* --python; NULL: the one that is found */
	uint64_t limit_ns;   /* how long it may take */
};

/*
 * Puts them into the workload instead of what was assumed. What cannot be read is a note, and the assumption stays.
 * MXT_E_INPUT_FILE when --dataset names nothing; MXT_E_NO_PYTHON for a --python that is none; faults of ours.
 */
int mxt_read_lengths(const struct mxt_cli *cli, const struct mxt_lengths_request *request,
		     struct mxt_workload *workload, struct mxt_error *err) MXT_WUR;

#endif
