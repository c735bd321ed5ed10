/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `train` and `run` have in common: from the command line to the exit status. Everything is in src/launch; here it
 * is put in order, shown, and written down as it goes.
 */
#ifndef MXT_CLI_LAUNCH_SESSION_H
#define MXT_CLI_LAUNCH_SESSION_H

#include <stdint.h>

#include "command_line.h"
#include "compiler.h"
#include "nodes.h"

struct mxt_args;
struct mxt_cli;
struct mxt_error;

/* What only one of the two is told. All borrowed. */
struct mxt_launch_job {
	const char *command;        /* "train", "run" */
	const char *config;         /* `train`: the YAML */
	enum mxt_launcher launcher; /* `train` */
	bool reads_back;            /* `train` */
	struct mxt_nodes_request nodes;
};

/*
 * args->operands are the command of `run`, Axolotl's own arguments of `train`. Returns the exit status of the run, or a
 * failure of ours, which main() makes 125.
 */
int mxt_launch_session(struct mxt_cli *cli, const struct mxt_args *args, const struct mxt_launch_job *job,
		       struct mxt_error *err) MXT_WUR;

#endif
