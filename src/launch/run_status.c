/* SPDX-License-Identifier: Apache-2.0 */
#include "run_status.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>

#include "clock.h"
#include "config.h"
#include "error.h"
#include "json.h"
#include "launch.h"
#include "launch_run.h"
#include "plan.h"
#include "run_files.h"
#include "run_folder.h"

#define MAX_TEXT 4096

static const char *state_name(const struct mxt_run_status *status)
{
	if (status->refusal)
		return "refused";
	if (status->result)
		return "ended";
	return status->pid ? "running" : "starting";
}

static const struct mxt_error *cause_of(const struct mxt_run_status *status)
{
	if (status->refusal)
		return status->refusal;
	return status->result ? &status->result->cause : NULL;
}

/* Each is there once. 0 or -1. */
static int add_mark(json_t *marks, const char *mark)
{
	for (size_t i = 0; i < json_array_size(marks); i++)
		if (strcmp(json_string_value(json_array_get(marks, i)), mark) == 0)
			return 0;
	return json_array_append_new(marks, json_string(mark));
}

/* Marks that a reader of the run must know: what was allowed, and what is compiled. NULL: memory ran out. */
static json_t *marks_json(const struct mxt_launch *launch)
{
	MXT_CLEANUP_JSON json_t *marks = json_array();
	int rc = marks ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < launch->remarks.count; i++) {
		const struct mxt_remark *remark = &launch->remarks.items[i];
		const char *option = mxt_allowance_option(remark->allowance);
		if (remark->kind == MXT_REMARK_ALLOWED && option)
			rc = add_mark(marks, option + strlen("--"));
	}
	if (rc == 0 && launch->config.facts.compiles)
		rc = add_mark(marks, "compiled");
	return rc == 0 ? json_incref(marks) : NULL;
}

static json_t *nodes_json(const struct mxt_nodes *nodes)
{
	return json_pack("{s:I, s:I, s:s, s:s*}", "count", (json_int_t)nodes->count, "rank", (json_int_t)nodes->rank,
			 "found_by", nodes->found_by ? nodes->found_by : "", "address", nodes->address);
}

static int add_launch(const struct mxt_run_status *status, json_t *json)
{
	const struct mxt_launch *launch = status->launch;
	MXT_CLEANUP_JSON json_t *part =
	    json_pack("{s:o, s:o, s:o, s:I, s:I, s:O*}", "marks", marks_json(launch), "remarks",
		      mxt_remarks_json(&launch->remarks), "nodes", nodes_json(&launch->nodes), "checked_ns",
		      (json_int_t)launch->checked_ns, "identity_ns", (json_int_t)status->identity_ns, "yaml_changes",
		      launch->config.changes);
	return part ? json_object_update(json, part) : -1;
}

static json_t *end_json(const struct mxt_supervised *supervised)
{
	int status = supervised->wait_status;
	if (!supervised->started)
		return json_pack("{s:s, s:i}", "how", "not started", "errno", supervised->exec_errno);
	if (WIFSIGNALED(status))
		return json_pack("{s:s, s:i}", "how", "killed", "signal", WTERMSIG(status));
	return json_pack("{s:s, s:i}", "how", "exited", "status", WEXITSTATUS(status));
}

static json_t *log_json(const struct mxt_supervised *supervised)
{
	return json_pack("{s:I, s:b, s:s*}", "bytes", (json_int_t)supervised->log_bytes, "complete",
			 supervised->log_errno == 0, "reason",
			 supervised->log_errno ? strerror(supervised->log_errno) : NULL);
}

static json_t *stuck_json(const struct mxt_supervised *supervised)
{
	MXT_CLEANUP_JSON json_t *list = json_array();
	int rc = list ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < supervised->n_stuck; i++)
		rc = json_array_append_new(list, json_integer(supervised->stuck[i]));
	return rc == 0 ? json_incref(list) : NULL;
}

