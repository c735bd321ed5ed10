/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds what lies here against the manifest of a run.
 */
#include <errno.h>

#include "command.h"
#include "compiler.h"
#include "error.h"

static const struct mxt_option options[] = {
    {"json", NULL, "print one JSON object"},
};

static int run(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err)
{
	(void)cli;
	if (args->n_operands != 1)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				     "verify takes the folder of one run, or its manifest: mindxtrain verify RUN_DIR");
	return mxt_error_set(err, -ENOSYS, MXT_E_INTERNAL, "verify is not there yet");
}

const struct mxt_command mxt_cmd_verify = {
    .name = "verify",
    .summary = "hold a run's files against its manifest",
    .synopsis = "RUN_DIR|MANIFEST [OPTIONS]",
    .options = options,
    .n_options = MXT_ARRAY_LEN(options),
    .run = run,
};
