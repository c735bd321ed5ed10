/* SPDX-License-Identifier: Apache-2.0 */
#include "run_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cleanup.h"
#include "error.h"
#include "file.h"
#include "git_state.h"
#include "hash.h"
#include "input_file.h"
#include "json.h"
#include "plan.h"
#include "run_files.h"

#define STATUS_SCHEMA "mindxtrain.status/1"
#define JOB_SCHEMA    "mindxtrain.job/1"
#define FOUND_LATER   "when the manifest was made"

void mxt_run_record_finish(struct mxt_run_record *record)
{
	json_decref(record->read);
	json_decref(record->status);
	json_decref(record->job);
	json_decref(record->plan);
	json_decref(record->env);
	json_decref(record->argv);
	json_decref(record->config);
	mxt_buf_finish(&record->yaml);
	*record = (struct mxt_run_record)MXT_RUN_RECORD_INIT;
}

/* ---- single files ---- */

/* One folder, as it is read. */
struct reading {
	const char *folder;
	struct mxt_run_record *record;
	struct mxt_error *err;
};

static int note(const struct reading *reading, const char *name, const struct mxt_buf *bytes)
{
	char hex[MXT_HASH_HEX_SIZE];
	mxt_hash_hex(mxt_buf_text(bytes), bytes->len, hex);
	return json_object_set_new(reading->record->read, name, json_string(hex)) == 0 ? 0
										       : mxt_error_oom(reading->err);
}

/* *ret_there is false, and nothing else happens, when there is no such file. */
static int read_file(const struct reading *reading, const char *name, struct mxt_buf *bytes, bool *ret_there)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/%s", reading->folder, name);
	int rc = mxt_buf_status(&path, reading->err);
	*ret_there = rc == 0 && (access(path.data, F_OK) == 0 || errno != ENOENT);
	if (rc < 0 || !*ret_there)
		return rc;
	rc = mxt_file_read_no_link(path.data, MXT_JSON_MAX_BYTES, bytes, reading->err);
	return rc == 0 ? note(reading, name, bytes) : rc;
}

/* *ret_value stays NULL when there is no such file. */
static int read_json(const struct reading *reading, const char *name, json_t **ret_value)
{
	MXT_CLEANUP_BUF struct mxt_buf bytes = MXT_BUF_INIT;
	bool there = false;
	int rc = read_file(reading, name, &bytes, &there);
	if (rc < 0 || !there)
		return rc;
	rc = mxt_json_parse(name, mxt_buf_text(&bytes), bytes.len, MXT_JSON_CANONICAL, ret_value, reading->err);
	return rc < 0 ? mxt_error_wrap(reading->err, rc, "%s", reading->folder) : 0;
}

/* Borrowed from the record. */
static json_t *hash_of(const struct mxt_run_record *record, const char *name)
{
	return json_object_get(record->read, name);
}

/* ---- has it ended? ---- */

