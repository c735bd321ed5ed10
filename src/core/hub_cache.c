/* SPDX-License-Identifier: Apache-2.0 */
#include "hub_cache.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "file.h"

#define MAX_ID_BYTES  192
#define MAX_REF_BYTES 256

static const char id_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

/* One part of an id, or a revision without slashes. */
static bool part_valid(const char *part, size_t len)
{
	return len > 0 && len <= MAX_ID_BYTES && part[0] != '.' && part[0] != '-' && strspn(part, id_letters) >= len;
}

bool mxt_hub_id_valid(const char *hub_id)
{
	const char *slash = strchr(hub_id, '/');
	if (strstr(hub_id, "..") || strstr(hub_id, "--"))
		return false;
	if (slash && !part_valid(hub_id, (size_t)(slash - hub_id)))
		return false;
	const char *name = slash ? slash + 1 : hub_id;
	return part_valid(name, strlen(name));
}

static const char *variable(char *const *environment, const char *name)
{
	size_t len = strlen(name);
	for (char *const *entry = environment; entry && *entry; entry++)
		if (strncmp(*entry, name, len) == 0 && (*entry)[len] == '=' && (*entry)[len + 1] != '\0')
			return *entry + len + 1;
	return NULL;
}

void mxt_hub_cache_folder(char *const *environment, struct mxt_buf *buf)
{
	static const struct {
		const char *variable, *below;
	} rows[] = {
	    {"HF_HUB_CACHE", ""},
	    {"HUGGINGFACE_HUB_CACHE", ""},
	    {"HF_HOME", "/hub"},
	    {"XDG_CACHE_HOME", "/huggingface/hub"},
	    {"HOME", "/.cache/huggingface/hub"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		const char *value = variable(environment, rows[i].variable);
		if (!value)
			continue;
		mxt_buf_printf(buf, "%s%s", value, rows[i].below);
		return;
	}
}

/* CACHE/models--ORG--NAME */
static void append_repository(const char *cache, const char *kind, const char *hub_id, struct mxt_buf *buf)
{
	mxt_buf_printf(buf, "%s/%s--", cache, kind);
	for (const char *c = hub_id; *c; c++) {
		if (*c == '/')
			mxt_buf_puts(buf, "--");
		else
			mxt_buf_putc(buf, *c);
	}
}

/* The commit that refs/REVISION names; a revision without such a file is taken as a commit itself. */
static int read_commit(const char *folder, const char *revision, struct mxt_buf *commit)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/refs/%s", folder, revision);
	if (path.failed)
		return -ENOMEM;
	if (mxt_file_read(mxt_buf_text(&path), MAX_REF_BYTES, commit, NULL) < 0) {
		mxt_buf_truncate(commit, 0);
		mxt_buf_puts(commit, revision);
	}
	while (commit->len > 0 && strchr(" \t\r\n", commit->data[commit->len - 1]))
		mxt_buf_truncate(commit, commit->len - 1);
	if (commit->failed)
		return -ENOMEM;
	return part_valid(mxt_buf_text(commit), commit->len) && strlen(mxt_buf_text(commit)) == commit->len ? 0
													    : -ENOENT;
}

/* Appends where the snapshot is, there or not. */
static int append_snapshot(const char *cache, const char *kind, const char *hub_id, const char *revision,
			   struct mxt_buf *path)
{
	MXT_CLEANUP_BUF struct mxt_buf folder = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf commit = MXT_BUF_INIT;
	if (cache[0] != '/' || (revision && !part_valid(revision, strlen(revision))))
		return -ENOENT;
	append_repository(cache, kind, hub_id, &folder);
	if (folder.failed)
		return -ENOMEM;
	int rc = read_commit(folder.data, revision ? revision : "main", &commit);
	if (rc < 0)
		return rc;
	mxt_buf_printf(path, "%s/snapshots/%s", folder.data, commit.data);
	return path->failed ? -ENOMEM : 0;
}

int mxt_hub_cache_snapshot(const char *cache, const char *kind, const char *hub_id, const char *revision,
			   struct mxt_buf *path, struct mxt_error *err)
{
	size_t before = path->len;
	int rc = append_snapshot(cache, kind, hub_id, revision, path);
	if (rc == 0 && access(path->data + before, R_OK | X_OK) < 0)
		rc = -ENOENT;
	if (rc < 0 && !path->failed)
		mxt_buf_truncate(path, before);
	return rc == -ENOMEM ? mxt_error_oom(err) : rc;
}

int mxt_hub_cache_find(const char *hub_id, const char *revision, char *const *environment, struct mxt_buf *path,
		       struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf cache = MXT_BUF_INIT;
	mxt_hub_cache_folder(environment, &cache);
	if (cache.failed)
		return mxt_error_oom(err);
	size_t before = path->len;
	int rc = append_snapshot(mxt_buf_text(&cache), "models", hub_id, revision, path);
	if (rc < 0)
		return rc == -ENOMEM ? mxt_error_oom(err) : rc;
	mxt_buf_puts(path, "/config.json");
	if (path->failed)
		return mxt_error_oom(err);
	if (access(path->data + before, R_OK) == 0)
		return 0;
	mxt_buf_truncate(path, before);
	return -ENOENT;
}
