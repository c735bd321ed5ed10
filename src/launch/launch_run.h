/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command of a launch from its start to its end, and what came of it.
 */
#ifndef MXT_LAUNCH_LAUNCH_RUN_H
#define MXT_LAUNCH_LAUNCH_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "artefacts.h"
#include "compiler.h"
#include "config_report.h"
#include "error.h"
#include "run_proof.h"
#include "supervise.h"

struct mxt_launch;

struct mxt_launch_run_request {
	const struct mxt_launch *launch; /* borrowed */
	int log_fd;
	int64_t grace_s;
	bool reads_back;     /* a planned key that Axolotl did not take ends the run */
	bool requires_proof; /* and so does a run that cannot show what ran */
	void (*on_start)(void *context, pid_t pid);
	void *on_start_context;
};

struct mxt_launch_result {
	bool failed;             /* whatever the command says itself: `cause` is why */
	struct mxt_error cause;  /* that, or why the command did not end by itself; MXT_E_NONE else */
	struct timespec started; /* CLOCK_REALTIME */
	struct mxt_supervised supervised;
	enum mxt_config_state report;   /* `train` */
	struct mxt_artefacts artefacts; /* `train`, after a status of 0 */
	struct mxt_run_proof proof;
	bool handoffs_changed;     /* a file of the plan's is not what it says any more */
	struct mxt_error handoffs; /* which one, then */
	json_t *caches;            /* owned: see mxt_caches_changes() */
};
#define MXT_CLEANUP_LAUNCH_RESULT MXT_CLEANUP(mxt_launch_result_finish)
void mxt_launch_result_finish(struct mxt_launch_result *result);

/*
 * A run that ends badly is no error: `ret_result` says how. Fails where nothing was started, and for memory. Zeroed
 * before, `ret_result` is to be finished in any case.
 */
int mxt_launch_run(const struct mxt_launch_run_request *request, struct mxt_launch_result *ret_result,
		   struct mxt_error *err) MXT_WUR;

#endif
