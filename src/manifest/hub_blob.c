/* SPDX-License-Identifier: Apache-2.0 */
#include "hub_blob.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_LEVELS 64 /* from a link up to the repository */

/* Takes the leading "../" off: how many there were. */
static size_t climb(const char **target)
{
	size_t levels = 0;
	for (; strncmp(*target, "../", 3) == 0; *target += 3)
		levels++;
	return levels;
}

static size_t depth_of(const char *path)
{
	size_t depth = 0;
	for (; *path; path++)
		depth += *path == '/';
	return depth;
}

/* "../" as often as asked, and a name behind it. */
static void upwards(size_t levels, const char *name, char ret_path[PATH_MAX])
{
	for (size_t i = 0; i < levels; i++)
		memcpy(ret_path + 3 * i, "../", 3);
	memcpy(ret_path + 3 * levels, name, strlen(name) + 1);
}

static bool look(int root_fd, const char *path, mode_t kind, struct stat *ret_status)
{
	return fstatat(root_fd, path, ret_status, AT_SYMLINK_NOFOLLOW) == 0 && (ret_status->st_mode & S_IFMT) == kind;
}

/* Whether the folder one level below the one that is `levels` above the root is its "snapshots", beside "blobs". */
static bool is_repository(int root_fd, size_t levels)
{
	char path[PATH_MAX];
	struct stat below = {0}, snapshots = {0}, blobs = {0};
	upwards(levels - 1, ".", path);
	bool found = look(root_fd, path, S_IFDIR, &below);
	upwards(levels, "snapshots", path);
	found = found && look(root_fd, path, S_IFDIR, &snapshots);
	upwards(levels, "blobs", path);
	found = found && look(root_fd, path, S_IFDIR, &blobs);
	return found && below.st_dev == snapshots.st_dev && below.st_ino == snapshots.st_ino;
}

bool mxt_hub_blob_find(int root_fd, const char *path, const char *target, char ret_blob[PATH_MAX])
{
	static const char folder[] = "blobs/";
	const char *rest = target;
	size_t levels = climb(&rest), depth = depth_of(path);
	/* The root is at least one level below "snapshots". */
	if (levels < depth + 2 || levels > MAX_LEVELS || strncmp(rest, folder, sizeof folder - 1) != 0)
		return false;
	const char *name = rest + sizeof folder - 1;
	if (*name == '\0' || *name == '.' || strchr(name, '/') || strlen(rest) > NAME_MAX)
		return false;
	struct stat status;
	upwards(levels - depth, rest, ret_blob);
	return is_repository(root_fd, levels - depth) && look(root_fd, ret_blob, S_IFREG, &status);
}
