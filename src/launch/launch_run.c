/* SPDX-License-Identifier: Apache-2.0 */
#include "launch_run.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "buf.h"
#include "caches.h"
#include "cleanup.h"
#include "launch.h"
#include "plan_handoff.h"
#include "python_env.h"
#include "python_packages.h"

void mxt_launch_result_finish(struct mxt_launch_result *result)
{
	mxt_error_clear(&result->cause);
	mxt_artefacts_finish(&result->artefacts);
	mxt_run_proof_finish(&result->proof);
	mxt_error_clear(&result->handoffs);
	json_decref(result->caches);
	result->caches = NULL;
}

/* ---- what the trainer reports while it runs ---- */

struct reading {
	struct mxt_config_report *report;
	bool ends_run; /* what differs ends the run */
};

static bool read_back(void *context, int stream, const char *bytes, size_t len)
{
	const struct reading *reading = context;
	enum mxt_config_state state = mxt_config_report_take(reading->report, stream, bytes, len);
	return state != MXT_CONFIG_DIFFERS || !reading->ends_run;
}

static void config_report_cleanup(struct mxt_config_report **report)
{
	mxt_config_report_destroy(*report);
}

/* ---- how it ended ---- */

/* The run failed for a reason of ours: the first one stays. */
static void fail(struct mxt_launch_result *result, struct mxt_error *cause)
{
	if (result->cause.id == MXT_E_NONE)
		mxt_error_move(&result->cause, cause);
	mxt_error_clear(cause);
	result->failed = true;
}

static bool ended_well(const struct mxt_launch_result *result)
{
	const struct mxt_supervised *supervised = &result->supervised;
	return !result->failed && supervised->exec_errno == 0 && supervised->signal == 0 &&
	       supervised->wait_status == 0;
}

static void judge_command(const struct mxt_launch *launch, struct mxt_launch_result *result)
{
	const struct mxt_supervised *supervised = &result->supervised;
	struct mxt_error cause = MXT_ERROR_INIT;
	if (!supervised->started)
		(void)mxt_error_set(&result->cause, -ENOEXEC, MXT_E_LAUNCH_COMMAND, "cannot start %s: %s",
				    launch->argv[0], strerror(supervised->exec_errno));
	else if (supervised->signal)
		(void)mxt_error_set(&result->cause, -EINTR, MXT_E_INTERRUPTED, "stopped by signal %d (%s)",
				    supervised->signal, strsignal(supervised->signal));
	if (supervised->n_stuck == 0)
		return;
	(void)mxt_error_set(&cause, -EBUSY, MXT_E_LAUNCH_LEFT,
			    "%zu processes could not be ended, the first is %ld: it waits in the kernel (state D); see "
			    "its stack in /proc/%ld/stack, and the kernel's log",
			    supervised->n_stuck, (long)supervised->stuck[0], (long)supervised->stuck[0]);
	fail(result, &cause);
}

static void judge_report(const struct mxt_config_report *report, struct mxt_launch_result *result)
{
	struct mxt_error cause = MXT_ERROR_INIT;
	result->report = report ? mxt_config_report_state(report) : MXT_CONFIG_AWAITED;
	if (result->report != MXT_CONFIG_DIFFERS || !result->supervised.ended_by_watch)
		return;
	(void)mxt_config_report_error(report, &cause);
	fail(result, &cause);
}

/* Launchers end with 0 after failures, too. */
static int judge_artefacts(const struct mxt_launch *launch, struct mxt_launch_result *result, struct mxt_error *err)
{
	struct mxt_error cause = MXT_ERROR_INIT;
	if (!launch->request->config || !ended_well(result))
		return 0;
	int rc = mxt_artefacts_find(&launch->config.facts, &result->started, &result->artefacts, err);
	if (rc == 0 && launch->nodes.rank == 0 &&
	    mxt_artefacts_verdict(&result->artefacts, &launch->config.facts, &cause) < 0)
		fail(result, &cause);
	return rc;
}

