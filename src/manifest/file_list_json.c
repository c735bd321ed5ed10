/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "error.h"
#include "file_list.h"
#include "json.h"
#include "name_json.h"

/* json_object_set_new() with NULL, for what could not be made, fails, too. */
static int set(json_t *object, const char *key, json_t *value, struct mxt_error *err)
{
	return json_object_set_new(object, key, value) < 0 ? mxt_error_oom(err) : 0;
}

static int set_size(json_t *object, const char *key, uint64_t size, struct mxt_error *err)
{
	if (size > (uint64_t)MXT_JSON_MAX_INT)
		return mxt_error_set(err, -EOVERFLOW, MXT_E_LIST_FORM, "%s: more than 2^53-1 bytes", key);
	return set(object, key, json_integer((json_int_t)size), err);
}

static int entry_json(const struct mxt_file_entry *entry, json_t *object, struct mxt_error *err)
{
	int rc = mxt_name_json_set(object, "path", "path_bytes", entry->path, err);
	if (rc == 0 && entry->kind == MXT_ENTRY_LINK)
		return mxt_name_json_set(object, "link", "link_bytes", entry->target, err);
	if (rc == 0)
		rc = set_size(object, "size", (uint64_t)entry->size, err);
	return rc < 0 ? rc : set(object, "blake3", mxt_json_hash(entry->hash), err);
}

static int files_json(const struct mxt_file_list *list, json_t *files, struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < list->count && rc == 0; i++) {
		json_t *object = json_object();
		if (json_array_append_new(files, object) < 0)
			return mxt_error_oom(err);
		rc = entry_json(&list->entries[i], object, err);
	}
	return rc;
}

static int head_json(const struct mxt_file_list *list, json_t *object, struct mxt_error *err)
{
	uint8_t hash[MXT_HASH_SIZE];
	mxt_file_list_hash(list, hash);
	int rc = set(object, "role", json_string(mxt_list_role_name(list->role)), err);
	if (rc == 0)
		rc = mxt_name_json_set(object, "root", "root_bytes", list->root, err);
	if (rc == 0)
		rc = set(object, "hash", mxt_json_hash(hash), err);
	if (rc == 0)
		rc = set_size(object, "bytes", mxt_file_list_bytes(list), err);
	if (rc == 0 && list->single)
		rc = set(object, "single", json_true(), err);
	if (rc == 0 && list->outside_links)
		rc = set_size(object, "outside_links", list->outside_links, err);
	return rc;
}

int mxt_file_list_json(const struct mxt_file_list *list, json_t **ret_json, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *object = json_object();
	json_t *files = json_array();
	int rc = set(object, "files", files, err);
	if (rc == 0)
		rc = head_json(list, object, err);
	if (rc == 0)
		rc = files_json(list, files, err);
	if (rc < 0)
		return rc;
	*ret_json = json_incref(object);
	return 0;
}
