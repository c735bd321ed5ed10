/* SPDX-License-Identifier: Apache-2.0 */
#include "launch.h"

#include <errno.h>
#include <stdlib.h>

#include "argv_json.h"
#include "attention_provider.h"
#include "cleanup.h"
#include "clock.h"
#include "env_record.h"
#include "error.h"
#include "job_record.h"
#include "json.h"
#include "launch_environment.h"
#include "launch_packages.h"
#include "plan.h"
#include "plan_check.h"
#include "plan_fit.h"
#include "plan_handoff.h"
#include "platform_gpu.h"
#include "python_env.h"
#include "run_files.h"
#include "run_folder.h"

void mxt_launch_finish(struct mxt_launch *launch)
{
	mxt_remarks_finish(&launch->remarks);
	mxt_nodes_finish(&launch->nodes);
	mxt_axolotl_package_finish(&launch->package);
	mxt_train_config_finish(&launch->config);
	mxt_command_line_finish(&launch->line);
	mxt_env_outcome_finish(&launch->env);
	json_decref(launch->here);
	free(launch->handoffs);
	free(launch->ranks);
	free(launch->yaml);
	free(launch->accelerate);
}

/* ---- the plan ---- */

static int check_plan(struct mxt_launch *launch, struct mxt_error *err)
{
	const struct mxt_launch_request *request = launch->request;
	launch->here = json_object();
	if (!launch->here)
		return mxt_error_oom(err);
	const struct mxt_plan_check_request check = {
	    .plan = request->plan,
	    .use = request->config ? MXT_PLAN_TRAIN : MXT_PLAN_RUN,
	    .machine = request->machine,
	    .config = request->config,
	    .packages = request->packages,
	    .torch = request->torch,
	    .nodes = launch->nodes.count,
	    .here = launch->here,
	};
	uint64_t start_ns = mxt_now_ns(&mxt_clock_monotonic);
	int rc = mxt_plan_check(&check, &launch->remarks, err);
	launch->checked_ns = mxt_now_ns(&mxt_clock_monotonic) - start_ns;
	return rc;
}

/* ---- the command ---- */

/* Processes of a node: one for each GPU; a host without any has one process. */
static int64_t plan_gpus(const struct mxt_plan *plan)
{
	const json_t *decision = mxt_plan_decision(plan);
	const json_t *platform = json_object_get(decision, "platform");
	const json_t *training = json_object_get(json_object_get(decision, "workload"), "training");
	int64_t gpus = mxt_json_integer(training, "gpus");
	bool has_gpu = mxt_platform_has_gpu(platform, "nvidia") || mxt_platform_has_gpu(platform, "amd");
	return gpus > 0 ? gpus : has_gpu;
}

static void command_request(const struct mxt_launch *launch, struct mxt_command_request *ret_request)
{
	const struct mxt_launch_request *request = launch->request;
	const char *dtype = mxt_plan_string(request->plan, "decision.workload.training.dtype");
	*ret_request = (struct mxt_command_request){
	    .launcher = request->launcher,
	    .python = request->python->interpreter,
	    .config = launch->yaml,
	    .accelerate_config = launch->accelerate,
	    .gpus = plan_gpus(request->plan),
	    .nodes = &launch->nodes,
	    .dtype = dtype ? dtype : "bfloat16",
	    .overrides = request->overrides,
	};
}

static int make_train_command(struct mxt_launch *launch, struct mxt_error *err)
{
	const struct mxt_launch_request *request = launch->request;
	const struct mxt_train_config_request config = {request->config, request->plan, &launch->package,
							request->torch, request->overrides};
	struct mxt_command_request command;
	if (!request->python->interpreter)
		return mxt_error_set(err, -ENOENT, MXT_E_LAUNCH_PACKAGE,
				     "there is no Python to train with: activate its environment, or name it with "
				     "--python");
	int rc =
	    mxt_axolotl_package_find(request->machine->root, request->python, request->packages, &launch->package, err);
	if (rc == 0)
		rc = mxt_train_config_make(&config, &launch->remarks, &launch->config, err);
	command_request(launch, &command);
	if (rc == 0)
		rc = mxt_command_line_make(&command, &launch->line, err);
	if (rc == 0)
		mxt_launch_packages_check(request->packages, &command, &launch->remarks);
	launch->argv = launch->line.argv;
	return rc;
}

static int make_command(struct mxt_launch *launch, struct mxt_error *err)
{
	if (launch->request->config)
		return make_train_command(launch, err);
	launch->argv = launch->request->command;
	return 0;
}

