/* SPDX-License-Identifier: Apache-2.0 */
#include "result.h"

#include <errno.h>
#include <string.h>

#include "error.h"
#include "json.h"
#include "result_rules.h"

#define VERSION 1 /* of result_rules.def and of how a config is normalised */

/* What is gathered. What fails for memory makes all of it fail, once, at the end. */
struct result {
	const struct mxt_result_request *request;
	json_t *datasets, *checkpoint, *unknown; /* owned: arrays */
	bool has_tensors, failed;
};

bool mxt_result_takes_file(const char *path)
{
	return mxt_result_part_of(path) != MXT_RESULT_NO_PART;
}

static void add(struct result *result, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) < 0)
		result->failed = true;
}

/* Clean text; a name of files or of what is on the Hub. */
static void add_unknown(struct result *result, const char *what, const char *name)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_puts(&text, what);
	mxt_buf_puts(&text, name);
	add(result, result->unknown, mxt_json_clean_text(mxt_buf_text(&text), 400));
	result->failed = result->failed || text.failed;
}

bool mxt_result_is_one_file(const struct mxt_file_list *dataset)
{
	return dataset->count == 1 && dataset->entries[0].kind == MXT_ENTRY_FILE;
}

void mxt_result_dataset_hash(const struct mxt_file_list *dataset, uint8_t ret_hash[MXT_HASH_SIZE])
{
	if (mxt_result_is_one_file(dataset))
		memcpy(ret_hash, dataset->entries[0].hash, MXT_HASH_SIZE);
	else
		mxt_file_list_hash(dataset, ret_hash);
}

static void take_dataset(struct result *result, const struct mxt_file_list *list)
{
	uint8_t hash[MXT_HASH_SIZE];
	mxt_result_dataset_hash(list, hash);
	add(result, result->datasets, mxt_json_hash(hash));
}

static void take_checkpoint(struct result *result, const struct mxt_file_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct mxt_file_entry *entry = &list->entries[i];
		enum mxt_result_part part = mxt_result_part_of(entry->path);
		if (part == MXT_RESULT_NO_PART)
			continue;
		if (entry->kind == MXT_ENTRY_LINK) {
			add_unknown(result, "the checkpoint has a link in the place of ", entry->path);
			continue;
		}
		add(result, result->checkpoint,
		    json_pack("{s:s,s:o}", "path", entry->path, "blake3", mxt_json_hash(entry->hash)));
		result->has_tensors = result->has_tensors || part == MXT_RESULT_TENSORS;
	}
}

static void take_lists(struct result *result)
{
	for (size_t i = 0; i < result->request->n_lists; i++) {
		const struct mxt_file_list *list = &result->request->lists[i];
		if (list->role == MXT_LIST_DATASET)
			take_dataset(result, list);
		else if (list->role == MXT_LIST_CHECKPOINT)
			take_checkpoint(result, list);
	}
}

static void note_missing(struct result *result)
{
	size_t i;
	const json_t *name;
	if (!result->request->plan_id)
		add_unknown(result, "the plan is not known", "");
	if (!result->request->config)
		add_unknown(result, "the config is not known", "");
	json_array_foreach(result->request->not_listed, i, name)
	{
		const char *text = json_string_value(name);
		add_unknown(result, "not hashed: dataset ", text ? text : "");
	}
	if (json_array_size(result->datasets) == 0 && json_array_size(result->request->not_listed) == 0)
		add_unknown(result, "no dataset is known", "");
	if (!result->has_tensors)
		add_unknown(result, "no checkpoint with final tensors is known", "");
}

static json_t *document(const struct result *result)
{
	if (json_array_size(result->unknown) > 0)
		return json_pack("{s:O, s:O*}", "unknown", result->unknown, "config", result->request->config);
	return json_pack("{s:i,s:s,s:O,s:O,s:O}", "version", VERSION, "plan_id", result->request->plan_id, "config",
			 result->request->config, "datasets", result->datasets, "checkpoint", result->checkpoint);
}

static int gather(struct result *result, json_t **ret_document, struct mxt_error *err)
{
	result->datasets = json_array();
	result->checkpoint = json_array();
	result->unknown = json_array();
	take_lists(result);
	note_missing(result);
	json_t *made = result->failed ? NULL : document(result);
	if (!made)
		return mxt_error_oom(err);
	*ret_document = made;
	return 0;
}

int mxt_result_make(const struct mxt_result_request *request, json_t **ret_result, char ret_id[MXT_HASH_HEX_SIZE],
		    struct mxt_error *err)
{
	struct result result = {.request = request};
	MXT_CLEANUP_JSON json_t *made = NULL;
	MXT_CLEANUP_BUF struct mxt_buf canonical = MXT_BUF_INIT;
	int rc = gather(&result, &made, err);
	bool known = json_array_size(result.unknown) == 0;
	json_decref(result.datasets);
	json_decref(result.checkpoint);
	json_decref(result.unknown);
	if (rc == 0)
		rc = mxt_json_canonical(made, &canonical, err);
	if (rc == 0)
		rc = mxt_buf_status(&canonical, err);
	if (rc < 0)
		return rc;
	ret_id[0] = '\0';
	if (known)
		mxt_hash_hex(canonical.data, canonical.len, ret_id);
	*ret_result = json_incref(made);
	return 0;
}

bool mxt_result_lacks_dataset(const json_t *document)
{
	const json_t *rows = json_object_get(document, "not_listed");
	const char *dataset = mxt_list_role_name(MXT_LIST_DATASET);
	bool found = false;
	for (size_t i = 0; i < json_array_size(rows) && !found; i++)
		found = strcmp(mxt_json_text(json_array_get(rows, i), "role"), dataset) == 0;
	return found;
}

bool mxt_result_is_known(const json_t *result)
{
	return mxt_json_integer(result, "version") == VERSION;
}

int mxt_result_check(const json_t *document, const struct mxt_file_list *lists, size_t n_lists, struct mxt_error *err)
{
	const json_t *result = json_object_get(document, "result");
	if (json_object_get(result, "unknown") || mxt_json_integer(result, "version") > VERSION)
		return 0;
	const char *plan_id = mxt_json_text(json_object_get(document, "plan"), "plan_id");
	const struct mxt_result_request request = {*plan_id ? plan_id : NULL, json_object_get(result, "config"), lists,
						   n_lists, NULL};
	MXT_CLEANUP_JSON json_t *made = NULL;
	char id[MXT_HASH_HEX_SIZE];
	int rc = mxt_result_make(&request, &made, id, err);
	if (rc < 0 || (json_equal(made, result) && !mxt_result_lacks_dataset(document)))
		return rc;
	return mxt_error_set(err, -EINVAL, MXT_E_RESULT_FORM,
			     "result: it is not made of the plan and the files that the manifest lists");
}
