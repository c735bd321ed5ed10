/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The software that a plan is held against: the Python that trains, its torch and its packages, by files; and what
 * NVIDIA's driver says of the cards, which takes a worker's start.
 */
#ifndef MXT_CLI_PLAN_SOFTWARE_H
#define MXT_CLI_PLAN_SOFTWARE_H

#include <jansson.h>

#include "compiler.h"
#include "nvidia_answer.h"
#include "python_env.h"
#include "python_packages.h"
#include "torch_install.h"

struct mxt_error;
struct mxt_plan;
struct mxt_plan_machine;
struct mxt_sysroot;

/* Must stay where it is while a machine borrows from it. */
struct mxt_plan_software {
	struct mxt_python python;
	char *torch;                         /* owned: the torch package's folder; NULL: that Python has none */
	struct mxt_torch_version version;    /* of it; "" where there is none */
	struct mxt_python_packages packages; /* beside it */
	json_t *nvidia;                      /* owned: what the driver's libraries answered */
	struct mxt_nvidia_answer answer;
};
#define MXT_PLAN_SOFTWARE_INIT                                                                                         \
	{                                                                                                              \
		.torch = NULL                                                                                          \
	}
#define MXT_CLEANUP_PLAN_SOFTWARE MXT_CLEANUP(mxt_plan_software_finish)

void mxt_plan_software_finish(struct mxt_plan_software *software);

/* By files, in milliseconds. `named` is --python, or NULL. MXT_E_NO_PYTHON for a --python that is none. */
int mxt_plan_software_find(const struct mxt_sysroot *root, char *const *environment, const char *named,
			   struct mxt_plan_software *software, struct mxt_error *err) MXT_WUR;

/*
 * Fills in what the plan is compared with: the torch and the packages that were found. A plan of NVIDIA's cards has
 * the driver asked (of a record: read), in up to some seconds. Nothing for self-test and simulated plans, which name no
 * software. machine->root and machine->environment are set.
 */
int mxt_plan_software_lend(struct mxt_plan_software *software, const struct mxt_plan *plan,
			   struct mxt_plan_machine *machine, struct mxt_error *err) MXT_WUR;

#endif
