/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trains with Axolotl under a plan.
 */
#include <errno.h>

#include "cleanup.h"
#include "command.h"
#include "error.h"
#include "launch_session.h"
#include "node_value.h"

static const struct mxt_option options[] = {
    {"config", "FILE", "the Axolotl config; it is not changed, a copy is"},
#define MXT_LAUNCH_OPTION(name, argument, help) {name, argument, help},
#include "launch_options.def"
#undef MXT_LAUNCH_OPTION
    {"launcher", "NAME", "accelerate (default), torchrun, or python for one process"},
    {"no-readback", NULL, "go on when Axolotl does not report the planned keys as planned"},
    {"nodes", "N", "nodes that take part (default: what Slurm or Kubeflow says, else 1)"},
    {"node-rank", "N", "which of them this is, from 0"},
    {"main-address", "HOST", "where node 0 is reached by the others"},
    {"main-port", "PORT", "and on which port (default: 29500, or by Slurm's job)"},
};

static int take_nodes(const struct mxt_args *args, struct mxt_nodes_request *ret_nodes, struct mxt_error *err)
{
	*ret_nodes = (struct mxt_nodes_request){.rank = -1, .address = mxt_args_get(args, "main-address")};
	int rc = mxt_args_int(args, "nodes", 1, MXT_NODES_MAX, &ret_nodes->count, err);
	if (rc == 0)
		rc = mxt_args_int(args, "node-rank", 0, MXT_NODES_MAX - 1, &ret_nodes->rank, err);
	return rc == 0 ? mxt_args_int(args, "main-port", 1, MXT_PORT_MAX, &ret_nodes->port, err) : rc;
}

static int run(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err)
{
	struct mxt_launch_job job = {.command = "train",
				     .config = mxt_args_get(args, "config"),
				     .reads_back = !mxt_args_has(args, "no-readback")};
	if (!job.config)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				     "say what to train: mindxtrain train --plan plan.json --config run.yaml");
	if (args->n_operands > 0 && args->operands[0][0] != '-')
		return mxt_error_set(
		    err, -EINVAL, MXT_E_USAGE,
		    "'%s' is no option; what stands behind -- goes to Axolotl: -- --learning_rate=0.0001",
		    args->operands[0]);
	int rc = take_nodes(args, &job.nodes, err);
	if (rc == 0 && mxt_args_has(args, "launcher"))
		rc = mxt_launcher_parse(mxt_args_get(args, "launcher"), &job.launcher, err);
	return rc == 0 ? mxt_launch_session(cli, args, &job, err) : rc;
}

const struct mxt_command mxt_cmd_train = {
    .name = "train",
    .summary = "train with Axolotl under a plan",
    .synopsis = "--plan FILE --config FILE [OPTIONS] [-- AXOLOTL-OPTIONS]",
    .options = options,
    .n_options = MXT_ARRAY_LEN(options),
    .run = run,
    .failure_status = MXT_EXIT_LAUNCH,
};
