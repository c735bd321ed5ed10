/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a launch has to say to a person before it starts, and instead of starting.
 */
#ifndef MXT_CLI_LAUNCH_PRINT_H
#define MXT_CLI_LAUNCH_PRINT_H

#include <stdio.h>

#include "compiler.h"

struct mxt_error;
struct mxt_launch;

/* One line a remark: "mindxtrain: warning: …". `verdict`: what is printed last; what it says is left out. NULL:
 * nothing. */
void mxt_launch_print_remarks(FILE *out, const struct mxt_launch *launch, const struct mxt_error *verdict);

/* --print: the command, the environment's difference, the config's difference, the hand-off files. */
int mxt_launch_print(FILE *out, const struct mxt_launch *launch, struct mxt_error *err) MXT_WUR;

#endif
