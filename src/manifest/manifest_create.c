/* SPDX-License-Identifier: Apache-2.0 */
#include "manifest_create.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "checkpoint_state.h"
#include "cleanup.h"
#include "clock.h"
#include "config.h"
#include "error.h"
#include "hub_cache.h"
#include "json.h"
#include "list_set.h"
#include "manifest.h"
#include "quick_cache.h"
#include "result.h"
#include "run_files.h"
#include "run_record.h"
#include "tree.h"

/* A manifest as it is made. */
struct making {
	const struct mxt_manifest_request *request;
	struct mxt_run_record record;
	struct mxt_list_set set;
	json_t *not_listed; /* the manifest's */
	struct mxt_error *err;
};

static void making_finish(struct making *making)
{
	mxt_run_record_finish(&making->record);
	mxt_list_set_finish(&making->set);
	json_decref(making->not_listed);
}

/* ---- which places ---- */

#define NO_DATASET "is the folder of the run itself, or of its record, and no dataset"

static int leave_out(const struct making *making, enum mxt_list_role role, const char *name, const char *reason)
{
	json_t *row = json_pack("{s:s, s:o, s:o}", "role", mxt_list_role_name(role), "name",
				mxt_json_clean_text(name, MXT_JSON_MAX_BYTES), "reason",
				mxt_json_clean_text(reason, MXT_JSON_MAX_BYTES));
	return json_array_append_new(making->not_listed, row) == 0 ? 0 : mxt_error_oom(making->err);
}

/* A place that the request names must be there. */
static int take_given(struct making *making, enum mxt_list_role role, const char *path)
{
	int rc = mxt_list_set_add(&making->set, role, path, making->err);
	if (rc == 0 || rc == -ENOMEM)
		return rc;
	if (rc == -EEXIST)
		return mxt_error_set(making->err, rc, MXT_E_MANIFEST_RUN, "%s " NO_DATASET, path);
	return mxt_error_set(making->err, rc, MXT_E_TREE_READ, "cannot find %s, the %s: %s", path,
			     role == MXT_LIST_RUN ? "folder of the run" : mxt_list_role_name(role), strerror(-rc));
}

/* One that job.json names is told to be missing. */
static int take_recorded(struct making *making, enum mxt_list_role role, const char *path, const char *name)
{
	int rc = path[0] == '/' ? mxt_list_set_add(&making->set, role, path, making->err) : -ENOENT;
	if (rc == 0 || rc == -ENOMEM)
		return rc;
	return leave_out(making, role, name, rc == -EEXIST ? NO_DATASET : strerror(-rc));
}

static int take_hub(struct making *making, const json_t *dataset, const char *id)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	int rc = !mxt_hub_id_valid(id) ? -ENOENT
				       : mxt_hub_cache_snapshot(mxt_json_text(dataset, "cache"), "datasets", id,
								mxt_json_text(dataset, "revision"), &path, making->err);
	if (rc == -ENOENT)
		return leave_out(making, MXT_LIST_DATASET, id, "it is not in the local cache of the Hub");
	return rc < 0 ? rc : take_recorded(making, MXT_LIST_DATASET, mxt_buf_text(&path), id);
}

static int take_dataset(struct making *making, const json_t *dataset)
{
	const char *name = mxt_json_text(dataset, "name"), *reason = mxt_json_text(dataset, "reason");
	const char *hub = mxt_json_text(dataset, "hub");
	if (reason[0])
		return leave_out(making, MXT_LIST_DATASET, name, reason);
	if (!mxt_run_record_ended_well(&making->record))
		return leave_out(making, MXT_LIST_DATASET, name, "the run did not end well");
	if (hub[0])
		return take_hub(making, dataset, hub);
	return take_recorded(making, MXT_LIST_DATASET, mxt_json_text(dataset, "path"), name);
}

