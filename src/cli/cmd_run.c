/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs any command under a plan.
 */
#include <errno.h>

#include "cleanup.h"
#include "command.h"
#include "error.h"
#include "launch_session.h"

static const struct mxt_option options[] = {
#define MXT_LAUNCH_OPTION(name, argument, help) {name, argument, help},
#include "launch_options.def"
#undef MXT_LAUNCH_OPTION
};

static int run(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err)
{
	const struct mxt_launch_job job = {.command = "run", .nodes = {.rank = -1}};
	if (args->n_operands == 0)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				     "say what to run: mindxtrain run --plan plan.json -- python3 train.py");
	return mxt_launch_session(cli, args, &job, err);
}

const struct mxt_command mxt_cmd_run = {
    .name = "run",
    .summary = "run a command under a plan",
    .synopsis = "--plan FILE [OPTIONS] -- COMMAND [ARGUMENTS]",
    .options = options,
    .n_options = MXT_ARRAY_LEN(options),
    .run = run,
    .failure_status = MXT_EXIT_LAUNCH,
};
