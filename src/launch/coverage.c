/* SPDX-License-Identifier: Apache-2.0 */
#include "coverage.h"

#include <errno.h>

#include "buf.h"
#include "cleanup.h"
#include "environ.h"
#include "error.h"
#include "json.h"
#include "plan_settings.h"
#include "python_folder.h"
#include "record_folder.h"
#include "recording.h"
#include "time_share.h"
#include "witnesses.h"

void mxt_run_proof_finish(struct mxt_run_proof *proof)
{
	json_decref(proof->coverage);
	json_decref(proof->witnesses);
	*proof = (struct mxt_run_proof)MXT_RUN_PROOF_INIT;
}

/* ---- before ---- */

static json_t *python_path(char *const *caller, const char *python)
{
	const char *old = mxt_environ_get(caller, "PYTHONPATH");
	return json_sprintf("%s/hook:%s%s%s", python, python, old && *old ? ":" : "", old ? old : "");
}

static int set_text(json_t *environment, const char *name, const char *value)
{
	return value ? json_object_set_new(environment, name, json_string_nocheck(value)) : 0;
}

int mxt_coverage_environment(char *const *caller, const struct mxt_plan *plan, const char *ranks, bool records,
			     json_t **ret_environment, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *python = NULL;
	struct mxt_plan_settings settings = {.sdpa = NULL};
	int rc = mxt_python_folder(caller, &python, err);
	if (rc == 0)
		rc = mxt_plan_settings(plan, &settings, err);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_JSON json_t *environment = json_object();
	if (!environment || json_object_set_new(environment, "PYTHONPATH", python_path(caller, python)) < 0 ||
	    set_text(environment, "MXT_LAUNCH_DIR", ranks) < 0 ||
	    (records &&
	     json_object_set_new(environment, "MXT_LAUNCH_STEPS", json_sprintf("%d", MXT_COVERAGE_STEPS)) < 0) ||
	    set_text(environment, "MXT_LAUNCH_SDPA", settings.sdpa) < 0 ||
	    set_text(environment, "MXT_LAUNCH_DETERMINISTIC", settings.deterministic ? "1" : NULL) < 0)
		return mxt_error_oom(err);
	*ret_environment = mxt_steal_ptr(&environment);
	return 0;
}

/* ---- after ---- */

/* Why there is no recording. */
static const char *no_recording(const struct mxt_record_folder *folder, const struct mxt_witnesses *witnesses)
{
	if (witnesses->not_recorded)
		return witnesses->not_recorded;
	if (mxt_record_folder_has_parts(folder))
		return "what its processes recorded cannot be read";
	if (witnesses->processes == 0)
		return "no Python of it that can be watched trained anything (one that is started with -E, -I or -S, "
		       "or with another PYTHONPATH, cannot)";
	return "no process made enough optimizer steps to be recorded";
}

static int read_recording(const struct mxt_record_folder *folder, struct mxt_recording **ret_recording,
			  struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *document = NULL;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	int rc = mxt_record_folder_merge(folder, &document, err);
	if (rc == 0)
		rc = mxt_json_canonical(document, &text, err);
	return rc == 0 ? mxt_recording_parse("the run's recording", mxt_buf_text(&text), text.len, ret_recording, err)
		       : rc;
}

static int read_coverage(struct mxt_record_folder *folder, const struct mxt_plan *plan,
			 const struct mxt_witnesses *witnesses, json_t **ret_coverage, struct mxt_error *err)
{
	MXT_CLEANUP_RECORDING struct mxt_recording *recording = NULL;
	int rc = mxt_record_folder_has_parts(folder) ? read_recording(folder, &recording, NULL) : -ENOENT;
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	if (rc == 0)
		return mxt_time_share(recording, plan, ret_coverage, err);
	json_t *coverage = json_pack("{s:o}", "unknown", mxt_json_clean_text(no_recording(folder, witnesses), 400));
	if (!coverage)
		return mxt_error_oom(err);
	*ret_coverage = coverage;
	return 0;
}

int mxt_run_proof_read(const char *ranks, const struct mxt_plan *plan, struct mxt_run_proof *ret_proof,
		       struct mxt_error *err)
{
	MXT_CLEANUP_WITNESSES struct mxt_witnesses witnesses = {.rows = NULL};
	struct mxt_record_folder folder = {.path = (char *)ranks}; /* borrowed */
	json_t *coverage = NULL;
	int rc = mxt_witnesses_read(ranks, plan, &witnesses, err);
	if (rc == 0)
		rc = read_coverage(&folder, plan, &witnesses, &coverage, err);
	if (rc < 0)
		return rc;
	*ret_proof = (struct mxt_run_proof){
	    .coverage = coverage, .witnesses = mxt_steal_ptr(&witnesses.rows), .contradicted = witnesses.contradicted};
	return 0;
}
