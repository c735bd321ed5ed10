/* SPDX-License-Identifier: Apache-2.0 */
#include "list_sha256.h"

#include <blake3.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "clock.h"
#include "error.h"
#include "tree.h"

#define READ_BYTES ((size_t)1 << 20)
#define TELL_NS    (100 * MXT_NS_PER_MS)

/* What one list needs while it is read. */
struct reader {
	const struct mxt_file_list *list;
	struct mxt_sha256_work *work;
	struct mxt_sha256 sha;
	blake3_hasher blake3;
	uint8_t *bytes; /* READ_BYTES */
	int root_fd;
	const char *single; /* name of the root, where the list is of one file */
};

static int tell(struct mxt_sha256_work *work, const char *path, struct mxt_error *err)
{
	uint64_t now_ns = mxt_now_ns(&mxt_clock_monotonic);
	if (!work->watch->progress || now_ns - work->told_ns < TELL_NS)
		return 0;
	work->told_ns = now_ns;
	work->progress.path = path;
	if (work->watch->progress(work->watch->context, &work->progress))
		return 0;
	return mxt_error_set(err, -ECANCELED, MXT_E_INTERRUPTED, "ended while files were read");
}

static int fail(const struct mxt_file_list *list, const char *path, int status, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf shown = MXT_BUF_INIT;
	mxt_entry_path_show(path, &shown);
	const char *role = mxt_list_role_name(list->role);
	if (status == -EBADMSG)
		return mxt_error_set(err, status, MXT_E_VERIFY_FAILED,
				     "%s of the %s is not as the manifest lists it; mindxtrain verify shows all that "
				     "differs",
				     mxt_buf_text(&shown), role);
	if (status == -ENOENT || status == -ENOTDIR || status == -ELOOP || status == -EINVAL)
		return mxt_error_set(err, status, MXT_E_VERIFY_FAILED, "%s of the %s is not there as a file",
				     mxt_buf_text(&shown), role);
	return mxt_error_errno(err, -status, "cannot read %s of the %s", mxt_buf_text(&shown), role);
}

/* Both digests take all bytes of the open file. More than are listed is no use: it may be growing for ever. */
static int take_bytes(struct reader *reader, int fd, const struct mxt_file_entry *entry, struct mxt_error *err)
{
	int64_t left = entry->size;
	for (;;) {
		ssize_t n = read(fd, reader->bytes, READ_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(reader->list, entry->path, -errno, err);
		if (n == 0)
			return 0;
		left -= n;
		if (left < 0)
			return fail(reader->list, entry->path, -EBADMSG, err);
		mxt_sha256_update(&reader->sha, reader->bytes, (size_t)n);
		blake3_hasher_update(&reader->blake3, reader->bytes, (size_t)n);
		reader->work->progress.bytes_done += (uint64_t)n;
		int rc = tell(reader->work, entry->path, err);
		if (rc < 0)
			return rc;
	}
}

/* A copy of a single file may have another name. Of a file that has another size, nothing is read. */
static int open_file(const struct reader *reader, const struct mxt_file_entry *entry, int *ret_fd,
		     struct mxt_error *err)
{
	struct stat status;
	MXT_CLEANUP_CLOSE int fd = -1;
	int rc = mxt_tree_open(reader->root_fd, reader->list->single ? reader->single : entry->path, &fd);
	if (rc == 0 && fstat(fd, &status) < 0)
		rc = -errno;
	if (rc == 0 && status.st_size != entry->size)
		rc = -EBADMSG;
	if (rc < 0)
		return fail(reader->list, entry->path, rc, err);
	*ret_fd = mxt_steal_fd(&fd);
	return 0;
}

static int digest_file(struct reader *reader, const struct mxt_file_entry *entry, uint8_t ret_digest[MXT_SHA256_SIZE],
		       struct mxt_error *err)
{
	uint8_t blake3[MXT_HASH_SIZE];
	MXT_CLEANUP_CLOSE int fd = -1;
	blake3_hasher_init(&reader->blake3);
	int rc = open_file(reader, entry, &fd, err);
	if (rc == 0)
		rc = take_bytes(reader, fd, entry, err);
	if (rc < 0)
		return rc;
	blake3_hasher_finalize(&reader->blake3, blake3, sizeof blake3);
	if (memcmp(blake3, entry->hash, sizeof blake3) != 0)
		return fail(reader->list, entry->path, -EBADMSG, err);
	reader->work->progress.files_done++;
	return mxt_sha256_result(&reader->sha, ret_digest, err);
}

int mxt_list_sha256(struct mxt_sha256_work *work, const struct mxt_file_list *list, const char *root,
		    uint8_t (*ret_digests)[MXT_SHA256_SIZE], struct mxt_error *err)
{
	MXT_CLEANUP_CLOSE int root_fd = -1;
	MXT_CLEANUP_FREE uint8_t *bytes = malloc(READ_BYTES);
	if (!bytes)
		return mxt_error_oom(err);
	int rc = mxt_tree_open_root(root, &root_fd, err);
	if (rc < 0)
		return rc;
	struct reader reader = {.list = list,
				.work = work,
				.sha = MXT_SHA256_INIT,
				.bytes = bytes,
				.root_fd = root_fd,
				.single = strrchr(root, '/') + 1};
	rc = mxt_sha256_init(work->library, &reader.sha, err);
	for (size_t i = 0; rc == 0 && i < list->count; i++)
		if (list->entries[i].kind == MXT_ENTRY_FILE)
			rc = digest_file(&reader, &list->entries[i], ret_digests[i], err);
	mxt_sha256_finish(&reader.sha);
	return rc;
}
