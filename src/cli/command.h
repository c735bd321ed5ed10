/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file per command (cmd_NAME.c), one row in commands.def, one man page docs/man/mindxtrain-NAME.1.
 */
#ifndef MXT_CLI_COMMAND_H
#define MXT_CLI_COMMAND_H

#include <stdint.h>
#include <stdio.h>

#include "options.h"

struct mxt_cli {
	FILE *out;          /* results */
	uint64_t start_ns;  /* CLOCK_MONOTONIC at process start: budgets count from here */
	char **environment; /* the caller's, as main() got it */
	int failure_status; /* exit status of every failure of ours but interrupts; 0: that of its class */
};

struct mxt_command {
	const char *name;
	const char *summary;  /* one line, lower case */
	const char *synopsis; /* what follows the name in usage */
	const struct mxt_option *options;
	size_t n_options;
	/*
	 * Returns an exit status, or a negative errno with *err filled, which main() prints and maps to an exit status.
	 */
	int (*run)(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err);
	int failure_status; /* see struct mxt_cli */
};

#define MXT_COMMAND(symbol, name) extern const struct mxt_command symbol;
#include "commands.def"
#undef MXT_COMMAND

/* Exit statuses of every command but run and train. */
enum mxt_exit {
	MXT_EXIT_DONE = 0,
	MXT_EXIT_INTERNAL = 1,
	MXT_EXIT_USAGE = 2,
	MXT_EXIT_INPUT = 3,
	MXT_EXIT_DEVICE = 4,
	MXT_EXIT_MISMATCH = 5,
	MXT_EXIT_PROBE = 6,
	MXT_EXIT_VERIFY = 7,
	MXT_EXIT_LAUNCH = 125, /* run and train: any failure that is not the command's */
	MXT_EXIT_NOT_EXECUTABLE = 126,
	MXT_EXIT_NOT_FOUND = 127,
	MXT_EXIT_SIGNAL = 128, /* plus the signal's number */
};

#endif
