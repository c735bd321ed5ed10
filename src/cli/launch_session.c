/* SPDX-License-Identifier: Apache-2.0 */
#include "launch_session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
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
#include "json.h"
#include "launch.h"
#include "launch_print.h"
#include "launch_run.h"
#include "plan.h"
#include "plan_fit.h"
#include "plan_software.h"
#include "run_files.h"
#include "run_folder.h"
#include "run_status.h"
#include "sysroot.h"

#define DEFAULT_OUT   "runs"
#define DEFAULT_GRACE 45
#define MAX_GRACE     86400
/* Slurm kills what is left this long after its TERM; what is to be said and written needs a little of it. */
#define KILL_WAIT_RESERVE 5

/* One run, as far as it has come. What is found out is written to status.json at each step. */
struct session {
	struct mxt_cli *cli;
	const struct mxt_args *args;
	const struct mxt_launch_job *job;
	const char *out;
	bool prints; /* --print: nothing is made or started */
	int64_t grace_s;
	struct mxt_buf plan_text;
	struct mxt_plan *plan;
	struct mxt_run_folder folder;
	char *folder_path; /* of the run, made or not */
	char **operands;   /* NULL-ended; the words are argv's */
	struct mxt_sysroot root;
	struct mxt_plan_software software;
	struct mxt_plan_machine machine;
	uint64_t identity_ns; /* how long it took to ask what devices there are */
	struct mxt_launch_request request;
	struct mxt_launch launch;
	struct mxt_launch_result result;
	bool prepared; /* launch can be shown and written down */
};

static void session_finish(struct session *session)
{
	mxt_launch_result_finish(&session->result);
	mxt_launch_finish(&session->launch);
	mxt_plan_software_finish(&session->software);
	mxt_run_folder_finish(&session->folder);
	free(session->folder_path);
	free(session->operands);
	mxt_plan_destroy(session->plan);
	mxt_buf_finish(&session->plan_text);
}

/* ---- status.json ---- */

/* The last one is on the disk before the program ends. */
static int write_status(const struct session *session, struct mxt_run_status *status, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *json = NULL;
	bool last = status->result || status->refusal;
	status->command = session->job->command;
	status->name = session->folder.name;
	status->plan = session->plan;
	status->launch = session->prepared ? &session->launch : NULL;
	status->identity_ns = session->identity_ns;
	int rc = mxt_run_status_json(status, &json, err);
	if (rc < 0)
		return rc;
	return last ? mxt_run_folder_settle(&session->folder, json, err)
		    : mxt_run_folder_write_json(&session->folder, MXT_RUN_STATUS, json, err);
}

static void on_start(void *context, pid_t pid)
{
	struct mxt_run_status status = {.pid = pid};
	(void)write_status(context, &status, NULL); /* the last one counts, and fails loudly */
}

/* A run that was not started says why in its folder, if it has one. Returns `failure`. */
static int refuse(const struct session *session, int failure, const struct mxt_error *err)
{
	struct mxt_run_status status = {.refusal = err, .exit_status = MXT_EXIT_LAUNCH};
	if (session->folder.path)
		(void)write_status(session, &status, NULL); /* the reason itself is what is told */
	return failure;
}

/* ---- before the start ---- */

static int take_options(struct session *session, struct mxt_error *err)
{
	const struct mxt_args *args = session->args;
	session->grace_s = DEFAULT_GRACE;
	session->out = mxt_args_has(args, "out") ? mxt_args_get(args, "out") : DEFAULT_OUT;
	session->prints = mxt_args_has(args, "print");
	if (!mxt_args_has(args, "plan") || strcmp(mxt_args_get(args, "plan"), "-") == 0)
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				     "say which plan to run under: --plan plan.json (mindxtrain autotune makes one)");
	if (session->out[0] == '\0')
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE, "--out needs the name of a folder");
	session->operands = calloc((size_t)args->n_operands + 1, sizeof *session->operands);
	if (!session->operands)
		return mxt_error_oom(err);
	for (int i = 0; i < args->n_operands; i++)
		session->operands[i] = args->operands[i];
	return mxt_args_int(args, "grace", 0, MAX_GRACE, &session->grace_s, err);
}

static unsigned allowances(const struct mxt_args *args)
{
	return (mxt_args_has(args, "allow-mismatch") ? MXT_ALLOW_MISMATCH : 0U) |
	       (mxt_args_has(args, "allow-simulated") ? MXT_ALLOW_SIMULATED : 0U) |
	       (mxt_args_has(args, "allow-jit") ? MXT_ALLOW_JIT : 0U);
}

static int read_plan(struct session *session, struct mxt_error *err)
{
	const char *path = mxt_args_get(session->args, "plan");
	int rc = mxt_input_refine(mxt_file_read(path, MXT_JSON_MAX_BYTES, &session->plan_text, err), err);
	if (rc < 0)
		return rc;
	return mxt_plan_parse(path, mxt_buf_text(&session->plan_text), session->plan_text.len, &session->plan, err);
}

