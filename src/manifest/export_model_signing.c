/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What model-signing 1.x demands is read from its sources: one subject, whose SHA-256 is that of the digests of all
 * files in the order of their paths; files of git left out; links followed by it, and therefore refused here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "b3_name.h"
#include "cleanup.h"
#include "error.h"
#include "export.h"
#include "export_lists.h"
#include "json.h"
#include "list_scope.h"
#include "manifest.h"
#include "run_files.h"

/* What it leaves out by itself. */
static const char *const of_git[] = {".git", ".gitattributes", ".github", ".gitignore"};

static bool is_of_git(const char *path)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(of_git); i++) {
		size_t len = strlen(of_git[i]);
		if (strncmp(path, of_git[i], len) == 0 && (path[len] == '\0' || path[len] == '/'))
			return true;
	}
	return false;
}

struct resource {
	const char *path;
	const uint8_t *sha256;
};

/* Part by part, as pathlib compares paths: '/' comes before every other byte. */
static int compare_resources(const void *a, const void *b)
{
	const char *left = ((const struct resource *)a)->path, *right = ((const struct resource *)b)->path;
	for (; *left && *left == *right; left++)
		right++;
	int l = *left == '/' ? 1 : (unsigned char)*left * 2, r = *right == '/' ? 1 : (unsigned char)*right * 2;
	return l - r;
}

static int refuse_link(const char *path, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf shown = MXT_BUF_INIT;
	mxt_entry_path_show(path, &shown);
	return mxt_error_set(err, -EINVAL, MXT_E_EXPORT,
			     "the checkpoint holds the link %s, which model-signing would follow; put the file in its "
			     "place and make the manifest again",
			     mxt_buf_text(&shown));
}

/* Before anything is read. */
static int check_form(const struct mxt_manifest *manifest, struct mxt_error *err)
{
	size_t n = mxt_manifest_n_lists(manifest);
	const struct mxt_file_list *list = n > 0 ? mxt_manifest_list(manifest, n - 1) : NULL; /* it is the last one */
	if (!list || list->role != MXT_LIST_CHECKPOINT)
		return mxt_error_set(err, -EINVAL, MXT_E_EXPORT,
				     "the manifest lists no checkpoint, and model-signing is about one; make the "
				     "manifest with --checkpoint");
	for (size_t i = 0; i < list->count; i++)
		if (list->entries[i].kind == MXT_ENTRY_LINK && !is_of_git(list->entries[i].path))
			return refuse_link(list->entries[i].path, err);
	return 0;
}

/* How many. */
static size_t collect(const struct mxt_export_list *item, struct resource *resources)
{
	size_t count = 0;
	for (size_t i = 0; i < item->list->count; i++) {
		const struct mxt_file_entry *entry = &item->list->entries[i];
		if (!is_of_git(entry->path))
			resources[count++] = (struct resource){item->list->single ? "." : entry->path, item->sha256[i]};
	}
	qsort(resources, count, sizeof *resources, compare_resources);
	return count;
}

static json_t *resource_json(const struct resource *resource)
{
	return json_pack("{s:s, s:s, s:o}", "name", resource->path, "algorithm", "sha256", "digest",
			 mxt_json_hash(resource->sha256));
}

static int append(json_t *array, const char *text)
{
	return json_array_append_new(array, json_string(text));
}

/* Roots of other lists that lie in the checkpoint, and whose files are not listed as its own. */
static int append_nested(json_t *paths, const struct mxt_manifest *manifest, const char *root)
{
	size_t n = mxt_manifest_n_lists(manifest);
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const char *below = mxt_list_below(root, mxt_manifest_list(manifest, i)->root);
		if (below)
			rc = append(paths, below);
	}
	return rc;
}

