/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mindxtrain plan check: does a plan fit this machine, and what else the options name?
 */
#ifndef MXT_CLI_PLAN_CHECK_VERB_H
#define MXT_CLI_PLAN_CHECK_VERB_H

#include "compiler.h"

struct mxt_args;
struct mxt_cli;
struct mxt_error;
struct mxt_plan;

/* 0 when it does; MXT_E_PLAN_MISMATCH naming all that differs. Prints what was found either way. */
int mxt_plan_check_verb(const struct mxt_cli *cli, const struct mxt_args *args, const struct mxt_plan *plan,
			struct mxt_error *err) MXT_WUR;

#endif