static int take_datasets(struct making *making)
{
	char *const *given = making->request->datasets;
	const json_t *recorded = json_object_get(making->record.job, "datasets");
	int rc = 0;
	for (size_t i = 0; rc == 0 && given && given[i]; i++)
		rc = take_given(making, MXT_LIST_DATASET, given[i]);
	for (size_t i = 0; rc == 0 && !given && i < json_array_size(recorded); i++)
		rc = take_dataset(making, json_array_get(recorded, i));
	return rc;
}

static int take_checkpoint(struct making *making)
{
	const struct mxt_run_record *record = &making->record;
	const char *output = mxt_json_text(record->job, "output_dir");
	if (making->request->checkpoint)
		return take_given(making, MXT_LIST_CHECKPOINT, making->request->checkpoint);
	if (!output[0])
		return 0;
	if (!mxt_run_record_ended_well(record))
		return leave_out(making, MXT_LIST_CHECKPOINT, output, "the run did not end well");
	if (mxt_json_integer(json_object_get(record->status, "nodes"), "rank") > 0)
		return leave_out(making, MXT_LIST_CHECKPOINT, output, "the first node answers for it");
	return take_recorded(making, MXT_LIST_CHECKPOINT, output, output);
}

static int take_places(struct making *making)
{
	int rc = take_given(making, MXT_LIST_RUN, making->request->run_folder);
	if (rc == 0)
		rc = take_datasets(making);
	return rc == 0 ? take_checkpoint(making) : rc;
}

/* ---- files ---- */

static int check_checkpoints(const struct making *making)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < making->set.count; i++) {
		const struct mxt_file_list *list = &making->set.lists[i];
		MXT_CLEANUP_CLOSE int fd = -1;
		if (list->role != MXT_LIST_CHECKPOINT)
			continue;
		rc = mxt_tree_open_root(list->root, &fd, making->err);
		if (rc == 0)
			rc = mxt_checkpoint_check(fd, list, making->err);
	}
	return rc;
}

static int take_files(struct making *making)
{
	const struct mxt_manifest_request *request = making->request;
	int rc = mxt_list_set_fill(&making->set, &request->watch, making->err);
	if (rc == 0)
		rc = check_checkpoints(making);
	if (rc == 0)
		rc = mxt_list_set_hash(&making->set, request->threads, &request->watch, making->err);
	return rc == 0 ? mxt_run_record_check(&making->record, &making->set.lists[0], making->err) : rc;
}

/* ---- the document ---- */

static int add_lists(const struct making *making, json_t *document)
{
	MXT_CLEANUP_JSON json_t *lists = json_array();
	int rc = lists ? 0 : mxt_error_oom(making->err);
	for (size_t i = 0; rc == 0 && i < making->set.count; i++) {
		json_t *list = NULL;
		rc = mxt_file_list_json(&making->set.lists[i], &list, making->err);
		if (rc == 0 && json_array_append_new(lists, list) < 0)
			rc = mxt_error_oom(making->err);
	}
	if (rc == 0 && json_object_set(document, "lists", lists) < 0)
		rc = mxt_error_oom(making->err);
	return rc;
}

/* Names of datasets that are in no list. */
static json_t *unlisted_datasets(const struct making *making)
{
	json_t *names = json_array();
	for (size_t i = 0; names && i < json_array_size(making->not_listed); i++) {
		const json_t *row = json_array_get(making->not_listed, i);
		if (strcmp(mxt_json_text(row, "role"), mxt_list_role_name(MXT_LIST_DATASET)) == 0 &&
		    json_array_append(names, json_object_get(row, "name")) < 0) {
			json_decref(names);
			return NULL;
		}
	}
	return names;
}

/* *ret_config stays NULL for a run without a config. */
static int read_config(const struct making *making, json_t **ret_config)
{
	const struct mxt_run_record *record = &making->record;
	if (record->yaml.len == 0)
		return 0;
	const char *name = making->request->config ? making->request->config : MXT_RUN_EDITED;
	return mxt_result_config(name, mxt_buf_text(&record->yaml), record->yaml.len,
				 json_object_get(record->job, "overrides"), ret_config, making->err);
}

