/* SPDX-License-Identifier: Apache-2.0 */
#include "launch_session.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "clock.h"
#include "command.h"
#include "error.h"
#include "exit_status.h"
#include "file.h"
#include "input_file.h"
#include "interrupt.h"
#include "json.h"
#include "launch.h"
#include "launch_print.h"
#include "launch_report.h"
#include "launch_run.h"
#include "launch_settings.h"
#include "make_manifest.h"
#include "manifest.h"
#include "manifest_create.h"
#include "plan.h"
#include "plan_fit.h"
#include "plan_software.h"
#include "resume_check.h"
#include "run_folder.h"
#include "run_status.h"
#include "sysroot.h"

/* One run, as far as it has come. What is found out is written to status.json at each step. */
struct session {
	struct mxt_cli *cli;
	const struct mxt_launch_job *job;
	struct mxt_launch_settings settings;
	struct mxt_buf plan_text;
	struct mxt_plan *plan;
	struct mxt_run_folder folder;
	char *folder_path; /* of the run, made or not */
	struct mxt_sysroot root;
	struct mxt_plan_software software;
	struct mxt_plan_machine machine;
	struct mxt_launch_request request;
	struct mxt_launch launch;
	struct mxt_launch_result result;
	struct mxt_run_status status; /* status.launch: it is prepared, and can be shown */
};

static void session_finish(struct session *session)
{
	mxt_launch_result_finish(&session->result);
	mxt_launch_finish(&session->launch);
	mxt_plan_software_finish(&session->software);
	mxt_run_folder_finish(&session->folder);
	free(session->folder_path);
	mxt_launch_settings_finish(&session->settings);
	mxt_plan_destroy(session->plan);
	mxt_buf_finish(&session->plan_text);
}

/* ---- status.json ---- */

static int write_status(const struct session *session, struct mxt_error *err)
{
	return mxt_run_status_write(&session->status, &session->folder, (int64_t)time(NULL), err);
}

static void on_start(void *context, pid_t pid)
{
	struct session *session = context;
	session->status.pid = pid;
	(void)write_status(session, NULL); /* the last one counts, and fails loudly */
}

/* A run that was not started says why in its folder, if it has one. Returns `failure`. */
static int refuse(struct session *session, int failure, const struct mxt_error *err)
{
	session->status.refusal = err;
	session->status.exit_status = MXT_EXIT_LAUNCH;
	if (session->folder.path)
		(void)write_status(session, NULL); /* the reason itself is what is told */
	session->status.refusal = NULL;
	return failure;
}

/* ---- before the start ---- */

static int read_plan(struct session *session, struct mxt_error *err)
{
	const char *path = session->settings.plan;
	int rc = mxt_input_refine(mxt_file_read(path, MXT_JSON_MAX_BYTES, &session->plan_text, err), err);
	if (rc < 0)
		return rc;
	rc = mxt_plan_parse(path, mxt_buf_text(&session->plan_text), session->plan_text.len, &session->plan, err);
	session->status.plan = session->plan;
	return rc;
}

/* With --print the folder has a name that stands for it, and is not made. */
static int make_folder(struct session *session, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	if (session->settings.prints) {
		MXT_CLEANUP_FREE char *here = session->settings.out[0] == '/' ? NULL : getcwd(NULL, 0);
		mxt_buf_printf(&path, "%s%s%s/RUN", here ? here : "", here ? "/" : "", session->settings.out);
	} else {
		const char *id = session->plan ? mxt_plan_id(session->plan) : NULL;
		int rc = mxt_run_folder_make(&session->folder, session->settings.out, (int64_t)time(NULL), id,
					     session->launch.nodes.rank, err);
		if (rc < 0)
			return rc;
		mxt_buf_puts(&path, session->folder.path);
		mxt_launch_print_line(stderr, "folder of this run", session->folder.path);
	}
	session->folder_path = mxt_buf_steal(&path);
	return session->folder_path ? 0 : mxt_error_oom(err);
}

