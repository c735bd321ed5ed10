/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command that makes a plan of the same workload.
 */
#ifndef MXT_CLI_PLAN_COMMAND_H
#define MXT_CLI_PLAN_COMMAND_H

#include "buf.h"

struct mxt_plan;

/*
 * Appends "mindxtrain autotune ..." without a newline. Where options and a preset do not give the plan's workload, the
 * file that has to be at hand is named: config.json of the model, or the trainer's run.yaml.
 */
void mxt_plan_command(const struct mxt_plan *plan, struct mxt_buf *buf);

#endif