/* With --print the folder has a name that stands for it, and is not made. */
static int make_folder(struct session *session, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	if (session->prints) {
		MXT_CLEANUP_FREE char *here = session->out[0] == '/' ? NULL : getcwd(NULL, 0);
		mxt_buf_printf(&path, "%s%s%s/RUN", here ? here : "", here ? "/" : "", session->out);
	} else {
		const char *id = session->plan ? mxt_plan_id(session->plan) : NULL;
		int rc = mxt_run_folder_make(&session->folder, session->out, (int64_t)time(NULL), id,
					     session->launch.nodes.rank, err);
		if (rc < 0)
			return rc;
		mxt_buf_puts(&path, session->folder.path);
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
	launch->remarks.allowed = allowances(session->args);
	int read_rc = read_plan(session, &unread);
	if (read_rc == 0)
		read_rc = mxt_nodes_find(session->cli->environment, &session->job->nodes, &launch->remarks,
					 &launch->nodes, &unread);
	int rc = make_folder(session, err);
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
	int rc = mxt_plan_software_find(machine->root, machine->environment, mxt_args_get(session->args, "python"),
					&session->software, err);
	if (rc < 0)
		return rc;
	uint64_t start_ns = mxt_now_ns(&mxt_clock_monotonic);
	rc = mxt_plan_software_lend(&session->software, session->plan, machine, err);
	session->identity_ns = mxt_now_ns(&mxt_clock_monotonic) - start_ns;
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
	    .command = job->config ? NULL : session->operands,
	    .overrides = job->config ? session->operands : NULL,
	    .launcher = job->launcher,
	    .records = !mxt_args_has(session->args, "no-coverage"),
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
	session->prepared = true;
	return rc;
}

/* Importing takes seconds, and is not begun when there is a refusal already. */
static int judge(struct session *session, struct mxt_error *err)
{
	int rc = mxt_remarks_verdict(&session->launch.remarks, err);
	if (rc == 0 && session->job->config && !session->prints)
		rc = mxt_launch_check_imports(&session->launch, err);
	if (rc == 0)
		rc = mxt_remarks_verdict(&session->launch.remarks, err);
	return rc;
}

/* ---- the run ---- */

static int64_t grace_of(const struct session *session)
{
	int64_t kill_wait_s = session->launch.nodes.kill_wait_s;
	bool given = mxt_args_has(session->args, "grace");
	int64_t most = kill_wait_s > KILL_WAIT_RESERVE ? kill_wait_s - KILL_WAIT_RESERVE : 1;
	return given || kill_wait_s == 0 || session->grace_s < most ? session->grace_s : most;
}

static int start(struct session *session, struct mxt_error *err)
{
	const struct mxt_launch_run_request request = {
	    .launch = &session->launch,
	    .log_fd = session->folder.log_fd,
	    .grace_s = grace_of(session),
	    .reads_back = session->job->reads_back,
	    .requires_proof = mxt_args_has(session->args, "require-proof"),
	    .on_start = on_start,
	    .on_start_context = session,
	};
	return mxt_launch_run(&request, &session->result, err);
}

/* The run's own exit status, with the reason for it where that is not the command. */
static int fail_as_run(struct session *session, struct mxt_error *err)
{
	struct mxt_launch_result *result = &session->result;
	session->cli->failure_status = result->exit_status;
	if (result->cause.id == MXT_E_INTERRUPTED)
		result->cause.status = mxt_interrupt_status(result->supervised.signal);
	mxt_error_move(err, &result->cause);
	return err->status;
}

static int run(struct session *session, struct mxt_error *err)
{
	struct mxt_run_status status = {.result = &session->result};
	int rc = mxt_launch_write(&session->launch, &session->folder, mxt_buf_text(&session->plan_text),
				  session->plan_text.len, err);
	if (rc == 0)
		rc = mxt_run_folder_log(&session->folder, err);
	if (rc == 0)
		rc = start(session, err);
	if (rc < 0)
		return refuse(session, rc, err);
	status.exit_status = session->result.exit_status;
	mxt_launch_print_result(stderr, &session->launch, &session->result);
	rc = write_status(session, &status, err);
	if (rc < 0)
		return rc;
	if (session->result.cause.id == MXT_E_NONE)
		return session->result.exit_status;
	return fail_as_run(session, err);
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
				  .args = args,
				  .job = job,
				  .plan_text = MXT_BUF_INIT,
				  .folder = MXT_RUN_FOLDER_INIT,
				  .root = {.prefix = ""},
				  .software = MXT_PLAN_SOFTWARE_INIT,
				  .launch = MXT_LAUNCH_INIT};
	int rc = take_options(&session, err);
	if (rc == 0)
		rc = begin(&session, err);
	if (rc == 0)
		rc = prepare(&session, err);
	if (rc == 0)
		rc = judge(&session, err);
	mxt_launch_print_remarks(stderr, &session.launch);
	if (session.prints && session.prepared)
		return print(&session, rc, err);
	return rc < 0 ? refuse(&session, rc, err) : run(&session, err);
}
