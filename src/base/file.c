/* SPDX-License-Identifier: Apache-2.0 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "error.h"

#define MAX_LINKS 40 /* as the kernel */

static int refuse_irregular(mode_t mode, const char *path, struct mxt_error *err)
{
	const char *kind = S_ISDIR(mode)    ? "a directory"
			   : S_ISFIFO(mode) ? "a FIFO"
			   : S_ISSOCK(mode) ? "a socket"
					    : "a device";
	return mxt_error_set(err, S_ISDIR(mode) ? -EISDIR : -EINVAL, MXT_E_NOT_REGULAR, "%s is %s; name a regular file",
			     path, kind);
}

static int open_regular(const char *path, int flags, int *ret_fd, struct mxt_error *err)
{
	MXT_CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	if (fd < 0 && errno == ELOOP && flags)
		return mxt_error_set(err, -ELOOP, MXT_E_NOT_REGULAR, "%s is a link; name a regular file", path);
	if (fd < 0)
		return mxt_error_errno(err, errno, "cannot open %s", path);
	struct stat st;
	if (fstat(fd, &st) < 0)
		return mxt_error_errno(err, errno, "cannot stat %s", path);
	if (!S_ISREG(st.st_mode))
		return refuse_irregular(st.st_mode, path, err);
	*ret_fd = mxt_steal_fd(&fd);
	return 0;
}

static int read_limited(int fd, const char *path, size_t max_bytes, struct mxt_buf *buf, struct mxt_error *err)
{
	char chunk[16384];
	size_t total = 0;
	for (;;) {
		ssize_t got = read(fd, chunk, sizeof chunk);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return mxt_error_errno(err, errno, "cannot read %s", path);
		if (got == 0)
			return mxt_buf_status(buf, err);
		total += (size_t)got;
		if (total > max_bytes)
			return mxt_error_set(
			    err, -EFBIG, MXT_E_TOO_LARGE,
			    "%s is larger than %zu bytes; this is not the kind of file that belongs here", path,
			    max_bytes);
		mxt_buf_append(buf, chunk, (size_t)got);
	}
}

int mxt_file_read(const char *path, size_t max_bytes, struct mxt_buf *buf, struct mxt_error *err)
{
	if (strcmp(path, "-") == 0)
		return read_limited(STDIN_FILENO, "standard input", max_bytes, buf, err);
	MXT_CLEANUP_CLOSE int fd = -1;
	int rc = open_regular(path, 0, &fd, err);
	return rc < 0 ? rc : read_limited(fd, path, max_bytes, buf, err);
}

int mxt_file_read_no_link(const char *path, size_t max_bytes, struct mxt_buf *buf, struct mxt_error *err)
{
	MXT_CLEANUP_CLOSE int fd = -1;
	int rc = open_regular(path, O_NOFOLLOW, &fd, err);
	return rc < 0 ? rc : read_limited(fd, path, max_bytes, buf, err);
}