static const char *report_name(const struct mxt_launch_result *result)
{
	static const char *const names[] = {
	    [MXT_CONFIG_AWAITED] = "not seen",
	    [MXT_CONFIG_CONFIRMED] = "confirmed",
	    [MXT_CONFIG_DIFFERS] = "differs",
	    [MXT_CONFIG_UNREADABLE] = "not readable",
	};
	return names[result->report];
}

/* {"id", "text"}, or nothing where there is no error. 0 or -1. */
static int set_error(json_t *json, const char *key, const struct mxt_error *err)
{
	char id[12];
	if (!err || err->id == MXT_E_NONE)
		return 0;
	return json_object_set_new(json, key,
				   json_pack("{s:s, s:o}", "id", mxt_error_id_text(err->id, id), "text",
					     mxt_json_clean_text(mxt_error_text(err), MAX_TEXT)));
}

/* By the clock on the wall: when it was, not how long it took. 0 or -1. */
static int add_times(const struct mxt_launch_result *result, json_t *json)
{
	json_int_t started = (json_int_t)result->started.tv_sec;
	json_int_t ran_s = (json_int_t)((result->supervised.ended_ns - result->supervised.started_ns) / MXT_NS_PER_S);
	int rc = json_object_set_new(json, "started", json_integer(started));
	return rc == 0 ? json_object_set_new(json, "ended", json_integer(started + ran_s)) : rc;
}

static int add_result(const struct mxt_run_status *status, json_t *json)
{
	const struct mxt_launch_result *result = status->result;
	const struct mxt_supervised *supervised = &result->supervised;
	bool train = status->launch->request->config != NULL;
	MXT_CLEANUP_JSON json_t *part =
	    json_pack("{s:o, s:o, s:I, s:I, s:o, s:O*, s:O*, s:O*, s:O*, s:s*}", "end", end_json(supervised), "log",
		      log_json(supervised), "ran_ns", (json_int_t)(supervised->ended_ns - supervised->started_ns),
		      "swept", (json_int_t)supervised->n_swept, "stuck", stuck_json(supervised), "coverage",
		      result->proof.coverage, "witnesses", result->proof.witnesses, "caches", result->caches,
		      "artefacts", result->artefacts.found, "config_report", train ? report_name(result) : NULL);
	int rc = part ? json_object_update(json, part) : -1;
	if (rc == 0)
		rc = add_times(result, json);
	if (rc == 0 && supervised->signal)
		rc = json_object_set_new(json, "signal", json_integer(supervised->signal));
	return rc == 0 ? set_error(json, "handoffs", &result->handoffs) : rc;
}

static bool is_last(const struct mxt_run_status *status)
{
	return status->result || status->refusal;
}

/* 0 or -1. */
static int fill(const struct mxt_run_status *status, json_t *json)
{
	int rc = set_error(json, "cause", cause_of(status));
	if (rc == 0 && status->pid)
		rc = json_object_set_new(json, "pid", json_integer(status->pid));
	if (rc == 0 && status->launch)
		rc = add_launch(status, json);
	if (rc == 0 && status->launch && status->result)
		rc = add_result(status, json);
	if (rc == 0 && is_last(status))
		rc = json_object_set_new(json, "exit_status", json_integer(status->exit_status));
	return rc;
}

int mxt_run_status_write(const struct mxt_run_status *status, const struct mxt_run_folder *folder, int64_t seconds,
			 struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *json =
	    json_pack("{s:s, s:s, s:s, s:s, s:s, s:s*, s:I}", "schema", "mindxtrain.status/1", "tool", MXT_VERSION,
		      "command", status->command, "run", folder->name, "state", state_name(status), "plan_id",
		      status->plan ? mxt_plan_id(status->plan) : NULL, "written", (json_int_t)seconds);
	if (!json || fill(status, json) < 0)
		return mxt_error_oom(err);
	if (is_last(status))
		return mxt_run_folder_settle(folder, json, err);
	return mxt_run_folder_write_json(folder, MXT_RUN_STATUS, json, err);
}
