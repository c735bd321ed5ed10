/* SPDX-License-Identifier: Apache-2.0 */
#include "run_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "file.h"
#include "json.h"
#include "run_files.h"

#define ID_DIGITS   8
#define SPARE       ".spare" /* gives its place up for the last status, when the log has filled the disk */
#define SPARE_BYTES (64 << 10)
#define MAX_TAKEN   1000 /* runs of one plan in one second: more is a fault */

void mxt_run_folder_finish(struct mxt_run_folder *folder)
{
	free(folder->path);
	free(folder->name);
	if (folder->fd >= 0)
		(void)close(folder->fd);
	if (folder->log_fd >= 0)
		(void)close(folder->log_fd);
	*folder = (struct mxt_run_folder)MXT_RUN_FOLDER_INIT;
}

/* For failures of the folder itself: one id, whatever the cause. */
static int folder_error(struct mxt_error *err, int errnum, const char *what, const char *path)
{
	return mxt_error_set(err, -errnum, MXT_E_LAUNCH_FOLDER, "cannot %s %s: %s; name another folder with --out",
			     what, path, strerror(errnum));
}

/* ---- making it ---- */

/* 0 or a positive errno value: makes the folders above, too. `path` is changed on the way and put back. */
static int make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int failed = mkdir(path, 0777) < 0 && errno != EEXIST ? errno : 0;
		*slash = '/';
		if (failed)
			return failed;
	}
	return mkdir(path, 0777) < 0 && errno != EEXIST ? errno : 0;
}

/* The absolute path of OUT, for the caller to free. */
static int make_out(const char *out, char **ret_path, struct mxt_error *err)
{
	if (out[0] == '\0')
		return folder_error(err, ENOENT, "make the folder", "''");
	MXT_CLEANUP_FREE char *given = strdup(out);
	if (!given)
		return mxt_error_oom(err);
	int failed = make_folders(given);
	if (failed)
		return folder_error(err, failed, "make the folder", out);
	*ret_path = realpath(out, NULL);
	return *ret_path ? 0 : folder_error(err, errno, "find the folder", out);
}

static void print_stem(struct mxt_buf *buf, int64_t seconds, const char *plan_id, int64_t node)
{
	struct tm tm = {.tm_year = 0};
	char when[32] = "";
	time_t at = (time_t)seconds;
	if (gmtime_r(&at, &tm))
		(void)strftime(when, sizeof when, "%Y%m%d-%H%M%S", &tm);
	mxt_buf_printf(buf, "%s", when);
	if (plan_id)
		mxt_buf_printf(buf, "-%.*s", ID_DIGITS, plan_id);
	if (node > 0)
		mxt_buf_printf(buf, "-node%" PRId64, node);
}

/* Whoever makes the folder has the name: no two runs do, on other hosts either. `path` is what the name is appended to.
 */