size_t mxt_file_read_at(int fd, void *bytes, size_t size, uint64_t offset)
{
	size_t done = 0;
	while (done < size && offset <= INT64_MAX - size) {
		ssize_t got = pread(fd, (char *)bytes + done, size - done, (off_t)(offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

/* Where a replacement really goes: the end of a chain of symlinks, its directory, and the mode to give. */
struct target {
	char *path;
	char *dir;
	mode_t mode;
};

#define TARGET_INIT                                                                                                    \
	{                                                                                                              \
		NULL, NULL, 0                                                                                          \
	}

static void target_finish(struct target *target)
{
	free(target->path);
	free(target->dir);
}

/* One step along a symlink: the path that `link` at `path` points to, relative targets resolved beside it. */
static int link_target(const char *path, char **ret_target, struct mxt_error *err)
{
	char target[PATH_MAX];
	ssize_t len = readlink(path, target, sizeof target - 1);
	if (len < 0)
		return mxt_error_errno(err, errno, "cannot read the link %s", path);
	target[len] = '\0';
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	const char *slash = strrchr(path, '/');
	if (target[0] != '/' && slash)
		mxt_buf_append(&buf, path, (size_t)(slash - path) + 1);
	mxt_buf_puts(&buf, target);
	char *resolved = mxt_buf_steal(&buf);
	if (!resolved)
		return mxt_error_oom(err);
	*ret_target = resolved;
	return 0;
}

static int follow_links(const char *path, char **ret_path, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *at = strdup(path);
	for (int hops = 0; at; hops++) {
		struct stat st;
		if (lstat(at, &st) < 0 || !S_ISLNK(st.st_mode)) {
			*ret_path = mxt_steal_ptr(&at);
			return 0;
		}
		if (hops == MAX_LINKS)
			return mxt_error_errno(err, ELOOP, "cannot write %s", path);
		char *next = NULL;
		int rc = link_target(at, &next, err);
		if (rc < 0)
			return rc;
		free(at);
		at = next;
	}
	return mxt_error_oom(err);
}

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		return strdup(".");
	return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* What a new file gets. There is no way to ask for the mask without setting it. */
static mode_t default_mode(void)
{
	mode_t mask = umask(077);
	(void)umask(mask);
	return 0666 & ~mask;
}

/* `follow`: the kind of file is looked at through all links, so that /dev/stdout is what it stands for. */
static int target_init(struct target *target, const char *path, bool follow, struct mxt_error *err)
{
	if (path[0] == '\0')
		return mxt_error_set(err, -ENOENT, MXT_E_NOT_REGULAR, "an empty path was given for a file to write");
	struct stat st;
	bool exists = (follow ? stat(path, &st) : lstat(path, &st)) == 0;
	if (!exists && errno != ENOENT)
		return mxt_error_errno(err, errno, "cannot write %s", path);
	if (exists && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return refuse_irregular(st.st_mode, path, err);
	target->mode = exists ? st.st_mode & 07777 : default_mode();
	int rc = follow ? follow_links(path, &target->path, err) : 0;
	if (rc < 0)
		return rc;
	target->path = follow ? target->path : strdup(path);
	target->dir = target->path ? directory_of(target->path) : NULL;
	return target->dir ? 0 : mxt_error_oom(err);
}

int mxt_file_write_all(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;
	while (len > 0) {
		ssize_t put = write(fd, at, len);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		at += put;
		len -= (size_t)put;
	}
	return 0;
}

static int fill_temp(int fd, const struct target *target, const void *bytes, size_t len)
{
	int rc = mxt_file_write_all(fd, bytes, len);
	if (rc == 0 && fchmod(fd, target->mode) < 0)
		rc = -errno;
	if (rc == 0 && fsync(fd) < 0)
		rc = -errno;
	return rc;
}

/* A directory that cannot be synced (some network file systems) does not undo a finished rename. */
static void sync_directory(const char *dir)
{
	MXT_CLEANUP_CLOSE int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		(void)fsync(fd);
}

static char *temp_name(const struct target *target)
{
	struct mxt_buf buf = MXT_BUF_INIT;
	mxt_buf_printf(&buf, "%s/.mindxtrain-XXXXXX", target->dir);
	char *name = mxt_buf_steal(&buf);
	mxt_buf_finish(&buf);
	return name;
}

/* Where a replacement of `path` goes, and a new temporary file beside it: its name (to be freed) and descriptor. */
static int temp_open(const char *path, bool follow, struct target *target, char **ret_name, int *ret_fd,
		     struct mxt_error *err)
{
	int rc = target_init(target, path, follow, err);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_FREE char *name = temp_name(target);
	if (!name)
		return mxt_error_oom(err);
	int fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return mxt_error_errno(err, errno, "cannot create a file in %s", target->dir);
	*ret_name = mxt_steal_ptr(&name);
	*ret_fd = fd;
	return 0;
}

/* `mode`: of the file then, which is not looked for behind links; 0: what it has, or a new file gets. */
static int replace(const char *path, mode_t mode, const void *bytes, size_t len, struct mxt_error *err)
{
	MXT_CLEANUP(target_finish) struct target target = TARGET_INIT;
	MXT_CLEANUP_FREE char *temp = NULL;
	MXT_CLEANUP_CLOSE int fd = -1;
	int rc = temp_open(path, mode == 0, &target, &temp, &fd, err);
	if (rc < 0)
		return rc;
	target.mode = mode ? mode : target.mode;
	rc = fill_temp(fd, &target, bytes, len);
	if (rc == 0 && rename(temp, target.path) < 0)
		rc = -errno;
	if (rc < 0) {
		(void)unlink(temp);
		return mxt_error_errno(err, -rc, "cannot write %s", path);
	}
	sync_directory(target.dir);
	return 0;
}

int mxt_file_replace(const char *path, const void *bytes, size_t len, struct mxt_error *err)
{
	return replace(path, 0, bytes, len, err);
}

int mxt_file_replace_read_only(const char *path, const void *bytes, size_t len, struct mxt_error *err)
{
	return replace(path, S_IRUSR | S_IRGRP | S_IROTH, bytes, len, err);
}

void mxt_file_drop_link(const char *path)
{
	struct stat st;
	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
		(void)unlink(path);
}

int mxt_file_check_writable(const char *path, struct mxt_error *err)
{
	MXT_CLEANUP(target_finish) struct target target = TARGET_INIT;
	MXT_CLEANUP_FREE char *temp = NULL;
	MXT_CLEANUP_CLOSE int fd = -1;
	int rc = temp_open(path, true, &target, &temp, &fd, err);
	if (rc < 0)
		return rc;
	(void)unlink(temp);
	return 0;
}