static int add_result(const struct making *making, json_t *document)
{
	MXT_CLEANUP_JSON json_t *unlisted = unlisted_datasets(making);
	MXT_CLEANUP_JSON json_t *config = NULL;
	char id[MXT_HASH_HEX_SIZE];
	json_t *result = NULL;
	const char *plan_id = mxt_json_text(making->record.plan, "plan_id");
	int rc = unlisted ? read_config(making, &config) : mxt_error_oom(making->err);
	if (rc < 0)
		return rc;
	const struct mxt_result_request request = {plan_id[0] ? plan_id : NULL, config, making->set.lists,
						   making->set.count, unlisted};
	rc = mxt_result_make(&request, &result, id, making->err);
	if (rc == 0 &&
	    (json_object_set_new(document, "result", result) < 0 || mxt_json_set_known(document, "result_id", id) < 0))
		rc = mxt_error_oom(making->err);
	return rc;
}

static int describe(const struct making *making, json_t **ret_document)
{
	const json_t *omitted = json_array_size(making->not_listed) > 0 ? making->not_listed : NULL;
	MXT_CLEANUP_JSON json_t *document = json_pack("{s:s, s:I, s:s, s:O*}", "schema", MXT_MANIFEST_SCHEMA, "created",
						      (json_int_t)(making->request->now_ns / (int64_t)MXT_NS_PER_S),
						      "tool", MXT_VERSION, "not_listed", omitted);
	int rc = document ? mxt_run_record_describe(&making->record, &making->set.lists[0], document, making->err)
			  : mxt_error_oom(making->err);
	if (rc == 0)
		rc = add_result(making, document);
	if (rc == 0)
		rc = add_lists(making, document);
	if (rc == 0)
		*ret_document = json_incref(document);
	return rc;
}

/* ---- for `verify --quick` ---- */

/* What was just hashed is as it should be. Nothing depends on it: what cannot be kept is read again. */
static void remember_list(const struct making *making, const struct mxt_file_list *list, const char *id)
{
	MXT_CLEANUP_FREE struct mxt_file_identity *identities = calloc(list->count + 1, sizeof *identities);
	const struct mxt_quick_cache cache = {making->request->cache, id, list->root, list};
	for (size_t i = 0; identities && i < list->count; i++)
		if (list->entries[i].kind == MXT_ENTRY_FILE)
			identities[i] = list->entries[i].seen;
	if (identities)
		(void)mxt_quick_cache_store(&cache, identities, making->request->now_ns);
}

static void remember(const struct making *making, const struct mxt_manifest *manifest)
{
	for (size_t i = 0; making->request->cache && i < making->set.count; i++)
		remember_list(making, &making->set.lists[i], mxt_manifest_id(manifest));
}

int mxt_manifest_create(const struct mxt_manifest_request *request, struct mxt_manifest **ret_manifest,
			struct mxt_error *err)
{
	MXT_CLEANUP(making_finish)
	struct making making = {
	    .request = request, .record = MXT_RUN_RECORD_INIT, .set = MXT_LIST_SET_INIT, .err = err};
	MXT_CLEANUP_JSON json_t *document = NULL;
	making.not_listed = json_array();
	if (!making.not_listed)
		return mxt_error_oom(err);
	int rc = mxt_run_record_read(request->run_folder, request->environment, &making.record, err);
	if (rc == 0 && request->config)
		rc = mxt_run_record_take_config(&making.record, request->config, err);
	if (rc == 0)
		rc = take_places(&making);
	if (rc == 0)
		rc = take_files(&making);
	if (rc == 0)
		rc = describe(&making, &document);
	if (rc == 0)
		rc = mxt_manifest_seal(document, ret_manifest, err);
	if (rc == 0)
		remember(&making, *ret_manifest);
	return rc;
}
