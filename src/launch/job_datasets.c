/* SPDX-License-Identifier: Apache-2.0 */
#include "job_datasets.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "axolotl_value.h"
#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "hub_cache.h"
#include "json.h"
#include "yaml_tree.h"

/* Keys whose data the training reads: a list of maps with a `path`, or of paths, or a single one of either. */
static const char *const keys[] = {"datasets", "test_datasets", "pretraining_dataset"};

struct finding {
	const char *directory, *cache;
	json_t *list;
	struct mxt_error *err;
};

/* Takes the reference. Two entries of one place, for two splits of it say, are one. */
static int add(const struct finding *finding, json_t *entry)
{
	MXT_CLEANUP_JSON json_t *owned = entry;
	for (size_t i = 0; entry && i < json_array_size(finding->list); i++)
		if (json_equal(json_array_get(finding->list, i), entry))
			return 0;
	return owned && json_array_append(finding->list, owned) == 0 ? 0 : mxt_error_oom(finding->err);
}

static int add_unknown(const struct finding *finding, const char *name, const char *reason)
{
	return add(finding,
		   json_pack("{s:o, s:s}", "name", mxt_json_clean_text(name, MXT_JSON_MAX_BYTES), "reason", reason));
}

/* Is there such a file or folder? Its path is appended. */
static bool look(const struct finding *finding, const char *name, struct mxt_buf *path, struct stat *ret_st)
{
	if (name[0] != '/')
		mxt_buf_printf(path, "%s/", finding->directory);
	mxt_buf_puts(path, name);
	return !path->failed && stat(path->data, ret_st) == 0;
}

/* *ret_found is false for what is not here. */
static int add_local(const struct finding *finding, const char *name, bool *ret_found)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	struct stat st;
	*ret_found = look(finding, name, &path, &st);
	if (!*ret_found)
		return mxt_buf_status(&path, finding->err);
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return add_unknown(finding, name, "it is no file or folder");
	MXT_CLEANUP_FREE char *place = realpath(path.data, NULL);
	if (!place || !mxt_json_is_text(place))
		return add_unknown(finding, name, "its absolute path cannot be written down");
	return add(finding,
		   json_pack("{s:o, s:s}", "name", mxt_json_clean_text(name, MXT_JSON_MAX_BYTES), "path", place));
}

static int add_hub(const struct finding *finding, const char *name, const struct mxt_yaml_node *entry)
{
	const struct mxt_yaml_node *revision = mxt_yaml_get(entry, "revision");
	bool has_revision = revision && revision->text && revision->value.kind != MXT_YAML_NULL;
	if (strstr(name, "://"))
		return add_unknown(finding, name, "it is a remote address");
	if (!mxt_hub_id_valid(name))
		return add_unknown(finding, name, "it is no file or folder here, and no name of the Hub");
	if (finding->cache[0] != '/' || !mxt_json_is_text(finding->cache))
		return add_unknown(finding, name, "there is no cache of the Hub");
	return add(finding, json_pack("{s:s, s:s, s:o, s:s}", "name", name, "hub", name, "revision",
				      mxt_json_clean_text(has_revision ? revision->text : "main", MXT_JSON_MAX_BYTES),
				      "cache", finding->cache));
}

static int add_data_file(const struct finding *finding, const char *name)
{
	bool found = false;
	int rc = add_local(finding, name, &found);
	if (rc == 0 && !found)
		rc = add_unknown(finding, name, "no file has that name; patterns and addresses are not looked up");
	return rc;
}

/* A text, a list of them, or a map of either by split. Two levels are all that there is. */
static int add_data_files(const struct finding *finding, const struct mxt_yaml_node *node, unsigned levels)
{
	if (node->text)
		return add_data_file(finding, node->text);
	int rc = 0;
	for (size_t i = 0; rc == 0 && levels > 0 && i < node->count; i++)
		rc = add_data_files(finding, node->entries[i].value, levels - 1);
	return rc;
}

static bool is_folder(const struct finding *finding, const char *name)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	struct stat st;
	return look(finding, name, &path, &st) && S_ISDIR(st.st_mode);
}

/* One element: a map with a path, or the path itself. */
static int add_entry(const struct finding *finding, const struct mxt_yaml_node *entry)
{
	const struct mxt_yaml_node *path = entry->text ? entry : mxt_yaml_get(entry, "path");
	const struct mxt_yaml_node *files = mxt_yaml_get(entry, "data_files");
	bool found = false;
	if (!path || !path->text || path->value.kind == MXT_YAML_NULL)
		return add_unknown(finding, "", "the config names no path for it");
	if (files && mxt_axolotl_value_is_set(files) && is_folder(finding, path->text))
		return add_data_files(finding, files, 2);
	int rc = add_local(finding, path->text, &found);
	return rc == 0 && !found ? add_hub(finding, path->text, entry) : rc;
}

static int add_key(const struct finding *finding, const struct mxt_yaml_node *value)
{
	int rc = 0;
	if (!mxt_axolotl_value_is_set(value))
		return 0;
	if (value->value.kind != MXT_YAML_SEQUENCE)
		return add_entry(finding, value);
	for (size_t i = 0; rc == 0 && i < value->count; i++)
		rc = add_entry(finding, value->entries[i].value);
	return rc;
}

int mxt_job_datasets(const struct mxt_yaml_node *const *roots, size_t n, const char *directory,
		     char *const *environment, json_t **ret_datasets, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *list = json_array();
	MXT_CLEANUP_BUF struct mxt_buf cache = MXT_BUF_INIT;
	mxt_hub_cache_folder(environment, &cache);
	if (!list || cache.failed)
		return mxt_error_oom(err);
	const struct finding finding = {directory, mxt_buf_text(&cache), list, err};
	int rc = 0;
	for (size_t k = 0; rc == 0 && k < MXT_ARRAY_LEN(keys); k++) {
		const struct mxt_yaml_node *value = NULL;
		for (size_t i = 0; i < n; i++) {
			const struct mxt_yaml_node *here = mxt_yaml_get(roots[i], keys[k]);
			value = here ? here : value;
		}
		if (value)
			rc = add_key(&finding, value);
	}
	if (rc == 0)
		*ret_datasets = json_incref(list);
	return rc;
}