static int take_name(struct mxt_buf *path, const char *stem, struct mxt_error *err)
{
	size_t parent = path->len;
	for (int taken = 1; taken <= MAX_TAKEN; taken++) {
		mxt_buf_truncate(path, parent);
		mxt_buf_printf(path, taken == 1 ? "/%s" : "/%s-%d", stem, taken);
		int rc = mxt_buf_status(path, err);
		if (rc < 0)
			return rc;
		if (mkdir(mxt_buf_text(path), 0700) == 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	return folder_error(err, errno, "make the folder", mxt_buf_text(path));
}

static int open_made(struct mxt_run_folder *folder, struct mxt_buf *path, struct mxt_error *err)
{
	folder->fd = open(mxt_buf_text(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder->fd < 0)
		return folder_error(err, errno, "open the folder", mxt_buf_text(path));
	(void)flock(folder->fd, LOCK_EX | LOCK_NB); /* some network file systems have none */
	folder->name = strdup(strrchr(mxt_buf_text(path), '/') + 1);
	folder->path = folder->name ? mxt_buf_steal(path) : NULL;
	return folder->path ? 0 : mxt_error_oom(err);
}

int mxt_run_folder_make(struct mxt_run_folder *ret_folder, const char *out, int64_t seconds, const char *plan_id,
			int64_t node, struct mxt_error *err)
{
	MXT_CLEANUP_RUN_FOLDER struct mxt_run_folder folder = MXT_RUN_FOLDER_INIT;
	MXT_CLEANUP_FREE char *parent = NULL;
	MXT_CLEANUP_BUF struct mxt_buf stem = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	int rc = make_out(out, &parent, err);
	if (rc < 0)
		return rc;
	print_stem(&stem, seconds, plan_id, node);
	rc = mxt_buf_status(&stem, err);
	mxt_buf_puts(&path, strcmp(parent, "/") == 0 ? "" : parent);
	if (rc == 0)
		rc = take_name(&path, mxt_buf_text(&stem), err);
	if (rc == 0)
		rc = open_made(&folder, &path, err);
	if (rc < 0)
		return rc;
	*ret_folder = folder;
	folder = (struct mxt_run_folder)MXT_RUN_FOLDER_INIT;
	return 0;
}

/* ---- what is in it ---- */

char *mxt_run_folder_file(const struct mxt_run_folder *folder, const char *name)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/%s", folder->path, name);
	return mxt_buf_steal(&path);
}

/* A whole new file: 0 or a positive errno value. `waits`: until it is on the disk. The command can write to the folder:
 * what it may have put there (a FIFO nobody reads, a link to another file) is not written to. */
static int write_file(int folder, const char *name, const void *bytes, size_t len, bool waits)
{
	(void)unlinkat(folder, name, 0);
	MXT_CLEANUP_CLOSE int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	int failed = -mxt_file_write_all(fd, bytes, len);
	if (!failed && waits && fsync(fd) < 0)
		failed = errno;
	return failed;
}

static int put_file(const struct mxt_run_folder *folder, const char *name, const void *bytes, size_t len, bool waits,
		    struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf temp = MXT_BUF_INIT;
	mxt_buf_printf(&temp, ".%s.new", name);
	int rc = mxt_buf_status(&temp, err);
	if (rc < 0)
		return rc;
	int failed = write_file(folder->fd, mxt_buf_text(&temp), bytes, len, waits);
	if (!failed && renameat(folder->fd, mxt_buf_text(&temp), folder->fd, name) < 0)
		failed = errno;
	if (!failed)
		return 0;
	(void)unlinkat(folder->fd, mxt_buf_text(&temp), 0);
	return mxt_error_errno(err, failed, "cannot write %s/%s", folder->path, name);
}

int mxt_run_folder_write(const struct mxt_run_folder *folder, const char *name, const void *bytes, size_t len,
			 struct mxt_error *err)
{
	return put_file(folder, name, bytes, len, false, err);
}

static int put_json(const struct mxt_run_folder *folder, const char *name, const json_t *json, bool waits,
		    struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	int rc = mxt_json_canonical(json, &buf, err);
	mxt_buf_putc(&buf, '\n');
	if (rc == 0)
		rc = mxt_buf_status(&buf, err);
	return rc < 0 ? rc : put_file(folder, name, buf.data, buf.len, waits, err);
}

int mxt_run_folder_write_json(const struct mxt_run_folder *folder, const char *name, const json_t *json,
			      struct mxt_error *err)
{
	return put_json(folder, name, json, false, err);
}

/* What cannot be opened or synced is left as it is: the run is over, and its status says more than a missing byte. */
static void sync_files(const struct mxt_run_folder *folder)
{
	MXT_CLEANUP_DIR DIR *dir = opendir(folder->path);
	const struct dirent *row;
	while (dir && (row = readdir(dir))) {
		MXT_CLEANUP_CLOSE int fd =
		    openat(folder->fd, row->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd >= 0)
			(void)fsync(fd);
	}
}

int mxt_run_folder_settle(const struct mxt_run_folder *folder, const json_t *status, struct mxt_error *err)
{
	(void)unlinkat(folder->fd, SPARE, 0);
	sync_files(folder);
	int rc = put_json(folder, MXT_RUN_STATUS, status, true, err);
	if (rc == 0)
		(void)fsync(folder->fd); /* some network file systems cannot, which does not undo it */
	return rc;
}

int mxt_run_folder_subfolder(const struct mxt_run_folder *folder, const char *name, char **ret_path,
			     struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *path = mxt_run_folder_file(folder, name);
	if (!path)
		return mxt_error_oom(err);
	if (mkdirat(folder->fd, name, 0700) < 0)
		return folder_error(err, errno, "make the folder", path);
	*ret_path = mxt_steal_ptr(&path);
	return 0;
}

int mxt_run_folder_log(struct mxt_run_folder *folder, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *spare = calloc(1, SPARE_BYTES); /* a constant would be as large in the program's file */
	if (!spare)
		return mxt_error_oom(err);
	int failed = write_file(folder->fd, SPARE, spare, SPARE_BYTES, false);
	if (failed)
		return mxt_error_errno(err, failed, "cannot write %s/" SPARE, folder->path);
	folder->log_fd = openat(folder->fd, MXT_RUN_LOG, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	return folder->log_fd < 0 ? mxt_error_errno(err, errno, "cannot write %s/" MXT_RUN_LOG, folder->path) : 0;
}
