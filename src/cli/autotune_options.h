/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the options of autotune come to, before the machine is looked at.
 */
#ifndef MXT_CLI_AUTOTUNE_OPTIONS_H
#define MXT_CLI_AUTOTUNE_OPTIONS_H

#include <stdint.h>

#include "compiler.h"

struct mxt_args;
struct mxt_cli;
struct mxt_error;
struct mxt_workload_source;

struct mxt_autotune_settings {
	int64_t budget_s, margin_percent, seed; /* seed -1: to be drawn */
	const char *out;                        /* borrowed from the arguments, or static */
};

/*
 * Both outputs borrow from the arguments and from the caller's environment. MXT_E_USAGE for what is no value of its
 * option, for options that do not go together, and where nobody says what is trained.
 */
int mxt_autotune_take_options(const struct mxt_cli *cli, const struct mxt_args *args,
			      struct mxt_autotune_settings *ret_settings, struct mxt_workload_source *ret_source,
			      struct mxt_error *err) MXT_WUR;

#endif
