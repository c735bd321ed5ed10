/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan's measurements as a Markdown post: for readers who were not there, and only of real hardware.
 */
#ifndef MXT_CLI_PLAN_POST_H
#define MXT_CLI_PLAN_POST_H

#include "buf.h"
#include "compiler.h"

struct mxt_error;
struct mxt_plan;

/*
 * Appends the machine, the workload, attention and matrix products as they were timed, the decision, and how to repeat
 * it. Every number is one of the plan or follows from some; what is not there is called so. Refused are plans that show
 * no training's kernels: MXT_E_PLAN_SIMULATED, MXT_E_PLAN_SELF_TEST; and evidence of a newer version,
 * MXT_E_PLAN_SCHEMA.
 */
int mxt_plan_post(const struct mxt_plan *plan, struct mxt_buf *buf, struct mxt_error *err) MXT_WUR;

#endif