/*
 * The folder's name says which plan and which node it is for, and the folder is where it is told that one of them is
 * not known: it is made in any case.
 */
static int begin(struct session *session, struct mxt_error *err)
{
	struct mxt_launch *launch = &session->launch;
	MXT_CLEANUP_ERROR struct mxt_error unread = MXT_ERROR_INIT;
	launch->remarks.allowed = session->settings.allowed;
	int read_rc = read_plan(session, &unread);
	if (read_rc == 0)
		read_rc = mxt_nodes_find(session->cli->environment, &session->job->nodes, &launch->remarks,
					 &launch->nodes, &unread);
	int rc = make_folder(session, err);
	if (rc == 0 && read_rc == 0 && session->folder.path)
		(void)write_status(session, NULL); /* of one that is killed before its start nothing else is left */
	if (rc < 0 || read_rc == 0)
		return rc;
	mxt_error_move(err, &unread);
	return read_rc;
}

/* Asking which devices there are takes longer than all else, and is reported apart. */
static int find_software(struct session *session, struct mxt_error *err)
{
	struct mxt_plan_machine *machine = &session->machine;
	*machine = (struct mxt_plan_machine){.root = &session->root, .environment = session->cli->environment};
	int rc = mxt_plan_software_find(machine->root, machine->environment, session->settings.python,
					&session->software, err);
	if (rc < 0)
		return rc;
	uint64_t start_ns = mxt_now_ns(&mxt_clock_monotonic);
	rc = mxt_plan_software_lend(&session->software, session->plan, machine, err);
	session->status.identity_ns = mxt_now_ns(&mxt_clock_monotonic) - start_ns;
	return rc;
}

static void make_request(struct session *session)
{
	const struct mxt_launch_job *job = session->job;
	const char *torch = session->software.version.version;
	session->request = (struct mxt_launch_request){
	    .plan = session->plan,
	    .machine = &session->machine,
	    .python = &session->software.python,
	    .packages = &session->software.packages,
	    .torch = torch[0] ? torch : NULL,
	    .config = job->config,
	    .command = job->config ? NULL : session->settings.operands,
	    .overrides = job->config ? session->settings.operands : NULL,
	    .launcher = job->launcher,
	    .records = session->settings.records,
	    .folder = session->folder_path,
	};
}

static int prepare(struct session *session, struct mxt_error *err)
{
	int rc = find_software(session, err);
	if (rc < 0)
		return rc;
	make_request(session);
	rc = mxt_launch_prepare(&session->request, &session->launch, err);
	if (rc == 0 && session->job->config)
		rc = mxt_resume_check(&session->launch.config.facts, &session->launch.remarks, err);
	session->status.launch = &session->launch;
	return rc < 0 || session->settings.prints ? rc : write_status(session, err);
}

/* Importing takes seconds, and is not begun when there is a refusal already. */
static int judge(struct session *session, struct mxt_error *err)
{
	int rc = mxt_remarks_verdict(&session->launch.remarks, err);
	if (rc == 0 && session->job->config && !session->settings.prints)
		rc = mxt_launch_check_imports(&session->launch, err);
	if (rc == 0)
		rc = mxt_remarks_verdict(&session->launch.remarks, err);
	return rc;
}

/* ---- the run ---- */

static int start(struct session *session, struct mxt_error *err)
{
	const struct mxt_launch_run_request request = {
	    .launch = &session->launch,
	    .log_fd = session->folder.log_fd,
	    .grace_s = mxt_launch_settings_grace_s(&session->settings, session->launch.nodes.kill_wait_s),
	    .reads_back = session->job->reads_back,
	    .requires_proof = session->settings.requires_proof,
	    .on_start = on_start,
	    .on_start_context = session,
	};
	return mxt_launch_run(&request, &session->result, err);
}

