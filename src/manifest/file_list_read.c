/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "file_list.h"
#include "json.h"
#include "name_json.h"
#include "printable.h"

static int wrong(struct mxt_error *err, const char *key, const char *what)
{
	return mxt_error_set(err, -EINVAL, MXT_E_LIST_FORM, "%s: %s", key, what);
}

static int name_error(const char *key, const char *fault, struct mxt_error *err)
{
	return fault ? wrong(err, key, fault) : mxt_error_oom(err);
}

static int read_size(const json_t *object, const char *key, int64_t *ret_size, struct mxt_error *err)
{
	const json_t *value = json_object_get(object, key);
	json_int_t size = json_integer_value(value);
	if (!json_is_integer(value) || size < 0 || size > MXT_JSON_MAX_INT)
		return wrong(err, key, "it is no integer from 0 to 2^53-1");
	*ret_size = size;
	return 0;
}

static int read_hash(const json_t *object, const char *key, uint8_t ret_hash[MXT_HASH_SIZE], struct mxt_error *err)
{
	const char *hex = json_string_value(json_object_get(object, key));
	if (!hex || !mxt_hash_from_hex(hex, ret_hash))
		return wrong(err, key, "it is no hash of 64 lower-case hexadecimal digits");
	return 0;
}

static int read_link(const json_t *object, struct mxt_file_entry *entry, struct mxt_error *err)
{
	const char *fault = NULL;
	entry->target = mxt_name_json_read(object, "link", "link_bytes", &fault);
	if (!entry->target)
		return name_error("link", fault, err);
	if (entry->target[0] == '\0' || strlen(entry->target) >= PATH_MAX)
		return wrong(err, "link", "it is empty or too long");
	entry->kind = MXT_ENTRY_LINK;
	return json_object_size(object) == 2 ? 0 : wrong(err, "link", "unknown keys stand beside it");
}

static int read_file(const json_t *object, struct mxt_file_entry *entry, struct mxt_error *err)
{
	int rc = read_size(object, "size", &entry->size, err);
	if (rc == 0)
		rc = read_hash(object, "blake3", entry->hash, err);
	if (rc < 0)
		return rc;
	return json_object_size(object) == 3 ? 0 : wrong(err, "blake3", "unknown keys stand beside it");
}

static int path_check(enum mxt_list_role role, const char *path, struct mxt_error *err)
{
	const char *fault = mxt_entry_path_fault(path, strlen(path));
	if (!fault && mxt_list_is_record(role, path))
		fault = "it is one of the record's own files";
	if (fault)
		return mxt_error_set(err, -EINVAL, MXT_E_LIST_PATH, "the path may not be in a list: %s", fault);
	return 0;
}

/* What was read of it stays in the entry when it fails. */
static int read_entry(const json_t *object, enum mxt_list_role role, struct mxt_file_entry *entry,
		      struct mxt_error *err)
{
	if (!json_is_object(object))
		return mxt_error_set(err, -EINVAL, MXT_E_LIST_FORM, "it is no object");
	const char *fault = NULL;
	entry->path = mxt_name_json_read(object, "path", "path_bytes", &fault);
	if (!entry->path)
		return name_error("path", fault, err);
	int rc = path_check(role, entry->path, err);
	if (rc < 0)
		return rc;
	bool is_link = json_object_get(object, "link") || json_object_get(object, "link_bytes");
	return is_link ? read_link(object, entry, err) : read_file(object, entry, err);
}

static int take_entry(const json_t *object, struct mxt_file_list *list, struct mxt_error *err)
{
	struct mxt_file_entry entry = {.kind = MXT_ENTRY_FILE};
	int rc = read_entry(object, list->role, &entry, err);
	if (rc < 0) {
		free(entry.path);
		free(entry.target);
		return rc;
	}
	const char *before = list->count ? list->entries[list->count - 1].path : "";
	bool ordered = strcmp(before, entry.path) <= 0;
	rc = mxt_file_list_add(list, &entry, err);
	if (rc < 0 || ordered)
		return rc;
	return mxt_error_set(err, -EINVAL, MXT_E_LIST_FORM, "its path does not come after the one before in bytes");
}

static int read_entries(const json_t *object, struct mxt_file_list *list, struct mxt_error *err)
{
	const json_t *files = json_object_get(object, "files");
	if (!json_is_array(files))
		return wrong(err, "files", "it is no array");
	for (size_t i = 0; i < json_array_size(files); i++) {
		int rc = take_entry(json_array_get(files, i), list, err);
		if (rc < 0)
			return mxt_error_wrap(err, rc, "files[%zu]", i);
	}
	int rc = mxt_file_list_sort(list, err);
	return rc < 0 ? mxt_error_wrap(err, rc, "files") : 0;
}

