/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launch: everything that a run under a plan needs, worked out before anything is changed or started.
 *
 * mxt_launch_prepare() looks and judges; mxt_launch_write() fills the run's folder. launch_run.h
 * starts the command.
 */
#ifndef MXT_LAUNCH_LAUNCH_H
#define MXT_LAUNCH_LAUNCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "axolotl_package.h"
#include "command_line.h"
#include "compiler.h"
#include "env_policy.h"
#include "nodes.h"
#include "remarks.h"
#include "train_config.h"

struct mxt_error;
struct mxt_plan;
struct mxt_plan_machine;
struct mxt_python;
struct mxt_python_packages;
struct mxt_run_folder;

/* What a person asked for, and what it is held against. All borrowed. */
struct mxt_launch_request {
	const struct mxt_plan *plan;
	const struct mxt_plan_machine *machine;
	const struct mxt_python *python;            /* that trains; without folders: none was found */
	const struct mxt_python_packages *packages; /* of it */
	const char *torch;                          /* its version; NULL: none */
	const char *config;                         /* `train`: the YAML; NULL: `run` */
	char *const *command;                       /* `run`: NULL-ended */
	char *const *overrides;                     /* `train`: NULL-ended arguments for Axolotl; NULL: none */
	enum mxt_launcher launcher;                 /* `train` */
	bool records;                               /* two steps are recorded, for the coverage */
	const char *folder;                         /* absolute path of the run's folder, which need not exist yet */
};

struct mxt_launch {
	const struct mxt_launch_request *request;
	struct mxt_remarks remarks; /* may hold some before it is prepared, and what is allowed */
	struct mxt_nodes nodes;     /* found before it is prepared */
	struct mxt_axolotl_package package;
	struct mxt_train_config config;
	struct mxt_command_line line; /* `train`: how Axolotl is started */
	struct mxt_env_outcome env;
	char *const *argv;                          /* what is started; borrowed from `line` or the request */
	char *handoffs, *ranks, *yaml, *accelerate; /* owned: absolute paths in the folder */
	json_t *here;                               /* owned: platform and stack as found, in the plan's form */
	uint64_t checked_ns;                        /* how long plan, stack and workload took to compare */
};
#define MXT_LAUNCH_INIT                                                                                                \
	{                                                                                                              \
		.remarks = MXT_REMARKS_INIT, .nodes = MXT_NODES_INIT, .package = MXT_AXOLOTL_PACKAGE_INIT,             \
		.config = MXT_TRAIN_CONFIG_INIT, .line = MXT_COMMAND_LINE_INIT, .env = MXT_ENV_OUTCOME_INIT            \
	}
#define MXT_CLEANUP_LAUNCH MXT_CLEANUP(mxt_launch_finish)
void mxt_launch_finish(struct mxt_launch *launch);

/*
 * What is wrong is in launch->remarks, and the launch is as complete as it can be made in spite of it, for --print. The
 * verdict is mxt_remarks_verdict()'s. Fails for what leaves nothing to look at: memory, a config that cannot be
 * read. `launch` is to be initialised, and finished in any case.
 */
int mxt_launch_prepare(const struct mxt_launch_request *request, struct mxt_launch *launch,
		       struct mxt_error *err) MXT_WUR;

/* The files of a run that is about to start: see run_folder.h. `plan_text`: the plan's file, byte by byte. */
int mxt_launch_write(const struct mxt_launch *launch, const struct mxt_run_folder *folder, const char *plan_text,
		     size_t plan_len, struct mxt_error *err) MXT_WUR;

/* `train`: looks whether the Python that trains can import what the launch needs; remarks, as above. Takes seconds. */
int mxt_launch_check_imports(struct mxt_launch *launch, struct mxt_error *err) MXT_WUR;

#endif
