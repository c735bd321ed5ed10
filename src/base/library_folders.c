/* SPDX-License-Identifier: Apache-2.0 */
#include "library_folders.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "sysroot.h"

#define MAX_CONF_BYTES 65536
#define MAX_CONF_FILES 256
#define MAX_FOLDERS    256

static const char *const built_in[] = {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};

/* What is there already is not added again, so that a file may include itself; more than `max` are left out. */
static int add_path(struct mxt_name_list *list, size_t max, const char *path, size_t len)
{
	for (size_t i = 0; i < list->count; i++)
		if (strncmp(list->names[i], path, len) == 0 && list->names[i][len] == '\0')
			return 0;
	if (list->count == max)
		return 0;
	char *copy = strndup(path, len);
	if (!copy)
		return -ENOMEM;
	list->names[list->count++] = copy;
	return 0;
}

static int add_folder(struct mxt_name_list *folders, const char *path, size_t len)
{
	while (len > 1 && path[len - 1] == '/')
		len--;
	return len && path[0] == '/' ? add_path(folders, MAX_FOLDERS, path, len) : 0;
}

static int add_search_path(struct mxt_name_list *folders, const char *search_path)
{
	int rc = 0;
	while (search_path && *search_path && rc == 0) {
		size_t len = strcspn(search_path, ":;");
		rc = add_folder(folders, search_path, len);
		search_path += len + (search_path[len] != '\0');
	}
	return rc;
}

static bool is_conf(const char *name)
{
	static const char suffix[] = ".conf";
	size_t len = strlen(name), suffix_len = sizeof suffix - 1;
	return len > suffix_len && strcmp(name + len - suffix_len, suffix) == 0;
}

/* Adds "FOLDER/<each>.conf" to the files to read. */
static int add_conf_folder(const struct mxt_sysroot *root, struct mxt_buf *folder, struct mxt_name_list *files)
{
	MXT_CLEANUP_NAMES struct mxt_name_list list = MXT_NAME_LIST_INIT;
	int rc = mxt_sysroot_list(root, folder->data, MAX_CONF_FILES, &list, NULL);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	size_t folder_len = folder->len;
	for (size_t i = 0; i < list.count && rc == 0; i++) {
		if (!is_conf(list.names[i]))
			continue;
		mxt_buf_truncate(folder, folder_len);
		mxt_buf_printf(folder, "/%s", list.names[i]);
		rc = folder->failed ? -ENOMEM : add_path(files, MAX_CONF_FILES, folder->data, folder->len);
	}
	return rc;
}

/* A file, or a whole folder's "*.conf", the only pattern in use; in /etc when relative. */
static int add_include(const struct mxt_sysroot *root, const char *pattern, size_t len, struct mxt_name_list *files)
{
	static const char every[] = "/*.conf";
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_puts(&path, len && pattern[0] == '/' ? "" : "/etc/");
	mxt_buf_append(&path, pattern, len);
	if (path.failed)
		return -ENOMEM;
	size_t every_len = sizeof every - 1;
	if (path.len < every_len || strcmp(path.data + path.len - every_len, every) != 0)
		return add_path(files, MAX_CONF_FILES, path.data, path.len);
	mxt_buf_truncate(&path, path.len - every_len);
	return add_conf_folder(root, &path, files);
}

/* A folder, or "include PATTERN". */
static int add_line(const struct mxt_sysroot *root, const char *line, size_t len, struct mxt_name_list *folders,
		    struct mxt_name_list *files)
{
	static const char include[] = "include";
	size_t word = sizeof include - 1, skip = strspn(line, " \t");
	if (skip >= len)
		return 0;
	line += skip;
	len -= skip;
	while (len && strchr(" \t\r", line[len - 1]))
		len--;
	if (len <= word || strncmp(line, include, word) != 0 || !strchr(" \t", line[word]))
		return add_folder(folders, line, len);
	size_t gap = word + strspn(line + word, " \t");
	return gap < len ? add_include(root, line + gap, len - gap, files) : 0;
}

/* A file that cannot be read names no folders. */
static int add_conf(const struct mxt_sysroot *root, const char *path, struct mxt_name_list *folders,
		    struct mxt_name_list *files)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	int rc = mxt_sysroot_read(root, path, MAX_CONF_BYTES, &text, NULL);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	const char *at = mxt_buf_text(&text);
	while (*at && rc == 0) {
		rc = add_line(root, at, strcspn(at, "\n#"), folders, files);
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	return rc;
}

/* ld.so.conf, then what it includes. */
static int add_confs(const struct mxt_sysroot *root, struct mxt_name_list *folders)
{
	static const char first[] = "/etc/ld.so.conf";
	MXT_CLEANUP_NAMES struct mxt_name_list files = MXT_NAME_LIST_INIT;
	files.names = calloc(MAX_CONF_FILES, sizeof *files.names);
	int rc = files.names ? add_path(&files, MAX_CONF_FILES, first, sizeof first - 1) : -ENOMEM;
	for (size_t i = 0; rc == 0 && i < files.count; i++)
		rc = add_conf(root, files.names[i], folders, &files);
	return rc;
}

int mxt_library_folders(const struct mxt_sysroot *root, const char *search_path, struct mxt_name_list *ret_folders,
			struct mxt_error *err)
{
	MXT_CLEANUP_NAMES struct mxt_name_list folders = MXT_NAME_LIST_INIT;
	folders.names = calloc(MAX_FOLDERS, sizeof *folders.names);
	int rc = folders.names ? add_search_path(&folders, search_path) : -ENOMEM;
	if (rc == 0)
		rc = add_confs(root, &folders);
	for (size_t i = 0; i < MXT_ARRAY_LEN(built_in) && rc == 0; i++)
		rc = add_folder(&folders, built_in[i], strlen(built_in[i]));
	if (rc < 0)
		return mxt_error_oom(err);
	*ret_folders = folders;
	folders = (struct mxt_name_list)MXT_NAME_LIST_INIT;
	return 0;
}
