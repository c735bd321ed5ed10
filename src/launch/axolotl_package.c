/* SPDX-License-Identifier: Apache-2.0 */
#include "axolotl_package.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axolotl_schema.h"
#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "json.h"
#include "python_env.h"
#include "sysroot.h"
#include "sysroot_tree.h"

#define MAX_SOURCE ((size_t)2 << 20)
#define MAX_NAMES  512

/* Folders with schemas, under the package's own; what is not there is passed over. */
static const char *const schema_folders[] = {
    "utils/schemas",
    "utils/schemas/internal",
    "utils/config/models",
    "utils/config/models/input",
    "utils/config/models/input/v0_4_1",
    "utils/config/models/input/next",
    "utils/config/models/internal",
};

static void schema_cleanup(struct mxt_axolotl_schema **schema)
{
	mxt_axolotl_schema_destroy(*schema);
}

void mxt_axolotl_package_finish(struct mxt_axolotl_package *package)
{
	mxt_axolotl_keys_destroy(package->keys, package->n_keys);
	free(package->folder);
	*package = (struct mxt_axolotl_package)MXT_AXOLOTL_PACKAGE_INIT;
}

/* ---- where its sources are ---- */

static int look_in(const struct mxt_sysroot *root, const char *folder, const char *below, char **ret_folder)
{
	MXT_CLEANUP_FREE char *package = NULL, *marker = NULL;
	if (asprintf(&package, "%s/%saxolotl", folder, below) < 0)
		package = NULL;
	if (!package || asprintf(&marker, "%s/__init__.py", package) < 0) {
		marker = NULL;
		return -ENOMEM;
	}
	int there = mxt_sysroot_look(root, marker);
	if (there > 0)
		*ret_folder = mxt_steal_ptr(&package);
	return there;
}

/* An editable install names the folder of its project: {"url": "file:///workspace/axolotl", ...}. */
static int look_in_project(const struct mxt_sysroot *root, const char *folder, const char *version, char **ret_folder)
{
	static const char scheme[] = "file://";
	MXT_CLEANUP_FREE char *path = NULL;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_JSON json_t *record = NULL;
	MXT_CLEANUP_ERROR struct mxt_error cause = MXT_ERROR_INIT;
	if (asprintf(&path, "%s/axolotl-%s.dist-info/direct_url.json", folder, version) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	int rc = mxt_sysroot_read(root, path, MAX_SOURCE, &text, &cause);
	if (rc == 0)
		rc = mxt_json_parse(path, mxt_buf_text(&text), text.len, MXT_JSON_FOREIGN, &record, &cause);
	const char *url = rc == 0 ? mxt_json_text(record, "url") : "";
	if (strncmp(url, scheme, sizeof scheme - 1) != 0)
		return rc == -ENOMEM ? rc : 0;
	rc = look_in(root, url + sizeof scheme - 1, "src/", ret_folder);
	return rc == 0 ? look_in(root, url + sizeof scheme - 1, "", ret_folder) : rc;
}

/* 1: found, 0, or -ENOMEM. */
static int find_folder(const struct mxt_sysroot *root, const struct mxt_python *python, const char *version,
		       char **ret_folder)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < python->n_folders; i++) {
		rc = look_in(root, python->folders[i], "", ret_folder);
		if (rc == 0)
			rc = look_in_project(root, python->folders[i], version, ret_folder);
	}
	return rc;
}

/* ---- its schemas ---- */

static int take_source(const struct mxt_sysroot *root, const char *path, const char *plugin,
		       struct mxt_axolotl_schema *schema, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf source = MXT_BUF_INIT;
	int rc = mxt_sysroot_read(root, path, MAX_SOURCE, &source, NULL);
	if (rc < 0)
		return rc == -ENOMEM ? mxt_error_oom(err) : 0;
	return mxt_axolotl_schema_take(schema, plugin, mxt_buf_text(&source), source.len, err);
}

static bool is_source(const char *name)
{
	size_t len = strlen(name);
	return len > 3 && strcmp(name + len - 3, ".py") == 0;
}

/* All sources of one folder, or of each of its folders the args.py (`plugins`). */
static int take_folder(const struct mxt_sysroot *root, const char *folder, bool plugins,
		       struct mxt_axolotl_schema *schema, struct mxt_error *err)
{
	MXT_CLEANUP_NAMES struct mxt_name_list names = MXT_NAME_LIST_INIT;
	int rc = mxt_sysroot_list(root, folder, MAX_NAMES, &names, NULL);
	if (rc < 0)
		return rc == -ENOMEM ? mxt_error_oom(err) : 0;
	for (size_t i = 0; rc == 0 && i < names.count; i++) {
		MXT_CLEANUP_FREE char *path = NULL;
		if (plugins == is_source(names.names[i]))
			continue;
		if (asprintf(&path, "%s/%s%s", folder, names.names[i], plugins ? "/args.py" : "") < 0) {
			path = NULL;
			return mxt_error_oom(err);
		}
		rc = take_source(root, path, plugins ? names.names[i] : NULL, schema, err);
	}
	return rc;
}

static int read_keys(const struct mxt_sysroot *root, struct mxt_axolotl_package *package, struct mxt_error *err)
{
	MXT_CLEANUP(schema_cleanup) struct mxt_axolotl_schema *schema = NULL;
	int rc = mxt_axolotl_schema_create(&schema, err);
	for (size_t i = 0; rc == 0 && i <= MXT_ARRAY_LEN(schema_folders); i++) {
		MXT_CLEANUP_FREE char *folder = NULL;
		bool plugins = i == MXT_ARRAY_LEN(schema_folders);
		if (asprintf(&folder, "%s/%s", package->folder, plugins ? "integrations" : schema_folders[i]) < 0) {
			folder = NULL;
			return mxt_error_oom(err);
		}
		rc = take_folder(root, folder, plugins, schema, err);
	}
	return rc == 0 ? mxt_axolotl_schema_keys(schema, &package->keys, &package->n_keys, err) : rc;
}

int mxt_axolotl_package_find(const struct mxt_sysroot *root, const struct mxt_python *python,
			     const struct mxt_python_packages *packages, struct mxt_axolotl_package *ret_package,
			     struct mxt_error *err)
{
	struct mxt_axolotl_package package = MXT_AXOLOTL_PACKAGE_INIT;
	const char *version = mxt_python_package_version(packages, "axolotl");
	if (version) {
		(void)snprintf(package.version, sizeof package.version, "%s", version);
		int rc = find_folder(root, python, version, &package.folder);
		rc = rc < 0 ? mxt_error_oom(err) : rc;
		if (rc > 0)
			rc = read_keys(root, &package, err);
		if (rc < 0) {
			mxt_axolotl_package_finish(&package);
			return rc;
		}
	}
	*ret_package = package;
	return 0;
}

/* ---- questions ---- */

static int compare_name(const void *name, const void *key)
{
	return strcmp(name, ((const struct mxt_axolotl_key *)key)->name);
}

const struct mxt_axolotl_key *mxt_axolotl_package_key(const struct mxt_axolotl_package *package, const char *key)
{
	if (!package->keys)
		return NULL;
	return bsearch(key, package->keys, package->n_keys, sizeof *package->keys, compare_name);
}
