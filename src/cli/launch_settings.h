/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the command line of `train` and `run` says in the options that both have (launch_options.def).
 */
#ifndef MXT_CLI_LAUNCH_SETTINGS_H
#define MXT_CLI_LAUNCH_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

struct mxt_args;
struct mxt_error;

/* Texts are borrowed from the command line. */
struct mxt_launch_settings {
	const char *plan, *out;
	const char *python; /* NULL: not given */
	bool prints;        /* nothing is made or started */
	bool records;
	bool makes_manifest;
	bool requires_proof;
	unsigned allowed; /* of enum mxt_allowance */
	bool grace_given;
	int64_t grace_s;
	char **operands; /* owned, NULL-ended; the words are borrowed */
};
#define MXT_LAUNCH_SETTINGS_INIT                                                                                       \
	{                                                                                                              \
		.operands = NULL                                                                                       \
	}
void mxt_launch_settings_finish(struct mxt_launch_settings *settings);

/* MXT_E_USAGE. */
int mxt_launch_settings_parse(const struct mxt_args *args, struct mxt_launch_settings *ret_settings,
			      struct mxt_error *err) MXT_WUR;

/* How long a stopped job may take, where the scheduler kills it after `kill_wait_s` (0: it does not, or is not known).
 */
int64_t mxt_launch_settings_grace_s(const struct mxt_launch_settings *settings, int64_t kill_wait_s);

#endif
