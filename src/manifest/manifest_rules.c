/* SPDX-License-Identifier: Apache-2.0 */
#include "manifest_rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "hash.h"
#include "json.h"
#include "json_path.h"
#include "result.h"
#include "run_files.h"

static const struct mxt_json_path root = MXT_JSON_ROOT;

static int refuse(const struct mxt_json_path *path, struct mxt_error *err, const char *text)
{
	return mxt_json_at(path, mxt_error_set(err, -EINVAL, MXT_E_MANIFEST_FIELD, "%s", text), err);
}

/* Roles come in their own order, and only datasets more than once. */
static int check_roles(const struct mxt_list_set *set, const struct mxt_json_path *path, struct mxt_error *err)
{
	if (set->count == 0 || set->lists[0].role != MXT_LIST_RUN)
		return refuse(path, err, "the list of the run's own folder must come first");
	for (size_t i = 1; i < set->count; i++) {
		const struct mxt_json_path at = {path, NULL, i};
		enum mxt_list_role last = set->lists[i - 1].role, role = set->lists[i].role;
		if (role < last || (role == last && role != MXT_LIST_DATASET))
			return refuse(&at, err,
				      "lists are those of the run, of its datasets and of its checkpoint, in this "
				      "order");
	}
	return 0;
}

int mxt_manifest_lists_read(struct mxt_list_set *set, const json_t *json, struct mxt_error *err)
{
	const struct mxt_json_path path = {&root, "lists", 0};
	if (!json_is_array(json))
		return refuse(&path, err, "an array of lists is expected here");
	set->capacity = json_array_size(json) + 1;
	set->lists = calloc(set->capacity, sizeof *set->lists);
	if (!set->lists)
		return mxt_error_oom(err);
	for (size_t i = 0; i < json_array_size(json); i++) {
		const struct mxt_json_path at = {&path, NULL, i};
		int rc = mxt_file_list_read(json_array_get(json, i), &set->lists[i], err);
		if (rc < 0)
			return mxt_json_at(&at, rc, err);
		set->count++;
	}
	return check_roles(set, &path, err);
}

static int check_result(const json_t *document, const struct mxt_list_set *set, struct mxt_error *err)
{
	const struct mxt_json_path at = {&root, "result_id", 0};
	const json_t *result = json_object_get(document, "result");
	const char *claimed = mxt_json_text(document, "result_id");
	bool unknown = json_object_get(result, "unknown") != NULL;
	if (unknown && *claimed)
		return refuse(&at, err, "the result is unknown, so that it can have no id");
	if (unknown)
		return 0;
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	char id[MXT_HASH_HEX_SIZE];
	int rc = mxt_json_canonical(result, &buf, err);
	if (rc < 0)
		return rc;
	mxt_hash_hex(buf.data, buf.len, id);
	if (strcmp(claimed, id) != 0)
		return refuse(&at, err, "it is not the hash of the result that is there");
	return mxt_result_check(document, set->lists, set->count, err);
}

/* Hashes that are told twice. */
static const struct {
	const char *object, *key, *file;
	const char *unless; /* a key beside it that names another file, which may be anywhere */
} told_twice[] = {
    {"plan", "blake3", MXT_RUN_PLAN, NULL},
    {"config", "given", MXT_RUN_GIVEN, "file"},
    {"config", "run", MXT_RUN_EDITED, NULL},
    {"proof", "ledger", MXT_RUN_LEDGER, NULL},
};

static int check_file(const json_t *document, const struct mxt_file_list *list, size_t row, struct mxt_error *err)
{
	const struct mxt_json_path parent = {&root, told_twice[row].object, 0}, at = {&parent, told_twice[row].key, 0};
	const json_t *object = json_object_get(document, told_twice[row].object);
	const char *claimed = mxt_json_text(object, told_twice[row].key);
	const struct mxt_file_entry *entry = mxt_file_list_find(list, told_twice[row].file);
	char hex[MXT_HASH_HEX_SIZE] = "";
	if (!*claimed || (told_twice[row].unless && json_object_get(object, told_twice[row].unless)))
		return 0;
	if (entry && entry->kind == MXT_ENTRY_FILE)
		mxt_hash_to_hex(entry->hash, hex);
	return strcmp(claimed, hex) == 0 ? 0 : refuse(&at, err, "the list of the run's folder has no such file");
}

int mxt_manifest_rules_check(const json_t *document, const struct mxt_list_set *set, struct mxt_error *err)
{
	int rc = check_result(document, set, err);
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(told_twice); i++)
		rc = check_file(document, &set->lists[0], i, err);
	return rc;
}
