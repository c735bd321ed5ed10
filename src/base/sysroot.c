/* SPDX-License-Identifier: Apache-2.0 */
#include "sysroot.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "error.h"
#include "number.h"

bool mxt_sysroot_is_live(const struct mxt_sysroot *root)
{
	return root->prefix[0] == '\0';
}

char *mxt_sysroot_path(const struct mxt_sysroot *root, const char *path)
{
	struct mxt_buf buf = MXT_BUF_INIT;
	mxt_buf_puts(&buf, root->prefix);
	mxt_buf_puts(&buf, path);
	char *full = mxt_buf_steal(&buf);
	mxt_buf_finish(&buf);
	return full;
}

int mxt_sysroot_look(const struct mxt_sysroot *root, const char *path)
{
	MXT_CLEANUP_FREE char *full = mxt_sysroot_path(root, path);
	if (!full)
		return -ENOMEM;
	if (access(full, F_OK) != 0)
		return 0;
	if (root->tap)
		root->tap->seen(root->tap->context, path);
	return 1;
}

bool mxt_sysroot_exists(const struct mxt_sysroot *root, const char *path)
{
	return mxt_sysroot_look(root, path) == 1;
}

int mxt_sysroot_open(const struct mxt_sysroot *root, const char *path)
{
	MXT_CLEANUP_FREE char *full = mxt_sysroot_path(root, path);
	if (!full)
		return -ENOMEM;
	int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

static int read_all(int fd, const char *path, size_t max_bytes, struct mxt_buf *buf, struct mxt_error *err)
{
	char chunk[4096];
	size_t total = 0;
	while (total < max_bytes) {
		size_t want = max_bytes - total < sizeof chunk ? max_bytes - total : sizeof chunk;
		ssize_t got = read(fd, chunk, want);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return mxt_error_errno(err, errno, "cannot read %s", path);
		if (got == 0)
			break;
		mxt_buf_append(buf, chunk, (size_t)got);
		total += (size_t)got;
	}
	return mxt_buf_status(buf, err);
}

int mxt_sysroot_read(const struct mxt_sysroot *root, const char *path, size_t max_bytes, struct mxt_buf *buf,
		     struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *full = mxt_sysroot_path(root, path);
	if (!full)
		return mxt_error_oom(err);
	MXT_CLEANUP_CLOSE int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return mxt_error_errno(err, errno, "cannot open %s", full);
	size_t start = buf->len;
	int rc = read_all(fd, full, max_bytes, buf, err);
	if (rc == 0 && root->tap)
		root->tap->read(root->tap->context, path, mxt_buf_text(buf) + start, buf->len - start);
	if (rc == 0 && buf->len > start && buf->data[buf->len - 1] == '\n')
		mxt_buf_truncate(buf, buf->len - 1);
	return rc;
}

int mxt_sysroot_read_u64(const struct mxt_sysroot *root, const char *path, uint64_t *ret_value, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	int rc = mxt_sysroot_read(root, path, 64, &buf, err);
	if (rc < 0)
		return rc;
	const char *end = NULL;
	uint64_t value = 0;
	rc = mxt_parse_u64(mxt_buf_text(&buf), &end, &value);
	if (rc < 0 || *end != '\0')
		return mxt_error_set(err, -EINVAL, MXT_E_IO, "%s%s: not a number: '%.32s'", root->prefix, path,
				     mxt_buf_text(&buf));
	*ret_value = value;
	return 0;
}
