/* SPDX-License-Identifier: Apache-2.0 */
#include "python_packages.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "error.h"
#include "python_env.h"
#include "sysroot_tree.h"

#define MAX_NAMES 65536

struct package_row {
	const char *name, *distributions;
};

static const struct package_row rows[] = {
#define MXT_PYTHON_PACKAGE(name, distributions) {name, distributions},
#include "python_packages.def"
#undef MXT_PYTHON_PACKAGE
};
_Static_assert(MXT_ARRAY_LEN(rows) <= MXT_PACKAGE_MAX, "MXT_PACKAGE_MAX is too small");

size_t mxt_python_package_count(void)
{
	return MXT_ARRAY_LEN(rows);
}

const char *mxt_python_package_name(size_t i)
{
	return rows[i].name;
}

const char *mxt_python_package_version(const struct mxt_python_packages *packages, const char *name)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return packages->versions[i][0] ? packages->versions[i] : NULL;
	return NULL;
}

/* How a distribution's name is compared: letters of either case, and '-', '_' and '.' alike. */
static char plain(char c)
{
	if (c == '-' || c == '.')
		return '_';
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_name(const char *spelled, size_t spelled_len, const char *name, size_t len)
{
	if (spelled_len != len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (plain(spelled[i]) != name[i])
			return false;
	return true;
}

/* True when the table's row lists the distribution of this name. */
static bool lists(const struct package_row *row, const char *spelled, size_t spelled_len)
{
	for (const char *at = row->distributions; *at;) {
		size_t len = strcspn(at, " ");
		if (same_name(spelled, spelled_len, at, len))
			return true;
		at += len + (at[len] == ' ');
	}
	return false;
}

/* The length of what comes before the ending of a record; 0 when the name has none of them. */
static size_t stem_length(const char *file_name)
{
	static const char *const endings[] = {".dist-info", ".egg-info", ".egg"};
	size_t len = strlen(file_name);
	for (size_t i = 0; i < MXT_ARRAY_LEN(endings); i++) {
		size_t end = strlen(endings[i]);
		if (len > end && strcmp(file_name + len - end, endings[i]) == 0)
			return len - end;
	}
	return 0;
}

/* NAME-VERSION or NAME-VERSION-py3.11-...: neither part holds a '-' of its own, installers write '_' for it. */
void mxt_python_packages_take(struct mxt_python_packages *packages, const char *file_name)
{
	size_t stem = stem_length(file_name);
	const char *dash = stem ? memchr(file_name, '-', stem) : NULL;
	if (!dash)
		return;
	const char *version = dash + 1;
	size_t len = strcspn(version, "-"), left = stem - (size_t)(version - file_name);
	len = len < left ? len : left;
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++)
		if (packages->versions[i][0] == '\0' && lists(&rows[i], file_name, (size_t)(dash - file_name)) &&
		    len < MXT_PACKAGE_TEXT) {
			memcpy(packages->versions[i], version, len);
			packages->versions[i][len] = '\0';
		}
}

int mxt_python_packages_find(const struct mxt_sysroot *root, const struct mxt_python *python,
			     struct mxt_python_packages *ret_packages, struct mxt_error *err)
{
	struct mxt_python_packages packages = {.versions = {""}};
	for (size_t i = 0; i < python->n_folders; i++) {
		MXT_CLEANUP_NAMES struct mxt_name_list names = MXT_NAME_LIST_INIT;
		if (mxt_sysroot_list(root, python->folders[i], MAX_NAMES, &names, NULL) == -ENOMEM)
			return mxt_error_oom(err);
		for (size_t k = 0; k < names.count; k++)
			mxt_python_packages_take(&packages, names.names[k]);
	}
	*ret_packages = packages;
	return 0;
}
