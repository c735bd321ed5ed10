/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.json (mindxtrain.status/1, docs/launching.md): how far a run is and how it ended. Replaced whole at each
 * step.
 */
#ifndef MXT_LAUNCH_RUN_STATUS_H
#define MXT_LAUNCH_RUN_STATUS_H

#include <stdint.h>
#include <sys/types.h>

#include "compiler.h"

struct mxt_error;
struct mxt_launch;
struct mxt_launch_result;
struct mxt_plan;
struct mxt_run_folder;

/*
 * What is known of a run, for whoever fills it in as it goes; all borrowed, what is not known yet is NULL or 0. It is
 * "starting" until there is a pid, "running" until there is a result, or "refused".
 */
struct mxt_run_status {
	const char *command; /* "train", "run" */
	const struct mxt_plan *plan;
	const struct mxt_launch *launch;
	uint64_t identity_ns; /* how long it took to ask what devices there are */
	pid_t pid;            /* of the command; 0: it was not started */
	const struct mxt_launch_result *result;
	const struct mxt_error *refusal; /* why it was not started */
	int exit_status;                 /* with a result or a refusal */
};

/*
 * Writes it as it is at `seconds` since the epoch. What says how the run ended is on the disk afterwards, with all else
 * that the folder holds.
 */
int mxt_run_status_write(const struct mxt_run_status *status, const struct mxt_run_folder *folder, int64_t seconds,
			 struct mxt_error *err) MXT_WUR;

#endif
