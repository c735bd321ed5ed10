/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "hub_blob.h"
#include "tree.h"

#define FOLDER_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)

static int open_part(int fd, const char *part, size_t len, int *ret_fd)
{
	char name[PATH_MAX];
	if (len >= sizeof name)
		return -ENAMETOOLONG;
	memcpy(name, part, len);
	name[len] = '\0';
	int below = openat(fd, name, FOLDER_FLAGS | O_NOFOLLOW);
	if (below < 0)
		return -errno;
	*ret_fd = below;
	return 0;
}

/*
 * The folder that the last part of the path lies in, one part after the other: *ret_owned stays -1 where that is the
 * root itself.
 */
static int open_parent(int root_fd, const char *path, int *ret_owned, const char **ret_name)
{
	MXT_CLEANUP_CLOSE int fd = -1;
	const char *part = path;
	for (const char *slash = strchr(part, '/'); slash; slash = strchr(part, '/')) {
		int below = -1;
		int rc = open_part(fd < 0 ? root_fd : fd, part, (size_t)(slash - part), &below);
		if (rc < 0)
			return rc;
		mxt_cleanup_close_(&fd);
		fd = below;
		part = slash + 1;
	}
	*ret_owned = mxt_steal_fd(&fd);
	*ret_name = part;
	return 0;
}

int mxt_tree_open_folder(int root_fd, const char *path, int *ret_fd)
{
	MXT_CLEANUP_CLOSE int owned = -1;
	const char *name = NULL;
	int rc = open_parent(root_fd, path, &owned, &name);
	if (rc < 0)
		return rc;
	int fd =
	    openat(owned < 0 ? root_fd : owned, *name ? name : ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

/* O_NONBLOCK: a FIFO that is put there after the look must not hold us up. */
static int open_regular(int folder_fd, const char *name, int *ret_fd)
{
	struct stat status;
	MXT_CLEANUP_CLOSE int fd = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	*ret_fd = mxt_steal_fd(&fd);
	return 0;
}

int mxt_tree_read_link(int folder_fd, const char *name, char ret_target[PATH_MAX])
{
	ssize_t len = readlinkat(folder_fd, name, ret_target, PATH_MAX);
	if (len < 0)
		return -errno;
	if (len == PATH_MAX)
		return -ENAMETOOLONG;
	ret_target[len] = '\0';
	return 0;
}

static int open_blob(int root_fd, const char *path, int folder_fd, const char *name, int *ret_fd)
{
	char target[PATH_MAX], blob[PATH_MAX];
	int rc = mxt_tree_read_link(folder_fd, name, target);
	if (rc < 0)
		return rc;
	return mxt_hub_blob_find(root_fd, path, target, blob) ? open_regular(root_fd, blob, ret_fd) : -ELOOP;
}

int mxt_tree_open(int root_fd, const char *path, int *ret_fd)
{
	MXT_CLEANUP_CLOSE int owned = -1;
	const char *name = NULL;
	int rc = open_parent(root_fd, path, &owned, &name);
	if (rc < 0)
		return rc;
	int folder_fd = owned < 0 ? root_fd : owned;
	struct stat status;
	if (fstatat(folder_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (S_ISLNK(status.st_mode))
		return open_blob(root_fd, path, folder_fd, name, ret_fd);
	return S_ISREG(status.st_mode) ? open_regular(folder_fd, name, ret_fd) : -EINVAL;
}

static int root_fault(const char *root, int errnum, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf name = MXT_BUF_INIT;
	mxt_entry_path_show(root, &name);
	return mxt_error_set(err, -errnum, MXT_E_TREE_READ, "%s: %s", mxt_buf_text(&name), strerror(errnum));
}

int mxt_tree_open_root(const char *root, int *ret_fd, struct mxt_error *err)
{
	int fd = open(root, FOLDER_FLAGS);
	if (fd < 0 && errno == ENOTDIR) {
		MXT_CLEANUP_FREE char *file = realpath(root, NULL);
		if (!file)
			return root_fault(root, errno, err);
		*strrchr(file, '/') = '\0';
		fd = open(*file ? file : "/", FOLDER_FLAGS);
	}
	if (fd < 0)
		return root_fault(root, errno, err);
	*ret_fd = fd;
	return 0;
}
