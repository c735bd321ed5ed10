/* SPDX-License-Identifier: Apache-2.0 */
#include "run_proof.h"

#include <errno.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "json.h"
#include "operators.h"
#include "plan.h"
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

/* The node's first rank is the one that is recorded. */
static int add_operators(const json_t *document, const struct mxt_plan *plan, struct mxt_witnesses *witnesses)
{
	const json_t *attention = json_object_get(mxt_plan_decision(plan), "attention");
	const char *seen = mxt_operators_seen(document), *planned = mxt_json_text(attention, "backend");
	int64_t rank = mxt_json_integer(json_array_get(witnesses->rows, 0), "rank");
	if (seen[0] == '\0')
		return 0;
	json_t *row = json_pack("{s:I, s:s, s:s}", "rank", (json_int_t)rank, "what", "operators", "saw", seen);
	if (!row || json_array_append_new(witnesses->rows, row) < 0 || mxt_json_set_known(row, "planned", planned) < 0)
		return -ENOMEM;
	witnesses->contradicted = witnesses->contradicted || mxt_operators_contradict(seen, planned);
	return 0;
}

static int read_recording(const struct mxt_record_folder *folder, const struct mxt_plan *plan,
			  struct mxt_witnesses *witnesses, struct mxt_recording **ret_recording, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *document = NULL;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	int rc = mxt_record_folder_merge(folder, &document, err);
	if (rc == 0)
		rc = mxt_json_canonical(document, &text, err);
	if (rc == 0)
		rc = mxt_recording_parse("the run's recording", mxt_buf_text(&text), text.len, ret_recording, err);
	return rc == 0 ? add_operators(document, plan, witnesses) : rc;
}

static int read_coverage(struct mxt_record_folder *folder, const struct mxt_plan *plan, struct mxt_witnesses *witnesses,
			 json_t **ret_coverage, struct mxt_error *err)
{
	MXT_CLEANUP_RECORDING struct mxt_recording *recording = NULL;
	int rc =
	    mxt_record_folder_has_parts(folder) ? read_recording(folder, plan, witnesses, &recording, NULL) : -ENOENT;
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

int mxt_run_proof_read(const char *ranks, const struct mxt_plan *plan, bool records, struct mxt_run_proof *ret_proof,
		       struct mxt_error *err)
{
	MXT_CLEANUP_WITNESSES struct mxt_witnesses witnesses = {.rows = NULL};
	struct mxt_record_folder folder = {.path = (char *)ranks}; /* borrowed */
	json_t *coverage = NULL;
	int rc = mxt_witnesses_read(ranks, plan, &witnesses, err);
	if (rc == 0 && records)
		rc = read_coverage(&folder, plan, &witnesses, &coverage, err);
	if (rc < 0)
		return rc;
	*ret_proof = (struct mxt_run_proof){
	    .coverage = coverage, .witnesses = mxt_steal_ptr(&witnesses.rows), .contradicted = witnesses.contradicted};
	return 0;
}
