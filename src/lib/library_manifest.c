/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the installed library tells of a manifest.
 */
#include <errno.h>
#include <mindxtrain/mindxtrain.h>

#include "file_list.h"
#include "json.h"
#include "manifest.h"

const char *mxt_manifest_string(const struct mxt_manifest *manifest, const char *path)
{
	return json_string_value(mxt_json_find(mxt_manifest_document(manifest), path));
}

int mxt_manifest_integer(const struct mxt_manifest *manifest, const char *path, int64_t *ret_value)
{
	const json_t *value = mxt_json_find(mxt_manifest_document(manifest), path);
	if (!json_is_integer(value))
		return -ENOENT;
	*ret_value = json_integer_value(value);
	return 0;
}

size_t mxt_manifest_list_count(const struct mxt_manifest *manifest)
{
	return mxt_manifest_n_lists(manifest);
}

const char *mxt_manifest_list_role(const struct mxt_manifest *manifest, size_t list)
{
	return mxt_list_role_name(mxt_manifest_list(manifest, list)->role);
}

const char *mxt_manifest_list_root(const struct mxt_manifest *manifest, size_t list)
{
	return mxt_manifest_list(manifest, list)->root;
}

size_t mxt_manifest_entry_count(const struct mxt_manifest *manifest, size_t list)
{
	return mxt_manifest_list(manifest, list)->count;
}

static const struct mxt_file_entry *entry_at(const struct mxt_manifest *manifest, size_t list, size_t i)
{
	return &mxt_manifest_list(manifest, list)->entries[i];
}

const char *mxt_manifest_entry_path(const struct mxt_manifest *manifest, size_t list, size_t i)
{
	return entry_at(manifest, list, i)->path;
}

const char *mxt_manifest_entry_link(const struct mxt_manifest *manifest, size_t list, size_t i)
{
	return entry_at(manifest, list, i)->target;
}

int64_t mxt_manifest_entry_size(const struct mxt_manifest *manifest, size_t list, size_t i)
{
	const struct mxt_file_entry *entry = entry_at(manifest, list, i);
	return entry->kind == MXT_ENTRY_FILE ? entry->size : -1;
}

const uint8_t *mxt_manifest_entry_blake3(const struct mxt_manifest *manifest, size_t list, size_t i)
{
	const struct mxt_file_entry *entry = entry_at(manifest, list, i);
	return entry->kind == MXT_ENTRY_FILE ? entry->hash : NULL;
}
