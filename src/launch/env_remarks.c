/* SPDX-License-Identifier: Apache-2.0 */
#include "env_remarks.h"

#include <stdbool.h>
#include <string.h>

#include "advice.h"
#include "buf.h"
#include "env_changes.h"
#include "env_policy.h"
#include "environ.h"
#include "job_tuning.h"
#include "json.h"
#include "plan.h"
#include "printable.h"
#include "remarks.h"
#include "setting_files.h"
#include "variable_advice.h"
#include "variables.h"
#include "visible_devices.h"

/* The value, where it may be shown. */
static const char *shown_value(const char *name, const char *value, char buf[MXT_PRINTABLE_SIZE])
{
	return mxt_variable_shows(name, value) ? mxt_printable(value, buf) : "...";
}

static void refuse_tuning(const struct mxt_job_tuning *row, const char *value, struct mxt_remarks *remarks)
{
	char shown[MXT_PRINTABLE_SIZE];
	MXT_CLEANUP_BUF struct mxt_buf remedy = MXT_BUF_INIT;
	if (row->still[0])
		mxt_buf_printf(&remedy, "set %s=%s, or ", row->still, row->still_value);
	remarks->failed = remarks->failed || remedy.failed;
	mxt_remark_refuse(remarks, MXT_E_LAUNCH_JIT, MXT_ALLOW_JIT, "%s=%s: %s while the job runs; %sunset it",
			  row->name, shown_value(row->name, value, shown), row->what, mxt_buf_text(&remedy));
}

/* What the caller asked for and will not happen, for what is done to the variable itself or to the one that stills it.
 */
static void note_stilled(const struct mxt_job_tuning *row, const char *value, const struct mxt_env_changes *changes,
			 struct mxt_remarks *remarks)
{
	char shown[MXT_PRINTABLE_SIZE];
	const struct mxt_env_change *change = mxt_env_changes_find(changes, row->name, strlen(row->name));
	if (!change)
		change = mxt_env_changes_find(changes, row->still, strlen(row->still));
	if (!change)
		return;
	mxt_remark_note(remarks, "%s=%s would mean that %s while the job runs; the %s %s %s%s%s", row->name,
			shown_value(row->name, value, shown), row->what, change->by, change->to ? "sets" : "removes",
			change->name, change->to ? "=" : "", change->to ? change->to : "");
}

static void remark_tuning(const struct mxt_env_request *request, const struct mxt_env_changes *changes,
			  char *const *environment, struct mxt_remarks *remarks)
{
	for (size_t i = 0; i < mxt_job_tuning_count(); i++) {
		const struct mxt_job_tuning *row = mxt_job_tuning_at(i);
		const char *asked = mxt_environ_get(environment, row->name);
		if (mxt_job_tuning_asked(row, environment))
			refuse_tuning(row, asked, remarks);
		else if (mxt_job_tuning_asked(row, request->caller))
			note_stilled(row, mxt_environ_get(request->caller, row->name), changes, remarks);
	}
}

/* ---- names, devices and files ---- */

static void take_advice(void *context, const struct mxt_advice *advice)
{
	struct mxt_remarks *remarks = context;
	const char *todo = advice && advice->todo[0] ? "; " : "";
	if (!advice)
		remarks->failed = true;
	else if (advice->kind == MXT_ADVICE_NOTE)
		mxt_remark_note(remarks, "%s: %s%s%s", advice->what, advice->wrong, todo, advice->todo);
	else if (advice->kind == MXT_ADVICE_WARN)
		mxt_remark_warn(remarks, "%s: %s%s%s", advice->what, advice->wrong, todo, advice->todo);
	else
		mxt_remark_refuse(remarks, MXT_E_LAUNCH_ENV,
				  advice->kind == MXT_ADVICE_MISMATCH ? MXT_ALLOW_MISMATCH : MXT_ALLOW_NOTHING,
				  "%s: %s%s%s", advice->what, advice->wrong, todo, advice->todo);
}

/* What tunes is told already. */
static bool is_told(const char *name, char *const *environment)
{
	const struct mxt_job_tuning *row = mxt_job_tuning_find(name);
	return row && mxt_job_tuning_asked(row, environment);
}

/* Selectors that the caller has set and the plan says nothing of: they act, and were not there when it was measured. */
static void remark_unplanned(const struct mxt_env_changes *changes, char *const *environment,
			     struct mxt_remarks *remarks)
{
	MXT_CLEANUP_BUF struct mxt_buf names = MXT_BUF_INIT;
	for (char *const *item = environment; *item; item++) {
		size_t len = strcspn(*item, "=");
		const struct mxt_variable *row = mxt_variable_find_n(*item, len);
		if (row && row->class == MXT_VARIABLE_SELECTOR && !mxt_env_changes_find(changes, *item, len) &&
		    !is_told(row->name, environment))
			mxt_buf_printf(&names, "%s%s", names.len ? ", " : "", row->name);
	}
	remarks->failed = remarks->failed || names.failed;
	if (names.len)
		mxt_remark_note(remarks,
				"%s: set by you and not part of the plan; they stay, and may choose kernels "
				"that the plan did not measure",
				mxt_buf_text(&names));
}

static void advise(const struct mxt_env_request *request, char *const *environment, struct mxt_remarks *remarks)
{
	const struct mxt_advice_sink sink = {take_advice, remarks};
	const json_t *decision = mxt_plan_decision(request->plan);
	const json_t *stack = json_object_get(decision, "stack");
	const json_t *training = json_object_get(json_object_get(decision, "workload"), "training");
	const struct mxt_reader_versions versions = {request->torch, mxt_json_text(stack, "nccl"),
						     mxt_json_text(stack, "rccl")};
	enum mxt_gpu_stack gpus = mxt_gpu_stack_of(mxt_json_text(json_object_get(decision, "platform"), "arch"));
	const struct mxt_setting_files files = {request->root, environment, json_object_get(decision, "unset"), gpus};
	mxt_variable_advise(environment, &versions, &sink);
	mxt_visible_devices_advise(environment, gpus, mxt_json_integer_or(training, "gpus", 1), &sink);
	mxt_setting_files_advise(&files, &sink);
}

void mxt_env_remarks(const struct mxt_env_request *request, const struct mxt_env_changes *changes,
		     char *const *environment, struct mxt_remarks *remarks)
{
	remark_tuning(request, changes, environment, remarks);
	remark_unplanned(changes, environment, remarks);
	advise(request, environment, remarks);
}