static int check_keys(const json_t *object, struct mxt_error *err)
{
	static const char *const known[] = {"role",  "root",  "root_bytes", "hash",
					    "bytes", "files", "single",     "outside_links"};
	char shown[MXT_PRINTABLE_SIZE];
	for (void *iter = json_object_iter((json_t *)object); iter;
	     iter = json_object_iter_next((json_t *)object, iter)) {
		const char *key = json_object_iter_key(iter);
		bool found = false;
		for (size_t i = 0; i < MXT_ARRAY_LEN(known) && !found; i++)
			found = strcmp(key, known[i]) == 0;
		if (!found)
			return wrong(err, mxt_printable(key, shown), "the key is unknown");
	}
	return 0;
}

static int read_role(const json_t *object, enum mxt_list_role *ret_role, struct mxt_error *err)
{
	const char *text = mxt_json_text(object, "role");
	for (enum mxt_list_role role = MXT_LIST_RUN; role <= MXT_LIST_CHECKPOINT; role++)
		if (strcmp(text, mxt_list_role_name(role)) == 0) {
			*ret_role = role;
			return 0;
		}
	return wrong(err, "role", "it is not \"run\", \"dataset\" or \"checkpoint\"");
}

static int read_root(const json_t *object, struct mxt_file_list *list, struct mxt_error *err)
{
	const char *fault = NULL;
	list->root = mxt_name_json_read(object, "root", "root_bytes", &fault);
	if (!list->root)
		return name_error("root", fault, err);
	if (list->root[0] != '/')
		fault = "it is not absolute";
	else if (list->root[1])
		fault = mxt_entry_path_fault(list->root + 1, strlen(list->root + 1));
	return fault ? mxt_error_set(err, -EINVAL, MXT_E_LIST_PATH, "root: %s", fault) : 0;
}

/* A flag that is left out where it is not set. */
static int read_single(const json_t *object, struct mxt_file_list *list, struct mxt_error *err)
{
	const json_t *value = json_object_get(object, "single");
	if (value && !json_is_true(value))
		return wrong(err, "single", "it is not true");
	list->single = value;
	return 0;
}

static int read_head(const json_t *object, struct mxt_file_list *list, struct mxt_error *err)
{
	if (!json_is_object(object))
		return mxt_error_set(err, -EINVAL, MXT_E_LIST_FORM, "it is no object");
	int rc = check_keys(object, err);
	if (rc == 0)
		rc = read_role(object, &list->role, err);
	if (rc == 0)
		rc = read_root(object, list, err);
	return rc < 0 ? rc : read_single(object, list, err);
}

static int check_single(const struct mxt_file_list *list, struct mxt_error *err)
{
	const char *name = strrchr(list->root, '/') + 1;
	if (!list->single ||
	    (list->count == 1 && list->entries[0].kind == MXT_ENTRY_FILE && strcmp(list->entries[0].path, name) == 0))
		return 0;
	return wrong(err, "single", "the list holds something else than the file that is its root");
}

/* The sums stop before they overflow. */
static int check_bytes(const json_t *object, const struct mxt_file_list *list, struct mxt_error *err)
{
	int64_t written = 0;
	uint64_t left = 0;
	int rc = read_size(object, "bytes", &written, err);
	if (rc < 0)
		return rc;
	left = (uint64_t)written;
	for (size_t i = 0; i < list->count && rc == 0; i++) {
		uint64_t size = (uint64_t)list->entries[i].size;
		rc = size > left ? wrong(err, "bytes", "the files have more") : 0;
		left -= size;
	}
	return rc == 0 && left > 0 ? wrong(err, "bytes", "the files have fewer") : rc;
}

static int check_outside_links(const json_t *object, const struct mxt_file_list *list, struct mxt_error *err)
{
	bool written = json_object_get(object, "outside_links");
	if (list->outside_links == 0 && !written)
		return 0;
	if (written && list->outside_links > 0 &&
	    mxt_json_integer(object, "outside_links") == (int64_t)list->outside_links)
		return 0;
	return wrong(err, "outside_links", "it is not how many links lead out of the folder");
}

static int check_sums(const json_t *object, const struct mxt_file_list *list, struct mxt_error *err)
{
	uint8_t written[MXT_HASH_SIZE], hash[MXT_HASH_SIZE];
	int rc = check_single(list, err);
	if (rc == 0)
		rc = check_bytes(object, list, err);
	if (rc == 0)
		rc = check_outside_links(object, list, err);
	if (rc == 0)
		rc = read_hash(object, "hash", written, err);
	if (rc < 0)
		return rc;
	mxt_file_list_hash(list, hash);
	return memcmp(written, hash, sizeof hash) == 0 ? 0 : wrong(err, "hash", "it is not that of the files");
}

int mxt_file_list_read(const json_t *json, struct mxt_file_list *ret_list, struct mxt_error *err)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	int rc = read_head(json, &list, err);
	if (rc == 0)
		rc = read_entries(json, &list, err);
	for (size_t i = 0; i < list.count && rc == 0; i++)
		if (list.entries[i].kind == MXT_ENTRY_LINK)
			list.outside_links += mxt_link_leads_out(list.entries[i].path, list.entries[i].target);
	if (rc == 0)
		rc = check_sums(json, &list, err);
	if (rc < 0)
		return rc;
	*ret_list = list;
	list = (struct mxt_file_list)MXT_FILE_LIST_INIT;
	return 0;
}