/* Where the run's folder is the checkpoint's, the record lies there and is in no list. */
static int append_record(json_t *paths, const struct mxt_manifest *manifest)
{
	int rc = append(paths, MXT_RUN_MANIFEST);
	if (rc == 0)
		rc = append(paths, MXT_RUN_SIGNATURE);
	for (size_t i = 0; rc == 0 && i < mxt_manifest_n_lists(manifest); i++) {
		MXT_CLEANUP_BUF struct mxt_buf name = MXT_BUF_INIT;
		mxt_b3_name(manifest, i, &name);
		rc = name.failed ? -1 : append(paths, name.data);
	}
	return rc;
}

/* What its reader is to leave out. NULL: memory ran out. */
static json_t *ignored_paths(const struct mxt_manifest *manifest, const struct mxt_export_list *item)
{
	MXT_CLEANUP_JSON json_t *paths = json_array();
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(of_git); i++)
		rc = append(paths, of_git[i]);
	if (rc == 0)
		rc = append_nested(paths, manifest, item->list->root);
	if (rc == 0 && strcmp(mxt_manifest_list(manifest, 0)->root, item->list->root) == 0)
		rc = append_record(paths, manifest);
	return rc == 0 ? json_incref(paths) : NULL;
}

static json_t *predicate(const struct resource *resources, size_t count, json_t *ignored)
{
	MXT_CLEANUP_JSON json_t *array = json_array();
	for (size_t i = 0; i < count; i++)
		if (json_array_append_new(array, resource_json(&resources[i])) < 0)
			return NULL;
	return json_pack("{s:{s:s, s:s, s:b, s:O}, s:O}", "serialization", "method", "files", "hash_type", "sha256",
			 "allow_symlinks", 0, "ignore_paths", ignored, "resources", array);
}

/* SHA-256 over the digests of all. */
static int root_digest(const struct mxt_libcrypto *library, const struct resource *resources, size_t count,
		       uint8_t ret_digest[MXT_SHA256_SIZE], struct mxt_error *err)
{
	MXT_CLEANUP_SHA256 struct mxt_sha256 sha = MXT_SHA256_INIT;
	int rc = mxt_sha256_init(library, &sha, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < count; i++)
		mxt_sha256_update(&sha, resources[i].sha256, MXT_SHA256_SIZE);
	return mxt_sha256_result(&sha, ret_digest, err);
}

static int make_statement(const struct mxt_export_lists *lists, const struct mxt_manifest *manifest,
			  struct resource *resources, json_t **ret_statement, struct mxt_error *err)
{
	uint8_t digest[MXT_SHA256_SIZE];
	size_t count = collect(&lists->items[0], resources);
	int rc = root_digest(&lists->library, resources, count, digest, err);
	if (rc < 0)
		return rc;
	const char *name = strrchr(lists->items[0].root, '/') + 1;
	MXT_CLEANUP_JSON json_t *ignored = ignored_paths(manifest, &lists->items[0]);
	json_t *statement =
	    json_pack("{s:s, s:[{s:s, s:{s:o}}], s:s, s:o}", "_type", MXT_IN_TOTO_STATEMENT, "subject", "name",
		      *name && mxt_json_is_text(name) ? name : "checkpoint", "digest", "sha256", mxt_json_hash(digest),
		      "predicateType", MXT_MODEL_SIGNING_PREDICATE, "predicate", predicate(resources, count, ignored));
	if (!statement)
		return mxt_error_oom(err);
	*ret_statement = statement;
	return 0;
}

int mxt_export_model_signing(const struct mxt_verify_request *where, json_t **ret_statement, struct mxt_error *err)
{
	MXT_CLEANUP_EXPORT_LISTS struct mxt_export_lists lists = MXT_EXPORT_LISTS_INIT;
	int rc = check_form(where->manifest, err);
	if (rc < 0)
		return rc;
	rc = mxt_export_lists_read(where, true, &lists, err);
	if (rc < 0)
		return rc;
	size_t n = lists.items[0].list->count;
	MXT_CLEANUP_FREE struct resource *resources = calloc(n ? n : 1, sizeof *resources);
	return resources ? make_statement(&lists, where->manifest, resources, ret_statement, err) : mxt_error_oom(err);
}
