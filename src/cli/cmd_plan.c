/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "command.h"
#include "error.h"

static int run(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err)
{
	(void)cli;
	(void)args;
	return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "usage: mindxtrain plan COMMAND FILE");
}

const struct mxt_command mxt_cmd_plan = {"plan", "read, check and apply a plan", "COMMAND FILE", NULL, 0, run};