/* The launcher holds a lock on the folder for as long as it runs, and the kernel gives it back whatever happens. */
static bool is_at_work(const char *folder)
{
	MXT_CLEANUP_CLOSE int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

static int check_ended(const struct reading *reading)
{
	const char *state = mxt_json_text(reading->record->status, "state");
	bool open = strcmp(state, "starting") == 0 || strcmp(state, "running") == 0;
	if (!open || !is_at_work(reading->folder))
		return 0;
	return mxt_error_set(reading->err, -EBUSY, MXT_E_MANIFEST_RUN,
			     "%s: this run has not ended; its manifest can be made when it has", reading->folder);
}

/* Another launcher's file of that name may be anything. */
static int read_status(const struct reading *reading)
{
	struct mxt_run_record *record = reading->record;
	MXT_CLEANUP_JSON json_t *status = NULL;
	MXT_CLEANUP_ERROR struct mxt_error unreadable = MXT_ERROR_INIT;
	const struct reading quiet = {reading->folder, record, &unreadable};
	int rc = read_json(&quiet, MXT_RUN_STATUS, &status);
	record->ours = rc == 0 && strcmp(mxt_json_text(status, "schema"), STATUS_SCHEMA) == 0;
	record->status = record->ours ? json_incref(status) : json_object();
	if (!record->ours)
		(void)json_object_clear(record->read);
	if (rc == -ENOMEM || !record->status)
		return mxt_error_oom(reading->err);
	return check_ended(reading);
}

/* ---- plan, config, job ---- */

static int check_plan(const struct reading *reading, const struct mxt_plan *plan)
{
	const char *started_with = mxt_json_text(reading->record->status, "plan_id");
	if (strcmp(started_with, mxt_plan_id(plan)) == 0)
		return 0;
	return mxt_error_set(reading->err, -EBADMSG, MXT_E_MANIFEST_RUN,
			     "%s/" MXT_RUN_PLAN " has the id %s, and the run was started with plan %s (" MXT_RUN_STATUS
			     "): one of them was changed since",
			     reading->folder, mxt_plan_id(plan), started_with[0] ? started_with : "of no id");
}

static int read_plan(const struct reading *reading)
{
	struct mxt_run_record *record = reading->record;
	MXT_CLEANUP_BUF struct mxt_buf bytes = MXT_BUF_INIT;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = NULL;
	bool there = false;
	int rc = read_file(reading, MXT_RUN_PLAN, &bytes, &there);
	if (rc < 0 || !there)
		return rc;
	rc = mxt_plan_parse(MXT_RUN_PLAN, mxt_buf_text(&bytes), bytes.len, &plan, reading->err);
	if (rc < 0)
		return mxt_error_wrap(reading->err, rc, "%s", reading->folder);
	rc = check_plan(reading, plan);
	if (rc < 0)
		return rc;
	record->plan =
	    json_pack("{s:s, s:O, s:o*}", "plan_id", mxt_plan_id(plan), "blake3", hash_of(record, MXT_RUN_PLAN),
		      "simulated", mxt_plan_is_simulated(plan) ? json_true() : NULL);
	return record->plan ? 0 : mxt_error_oom(reading->err);
}

static int read_config(const struct reading *reading)
{
	struct mxt_run_record *record = reading->record;
	MXT_CLEANUP_BUF struct mxt_buf given = MXT_BUF_INIT;
	bool has_given = false, has_run = false;
	int rc = read_file(reading, MXT_RUN_GIVEN, &given, &has_given);
	if (rc == 0)
		rc = read_file(reading, MXT_RUN_EDITED, &record->yaml, &has_run);
	if (rc < 0 || !has_given || !has_run)
		return rc;
	record->config =
	    json_pack("{s:O, s:O, s:O*}", "given", hash_of(record, MXT_RUN_GIVEN), "run",
		      hash_of(record, MXT_RUN_EDITED), "changes", json_object_get(record->status, "yaml_changes"));
	return record->config ? 0 : mxt_error_oom(reading->err);
}

static int read_job(const struct reading *reading)
{
	struct mxt_run_record *record = reading->record;
	MXT_CLEANUP_JSON json_t *job = NULL;
	int rc = read_json(reading, MXT_RUN_JOB, &job);
	if (rc < 0)
		return rc;
	if (job && strcmp(mxt_json_text(job, "schema"), JOB_SCHEMA) != 0)
		return mxt_error_set(reading->err, -EINVAL, MXT_E_MANIFEST_RUN,
				     "%s/" MXT_RUN_JOB " is not of the form " JOB_SCHEMA, reading->folder);
	record->job = job ? json_incref(job) : json_object();
	return record->job ? 0 : mxt_error_oom(reading->err);
}

/* A run of another launcher: what it was started in is not known, only what is here now. */
static int look_around(const struct reading *reading, char *const *environment)
{
	MXT_CLEANUP_FREE char *directory = getcwd(NULL, 0);
	json_t *git = NULL;
	json_t *job = json_pack("{s:s, s:s*}", "found", FOUND_LATER, "directory",
				directory && mxt_json_is_text(directory) ? directory : NULL);
	reading->record->job = job;
	if (!job)
		return mxt_error_oom(reading->err);
	int rc = directory ? mxt_git_state(directory, environment, &git, reading->err) : 0;
	return rc < 0 || !git || json_object_set_new(job, "git", git) == 0 ? rc : mxt_error_oom(reading->err);
}

/* ---- all of it ---- */

static int read_ours(const struct reading *reading)
{
	int rc = read_plan(reading);
	if (rc == 0)
		rc = read_config(reading);
	if (rc == 0)
		rc = read_json(reading, MXT_RUN_ENV, &reading->record->env);
	if (rc == 0)
		rc = read_json(reading, MXT_RUN_ARGV, &reading->record->argv);
	return rc == 0 ? read_job(reading) : rc;
}

int mxt_run_record_read(const char *folder, char *const *environment, struct mxt_run_record *ret_record,
			struct mxt_error *err)
{
	MXT_CLEANUP_RUN_RECORD struct mxt_run_record record = MXT_RUN_RECORD_INIT;
	const struct reading reading = {folder, &record, err};
	record.read = json_object();
	int rc = record.read ? read_status(&reading) : mxt_error_oom(err);
	if (rc == 0)
		rc = record.ours ? read_ours(&reading) : look_around(&reading, environment);
	if (rc < 0)
		return rc;
	*ret_record = record;
	record = (struct mxt_run_record)MXT_RUN_RECORD_INIT;
	return 0;
}

bool mxt_run_record_ended_well(const struct mxt_run_record *record)
{
	return !record->ours || mxt_json_integer_or(record->status, "exit_status", -1) == 0;
}

int mxt_run_record_take_config(struct mxt_run_record *record, const char *path, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *real = NULL;
	char hex[MXT_HASH_HEX_SIZE];
	if (record->config)
		return mxt_error_set(err, -EINVAL, MXT_E_MANIFEST_RUN,
				     "the config of this run is known, it is " MXT_RUN_GIVEN
				     " in its folder: leave --config out");
	int rc = mxt_input_refine(mxt_file_read(path, MXT_JSON_MAX_BYTES, &record->yaml, err), err);
	if (rc < 0)
		return rc;
	if (record->yaml.len == 0)
		return mxt_error_set(err, -EINVAL, MXT_E_MANIFEST_RUN, "%s: a config is expected here, and it is empty",
				     path);
	real = realpath(path, NULL);
	mxt_hash_hex(mxt_buf_text(&record->yaml), record->yaml.len, hex);
	record->config =
	    json_pack("{s:s, s:o}", "given", hex, "file", mxt_json_clean_text(real ? real : path, MXT_JSON_MAX_BYTES));
	return record->config ? 0 : mxt_error_oom(err);
}
