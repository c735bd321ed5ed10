/* SPDX-License-Identifier: Apache-2.0 */
#include "quick_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "environ.h"
#include "file.h"
#include "hash.h"
#include "number.h"

#define MAX_LINE ((size_t)105) /* five numbers of 20 digits, and what stands behind each */

void mxt_quick_cache_folder(char *const *environment, struct mxt_buf *buf)
{
	const char *cache = mxt_environ_get(environment, "XDG_CACHE_HOME");
	const char *home = mxt_environ_get(environment, "HOME");
	if (cache && cache[0] == '/')
		mxt_buf_printf(buf, "%s/mindxtrain/verify", cache);
	else if (home && home[0] == '/')
		mxt_buf_printf(buf, "%s/.cache/mindxtrain/verify", home);
}

static void write_head(const struct mxt_quick_cache *cache, struct mxt_buf *buf)
{
	mxt_buf_printf(buf, "mindxtrain.seen/1 %s %s %zu\n%s\n", cache->id, mxt_list_role_name(cache->list->role),
		       cache->list->count, cache->root);
}

static void write_name(const struct mxt_quick_cache *cache, const struct mxt_buf *head, struct mxt_buf *buf)
{
	char hex[MXT_HASH_HEX_SIZE];
	mxt_hash_hex(mxt_buf_text(head), head->len, hex);
	mxt_buf_printf(buf, "%s/%s", cache->folder, hex);
}

/* ---- writing ---- */

static int make_folders(const char *path)
{
	MXT_CLEANUP_FREE char *part = strdup(path);
	if (!part)
		return -ENOMEM;
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(part, 0700); /* the last one tells */
		*slash = '/';
	}
	return mkdir(part, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

static bool is_settled(const struct mxt_file_identity *identity, int64_t read_ns)
{
	int64_t limit = read_ns - MXT_QUICK_SETTLED_NS;
	return identity->mtime_ns < limit && identity->ctime_ns < limit;
}

static void write_line(const struct mxt_file_identity *identity, int64_t read_ns, struct mxt_buf *buf)
{
	if (!mxt_quick_is_known(identity) || !is_settled(identity, read_ns)) {
		mxt_buf_puts(buf, "-\n");
		return;
	}
	mxt_buf_printf(buf, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", identity->device,
		       identity->inode, (uint64_t)identity->size, (uint64_t)identity->mtime_ns,
		       (uint64_t)identity->ctime_ns);
}

static bool is_cache_name(const char *name)
{
	return strlen(name) == MXT_HASH_HEX_SIZE - 1 && strspn(name, "0123456789abcdef") == MXT_HASH_HEX_SIZE - 1;
}

/*
 * Caches of runs that nobody checks any more would pile up. `newest` was just written: its time is that of the clock
 * that the others' are of. What cannot be removed stays.
 */
static void prune(const char *folder, const char *newest)
{
	MXT_CLEANUP_DIR DIR *dir = opendir(folder);
	const struct dirent *item;
	struct stat now, status;
	if (!dir || stat(newest, &now) < 0)
		return;
	while ((item = readdir(dir)))
		if (is_cache_name(item->d_name) &&
		    fstatat(dirfd(dir), item->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    status.st_mtime < now.st_mtime - MXT_QUICK_KEPT_S)
			(void)unlinkat(dirfd(dir), item->d_name, 0);
}

int mxt_quick_cache_store(const struct mxt_quick_cache *cache, const struct mxt_file_identity *identities,
			  int64_t read_ns)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	write_head(cache, &text);
	write_name(cache, &text, &path);
	for (size_t i = 0; i < cache->list->count; i++)
		write_line(&identities[i], read_ns, &text);
	int rc = mxt_buf_status(&text, NULL);
	if (rc == 0)
		rc = mxt_buf_status(&path, NULL);
	if (rc == 0)
		rc = make_folders(cache->folder);
	if (rc == 0)
		rc = mxt_file_replace(path.data, text.data, text.len, NULL);
	if (rc == 0)
		prune(cache->folder, path.data);
	return rc;
}

/* ---- reading ---- */

/* Folder and file belong to this user, and nobody else may write to the folder. */
static bool is_own(const char *folder, const char *path)
{
	struct stat above, file;
	return stat(folder, &above) == 0 && S_ISDIR(above.st_mode) && above.st_uid == geteuid() &&
	       (above.st_mode & (S_IWGRP | S_IWOTH)) == 0 && lstat(path, &file) == 0 && S_ISREG(file.st_mode) &&
	       file.st_uid == geteuid();
}

static bool take(const char **at, char stop, uint64_t *ret_value)
{
	const char *end = NULL;
	if (mxt_parse_u64(*at, &end, ret_value) < 0 || *end != stop)
		return false;
	*at = end + 1;
	return true;
}

static bool take_line(const char **at, struct mxt_file_identity *ret_identity)
{
	uint64_t numbers[5];
	*ret_identity = (struct mxt_file_identity){.inode = 0};
	if ((*at)[0] == '-' && (*at)[1] == '\n') {
		*at += 2;
		return true;
	}
	for (size_t i = 0; i < 5; i++)
		if (!take(at, i < 4 ? ' ' : '\n', &numbers[i]))
			return false;
	*ret_identity = (struct mxt_file_identity){.device = numbers[0],
						   .inode = numbers[1],
						   .size = (int64_t)numbers[2],
						   .mtime_ns = (int64_t)numbers[3],
						   .ctime_ns = (int64_t)numbers[4]};
	return true;
}

bool mxt_quick_cache_parse(const char *lines, size_t count, struct mxt_file_identity *ret_identities)
{
	for (size_t i = 0; i < count; i++)
		if (!take_line(&lines, &ret_identities[i]))
			return false;
	return *lines == '\0';
}

bool mxt_quick_cache_load(const struct mxt_quick_cache *cache, struct mxt_file_identity *ret_identities)
{
	MXT_CLEANUP_BUF struct mxt_buf head = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	size_t count = cache->list->count;
	write_head(cache, &head);
	write_name(cache, &head, &path);
	bool usable = !head.failed && !path.failed && is_own(cache->folder, path.data) &&
		      mxt_file_read(path.data, head.len + count * MAX_LINE, &text, NULL) == 0 && text.len >= head.len &&
		      memcmp(text.data, head.data, head.len) == 0 &&
		      mxt_quick_cache_parse(text.data + head.len, count, ret_identities);
	if (usable)
		(void)utimensat(AT_FDCWD, path.data, NULL, 0); /* it is of use: prune() */
	else
		memset(ret_identities, 0, count * sizeof *ret_identities);
	return usable;
}
