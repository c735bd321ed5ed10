/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan for people.
 */
#ifndef MXT_CLI_PLAN_SHOW_H
#define MXT_CLI_PLAN_SHOW_H

#include "buf.h"

struct mxt_plan;

/* " (self-test)", " (simulated)", " (self-test, simulated)" or "": goes wherever a plan is named. Static text. */
const char *mxt_plan_marks(const struct mxt_plan *plan);

/*
 * Appends the decision, how it was made, and what was timed. Every line with a time says so when it is not a real one.
 */
void mxt_plan_show(const struct mxt_plan *plan, struct mxt_buf *buf);

#endif
