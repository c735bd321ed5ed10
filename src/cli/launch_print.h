/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a launch has to say to a person: before it starts, instead of starting, and after its end.
 */
#ifndef MXT_CLI_LAUNCH_PRINT_H
#define MXT_CLI_LAUNCH_PRINT_H

#include <stdio.h>

#include "compiler.h"

struct mxt_error;
struct mxt_launch;
struct mxt_launch_result;

/* One line a remark: "mindxtrain: warning: …". */
void mxt_launch_print_remarks(FILE *out, const struct mxt_launch *launch);

/* --print: the command, the environment's difference, the config's difference, the hand-off files. */
int mxt_launch_print(FILE *out, const struct mxt_launch *launch, struct mxt_error *err) MXT_WUR;

/* After the end: what came of it, one line each. */
void mxt_launch_print_result(FILE *out, const struct mxt_launch *launch, const struct mxt_launch_result *result);

#endif
