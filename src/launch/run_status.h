/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.json (mindxtrain.status/1, docs/launching.md): how far a run is and how it ended. Replaced whole at each
 * step.
 */
#ifndef MXT_LAUNCH_RUN_STATUS_H
#define MXT_LAUNCH_RUN_STATUS_H

#include <jansson.h>
#include <stdint.h>
#include <sys/types.h>

#include "compiler.h"

struct mxt_error;
struct mxt_launch;
struct mxt_launch_result;
struct mxt_plan;

/* What is known of a run at the time of writing; all borrowed, what is not known yet is NULL or 0. */
struct mxt_run_status {
	const char *command; /* "train", "run" */
	const char *name;    /* of the run's folder */
	const struct mxt_plan *plan;
	const struct mxt_launch *launch;
	uint64_t identity_ns; /* how long it took to ask what devices there are */
	pid_t pid;            /* of the command; 0: it was not started */
	const struct mxt_launch_result *result;
	const struct mxt_error *refusal; /* why it was not started */
	int exit_status;                 /* with a result or a refusal */
};

/* New reference. */
int mxt_run_status_json(const struct mxt_run_status *status, json_t **ret_json, struct mxt_error *err) MXT_WUR;

#endif