/* The run's own exit status, with the reason for it where that is not the command. */
static int fail_as_run(struct session *session, struct mxt_error *err)
{
	struct mxt_launch_result *result = &session->result;
	session->cli->failure_status = session->status.exit_status;
	if (result->cause.id == MXT_E_INTERRUPTED)
		result->cause.status = mxt_interrupt_status(result->supervised.signal);
	mxt_error_move(err, &result->cause);
	return err->status;
}

/* The run has its status already, and keeps it whatever becomes of its manifest. */
static void record(const struct session *session)
{
	MXT_CLEANUP_ERROR struct mxt_error cause = MXT_ERROR_INIT;
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
	size_t left_out = 0;
	struct mxt_manifest_request request = {.run_folder = session->folder.path};
	if (!session->settings.makes_manifest)
		return;
	if (mxt_make_manifest(session->cli, &request, &manifest, &left_out, &cause) == 0)
		mxt_launch_print_manifest(stderr, manifest);
	else
		mxt_launch_print_no_manifest(stderr, session->folder.path, &cause);
}

/*
 * From the start on, signals are for the command, or for the hashing of files: none takes the run's own exit status
 * away, also not one that comes in between.
 */
static int run(struct session *session, struct mxt_error *err)
{
	MXT_CLEANUP_CLOSE int stop_fd = -1;
	int rc = mxt_launch_write(&session->launch, &session->folder, mxt_buf_text(&session->plan_text),
				  session->plan_text.len, err);
	if (rc == 0)
		rc = mxt_run_folder_log(&session->folder, err);
	if (rc == 0)
		rc = mxt_interrupt_open(&stop_fd, err);
	if (rc == 0)
		rc = start(session, err);
	if (rc < 0)
		return refuse(session, rc, err);
	session->status.result = &session->result;
	session->status.exit_status = mxt_launch_exit_status(&session->result);
	mxt_launch_print_result(stderr, &session->launch, &session->result);
	rc = write_status(session, err);
	if (rc < 0 && session->status.exit_status != 0) /* that it failed is more than that this is not written down */
		session->cli->failure_status = session->status.exit_status;
	if (rc < 0)
		return rc;
	record(session);
	return session->result.cause.id == MXT_E_NONE ? session->status.exit_status : fail_as_run(session, err);
}

/* Shows also what will not start, and why; says then that it will not. */
static int print(struct session *session, int verdict, struct mxt_error *err)
{
	MXT_CLEANUP_ERROR struct mxt_error unshown = MXT_ERROR_INIT;
	int rc = mxt_launch_print(session->cli->out, &session->launch, &unshown);
	if (verdict < 0 || rc == 0)
		return verdict;
	mxt_error_move(err, &unshown);
	return rc;
}

int mxt_launch_session(struct mxt_cli *cli, const struct mxt_args *args, const struct mxt_launch_job *job,
		       struct mxt_error *err)
{
	MXT_CLEANUP(session_finish)
	struct session session = {.cli = cli,
				  .job = job,
				  .settings = MXT_LAUNCH_SETTINGS_INIT,
				  .plan_text = MXT_BUF_INIT,
				  .folder = MXT_RUN_FOLDER_INIT,
				  .root = {.prefix = ""},
				  .software = MXT_PLAN_SOFTWARE_INIT,
				  .launch = MXT_LAUNCH_INIT,
				  .status = {.command = job->command}};
	int rc = mxt_launch_settings_parse(args, &session.settings, err);
	if (rc == 0)
		rc = begin(&session, err);
	if (rc == 0)
		rc = prepare(&session, err);
	if (rc == 0)
		rc = judge(&session, err);
	mxt_launch_print_remarks(stderr, &session.launch, rc < 0 ? err : NULL);
	if (session.settings.prints && session.status.launch)
		return print(&session, rc, err);
	return rc < 0 ? refuse(&session, rc, err) : run(&session, err);
}
