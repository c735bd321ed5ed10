/* SPDX-License-Identifier: Apache-2.0 */
#include "hash_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "tree.h"

static int identify(int fd, struct mxt_file_identity *ret_identity)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	*ret_identity = mxt_file_identity_of(&st);
	return 0;
}

static bool was_seen(const struct mxt_file_identity *identity)
{
	return !mxt_file_identity_equal(identity, &(struct mxt_file_identity){0});
}

int mxt_hash_file_open(int root_fd, const struct mxt_file_entry *entry, struct mxt_hash_file *ret_file)
{
	MXT_CLEANUP_CLOSE int fd = -1;
	struct mxt_file_identity identity = {0};
	int rc = mxt_tree_open(root_fd, entry->path, &fd);
	if (rc == 0)
		rc = identify(fd, &identity);
	if (rc < 0)
		return rc;
	if (was_seen(&entry->seen) && !mxt_file_identity_equal(&entry->seen, &identity))
		return -ESTALE;
	*ret_file = (struct mxt_hash_file){.fd = mxt_steal_fd(&fd), .identity = identity};
	return 0;
}

int mxt_hash_file_read(const struct mxt_hash_file *file, void *bytes, size_t size, uint64_t offset)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pread(file->fd, (char *)bytes + done, size - done, (off_t)(offset + done));
		if (n == 0)
			return -ESTALE;
		if (n > 0)
			done += (size_t)n;
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}

static int still_the_same(int fd, const struct mxt_file_identity *identity)
{
	struct mxt_file_identity now = {0};
	int rc = identify(fd, &now);
	if (rc < 0)
		return rc;
	return mxt_file_identity_equal(&now, identity) ? 0 : -ESTALE;
}

/* A file system may say too small a size, or one that is not up to date. */
static int ends_here(const struct mxt_hash_file *file)
{
	char more;
	int rc = mxt_hash_file_read(file, &more, 1, (uint64_t)file->identity.size);
	if (rc == -ESTALE)
		return 0;
	return rc == 0 ? -ESTALE : rc;
}

/* One look says so nearly always. Where it does not, the path is a link of a cache, too long, or leads elsewhere. */
static int path_leads_here(int root_fd, const char *path, const struct mxt_file_identity *identity)
{
	MXT_CLEANUP_CLOSE int fd = -1;
	struct stat st;
	if (fstatat(root_fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		struct mxt_file_identity now = mxt_file_identity_of(&st);
		if (mxt_file_identity_equal(&now, identity))
			return 0;
	}
	int rc = mxt_tree_open(root_fd, path, &fd);
	if (rc == -ENOENT || rc == -ENOTDIR || rc == -ELOOP || rc == -EINVAL)
		return -ESTALE;
	return rc == 0 ? still_the_same(fd, identity) : rc;
}

int mxt_hash_file_close(struct mxt_hash_file *file, int root_fd, const struct mxt_file_entry *entry)
{
	int rc = ends_here(file);
	if (rc == 0)
		rc = still_the_same(file->fd, &file->identity);
	if (rc == 0)
		rc = path_leads_here(root_fd, entry->path, &file->identity);
	(void)close(file->fd);
	file->fd = -1;
	return rc;
}
