/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine that a command is about: this one, or one that is recorded below --sysroot. What runs there is seen with
 * the environment that was recorded with it.
 */
#ifndef MXT_CLI_RECORDED_MACHINE_H
#define MXT_CLI_RECORDED_MACHINE_H

#include <jansson.h>

#include "command.h"
#include "compiler.h"
#include "environ_list.h"
#include "sysroot.h"

struct mxt_device_ops;
struct mxt_error;
struct mxt_problem_set;
struct mxt_tune_request;

struct mxt_machine {
	struct mxt_sysroot root;          /* its prefix is borrowed from the arguments */
	struct mxt_environ_list recorded; /* owned */
	char **environment;               /* borrowed from `recorded` or from the command line's caller; NULL-ended */
};
#define MXT_MACHINE_INIT                                                                                               \
	{                                                                                                              \
		{.prefix = ""}, MXT_ENVIRON_LIST_INIT, NULL                                                            \
	}
#define MXT_CLEANUP_MACHINE MXT_CLEANUP(mxt_machine_finish)

/* `sysroot`: the value of --sysroot, or NULL. MXT_E_USAGE for "", MXT_E_NOT_A_MACHINE, or statuses of reading. */
int mxt_machine_init(struct mxt_machine *machine, const struct mxt_cli *cli, const char *sysroot,
		     struct mxt_error *err) MXT_WUR;
void mxt_machine_finish(struct mxt_machine *machine);

/*
 * Shows what `request` would do on a recorded machine; nothing is started, and no plan is made. The request's root is
 * that of the machine; what the record tells of its cards is added here. Statuses of mxt_tune_outlook().
 */
int mxt_machine_print_outlook(const struct mxt_cli *cli, const struct mxt_machine *machine, bool json,
			      const struct mxt_tune_request *request, struct mxt_error *err) MXT_WUR;

#endif