/* Files that libraries read while it ran: whoever changed one may have changed what was read. */
static void look_at_handoffs(const struct mxt_launch *launch, struct mxt_launch_result *result)
{
	const struct mxt_plan *plan = launch->request->plan;
	result->handoffs_changed =
	    mxt_plan_has_handoffs(plan) && mxt_plan_verify_handoffs(plan, launch->handoffs, &result->handoffs) < 0;
}

static int judge_proof(const struct mxt_launch_run_request *request, struct mxt_launch_result *result,
		       struct mxt_error *err)
{
	const struct mxt_launch *launch = request->launch;
	struct mxt_error cause = MXT_ERROR_INIT;
	const struct mxt_launch_request *asked = launch->request;
	int rc = mxt_run_proof_read(launch->ranks, asked->plan, asked->records, &result->proof, err);
	if (rc < 0)
		return rc;
	look_at_handoffs(launch, result);
	if (!request->requires_proof || !ended_well(result))
		return 0;
	bool silent = json_array_size(result->proof.witnesses) == 0;
	if (!silent && !result->proof.contradicted && !result->handoffs_changed)
		return 0;
	(void)mxt_error_set(&cause, -EBADMSG, MXT_E_LAUNCH_PROOF,
			    silent
				? "no process of the run has shown which kernels it took (--require-proof)"
				: "what ran is not what was planned (--require-proof); see witnesses and handoffs in "
				  "the run's status.json");
	fail(result, &cause);
	return 0;
}

/* ---- all of it ---- */

/* AITER compiles into its own package where it may. */
static int watch_caches(const struct mxt_launch *launch, struct mxt_caches **ret_caches, struct mxt_error *err)
{
	const struct mxt_launch_request *request = launch->request;
	MXT_CLEANUP_CACHES struct mxt_caches *caches = NULL;
	int rc = mxt_caches_create(launch->env.environment, &caches, err);
	size_t n = mxt_python_package_version(request->packages, "aiter") ? request->python->n_folders : 0;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
		mxt_buf_printf(&path, "%s/aiter/jit", request->python->folders[i]);
		rc = mxt_buf_status(&path, err);
		if (rc == 0)
			rc = mxt_caches_add(caches, "aiter", mxt_buf_text(&path), err);
	}
	if (rc == 0)
		*ret_caches = mxt_steal_ptr(&caches);
	return rc;
}

int mxt_launch_run(const struct mxt_launch_run_request *request, struct mxt_launch_result *ret_result,
		   struct mxt_error *err)
{
	const struct mxt_launch *launch = request->launch;
	MXT_CLEANUP(config_report_cleanup) struct mxt_config_report *report = NULL;
	MXT_CLEANUP_CACHES struct mxt_caches *caches = NULL;
	int rc = watch_caches(launch, &caches, err);
	if (rc == 0 && launch->request->config)
		rc = mxt_config_report_create(launch->config.expected, &report, err);
	if (rc < 0)
		return rc;
	struct reading reading = {report, request->reads_back};
	const struct mxt_output_watch watch = {read_back, &reading};
	const struct mxt_supervise_request supervise = {
	    .argv = launch->argv,
	    .environment = launch->env.environment,
	    .hands_stdin_over = !launch->request->config,
	    .log_fd = request->log_fd,
	    .grace_s = request->grace_s,
	    .watch = report ? &watch : NULL,
	    .on_start = request->on_start,
	    .on_start_context = request->on_start_context,
	};
	(void)clock_gettime(CLOCK_REALTIME, &ret_result->started);
	rc = mxt_supervise(&supervise, &ret_result->supervised, err);
	if (rc < 0)
		return rc;
	judge_command(launch, ret_result);
	judge_report(report, ret_result);
	rc = judge_artefacts(launch, ret_result, err);
	if (rc == 0)
		rc = judge_proof(request, ret_result, err);
	return rc == 0 ? mxt_caches_changes(caches, &ret_result->caches, err) : rc;
}