/* ---- all of it ---- */

static char *in_folder(const struct mxt_launch_request *request, const char *name)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/%s", request->folder, name);
	return mxt_buf_steal(&path);
}

static int name_files(struct mxt_launch *launch, struct mxt_error *err)
{
	launch->handoffs = in_folder(launch->request, MXT_RUN_HANDOFFS);
	launch->ranks = in_folder(launch->request, MXT_RUN_RANKS);
	launch->yaml = in_folder(launch->request, MXT_RUN_EDITED);
	launch->accelerate = in_folder(launch->request, MXT_RUN_ACCELERATE);
	bool all = launch->handoffs && launch->ranks && launch->yaml && launch->accelerate;
	return all ? 0 : mxt_error_oom(err);
}

int mxt_launch_prepare(const struct mxt_launch_request *request, struct mxt_launch *launch, struct mxt_error *err)
{
	launch->request = request;
	int rc = name_files(launch, err);
	if (rc == 0)
		rc = check_plan(launch, err);
	if (rc == 0)
		rc = make_command(launch, err);
	return rc == 0 ? mxt_launch_environment(launch, err) : rc;
}

/* The distribution that computes the plan's attention; NULL: torch itself does. */
static const char *attention_package(const struct mxt_plan *plan)
{
	const char *backend = mxt_plan_string(plan, "decision.attention.backend");
	const struct mxt_attention_provider *provider = backend ? mxt_attention_provider_find(backend) : NULL;
	return provider && provider->package[0] ? provider->package : NULL;
}

int mxt_launch_check_imports(struct mxt_launch *launch, struct mxt_error *err)
{
	struct mxt_command_request command;
	command_request(launch, &command);
	return mxt_launch_imports_check(&command, launch->env.environment, attention_package(launch->request->plan),
					&launch->remarks, err);
}

/* ---- the folder ---- */

static int write_handoffs(const struct mxt_launch *launch, const struct mxt_run_folder *folder, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *dir = NULL;
	if (!mxt_plan_has_handoffs(launch->request->plan))
		return 0;
	int rc = mxt_run_folder_subfolder(folder, MXT_RUN_HANDOFFS, &dir, err);
	return rc == 0 ? mxt_plan_write_handoffs(launch->request->plan, dir, err) : rc;
}

static int write_config(const struct mxt_launch *launch, const struct mxt_run_folder *folder, struct mxt_error *err)
{
	const struct {
		const char *name;
		const struct mxt_buf *bytes;
	} files[] = {
	    {MXT_RUN_GIVEN, &launch->config.given},
	    {MXT_RUN_EDITED, &launch->config.edited},
	    {MXT_RUN_ACCELERATE, &launch->line.accelerate_config},
	};
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(files); i++)
		if (files[i].bytes->len > 0)
			rc = mxt_run_folder_write(folder, files[i].name, mxt_buf_text(files[i].bytes),
						  files[i].bytes->len, err);
	return rc;
}

static int write_job(const struct mxt_launch *launch, const struct mxt_run_folder *folder, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *job = NULL;
	int rc = mxt_job_record(launch, &job, err);
	return rc == 0 ? mxt_run_folder_write_json(folder, MXT_RUN_JOB, job, err) : rc;
}

int mxt_launch_write(const struct mxt_launch *launch, const struct mxt_run_folder *folder, const char *plan_text,
		     size_t plan_len, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *env = NULL;
	MXT_CLEANUP_JSON json_t *argv = mxt_argv_json(launch->argv);
	MXT_CLEANUP_FREE char *ranks = NULL;
	int rc = argv ? mxt_env_record(&launch->env, &env, err) : mxt_error_oom(err);
	if (rc == 0)
		rc = mxt_run_folder_write(folder, MXT_RUN_PLAN, plan_text, plan_len, err);
	if (rc == 0)
		rc = mxt_run_folder_write_json(folder, MXT_RUN_ENV, env, err);
	if (rc == 0)
		rc = mxt_run_folder_write_json(folder, MXT_RUN_ARGV, argv, err);
	if (rc == 0)
		rc = write_job(launch, folder, err);
	if (rc == 0)
		rc = write_config(launch, folder, err);
	if (rc == 0)
		rc = write_handoffs(launch, folder, err);
	return rc == 0 ? mxt_run_folder_subfolder(folder, MXT_RUN_RANKS, &ranks, err) : rc;
}
