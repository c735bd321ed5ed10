/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array.h"
#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "hash_files.h"
#include "hub_blob.h"
#include "list_scope.h"

#define ASK_EVERY 256 /* names of one folder */

/* A walk over a folder: those found and not yet looked into are a stack, so that it is not bound by descriptors. */
struct walk {
	const struct mxt_tree_request *request;
	const char *root; /* as realpath(3) says */
	int root_fd;
	char *last;  /* owned: the folder that was opened last; NULL: none */
	int last_fd; /* its own */
	struct mxt_file_list *list;
	char **pending; /* owned, and what it holds: folders relative to the root */
	size_t n_pending, capacity;
};

static void walk_finish(struct walk *walk)
{
	mxt_cleanup_close_(&walk->root_fd);
	mxt_cleanup_close_(&walk->last_fd);
	free(walk->last);
	for (size_t i = 0; i < walk->n_pending; i++)
		free(walk->pending[i]);
	free(walk->pending);
}

static int read_fault(const struct walk *walk, const char *path, int errnum, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf place = MXT_BUF_INIT;
	mxt_entry_place_show(walk->root, path, &place);
	if (*path && (errnum == ENOENT || errnum == ENOTDIR || errnum == ELOOP))
		return mxt_error_set(err, -ESTALE, MXT_E_TREE_CHANGED,
				     "%s went away while its folder was listed; try again when nothing writes there",
				     mxt_buf_text(&place));
	return mxt_error_set(err, -errnum, MXT_E_TREE_READ, "%s: %s", mxt_buf_text(&place), strerror(errnum));
}

static int kind_fault(const struct walk *walk, const char *path, mode_t mode, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf place = MXT_BUF_INIT;
	mxt_entry_place_show(walk->root, path, &place);
	return mxt_error_set(err, -EINVAL, MXT_E_TREE_KIND, "%s: %s has no fixed content to be hashed; move it away",
			     mxt_buf_text(&place),
			     S_ISFIFO(mode)   ? "a FIFO"
			     : S_ISSOCK(mode) ? "a socket"
					      : "a device");
}

static int name_fault(const struct walk *walk, const char *path, const char *what, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf place = MXT_BUF_INIT;
	mxt_entry_place_show(walk->root, path, &place);
	return mxt_error_set(err, -EINVAL, MXT_E_LIST_PATH, "%s: the path may not be in a list: %s; rename it",
			     mxt_buf_text(&place), what);
}

/* Takes over the path, also when it fails. */
static int push(struct walk *walk, char *path, struct mxt_error *err)
{
	char **pending = mxt_array_reserve(walk->pending, walk->n_pending, &walk->capacity, sizeof *pending);
	if (!pending) {
		free(path);
		return mxt_error_oom(err);
	}
	walk->pending = pending;
	pending[walk->n_pending++] = path;
	return 0;
}

/* Takes over the path, also when it fails. */
static int add_file(struct walk *walk, char *path, const struct stat *status, struct mxt_error *err)
{
	struct mxt_file_entry entry = {.kind = MXT_ENTRY_FILE};
	entry.path = path;
	entry.size = status->st_size;
	entry.seen = mxt_file_identity_of(status);
	return mxt_file_list_add(walk->list, &entry, err);
}

static int add_link(struct walk *walk, int folder_fd, const char *name, char *owned_path, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *path = owned_path;
	char target[PATH_MAX], blob[PATH_MAX];
	struct stat status;
	int rc = mxt_tree_read_link(folder_fd, name, target);
	if (rc < 0) /* EINVAL: it is a link no more */
		return read_fault(walk, path, rc == -EINVAL ? ENOENT : -rc, err);
	if (mxt_hub_blob_find(walk->root_fd, path, target, blob)) {
		if (fstatat(walk->root_fd, blob, &status, AT_SYMLINK_NOFOLLOW) < 0)
			return read_fault(walk, path, errno, err);
		return add_file(walk, mxt_steal_ptr(&path), &status, err);
	}
	struct mxt_file_entry entry = {.kind = MXT_ENTRY_LINK, .target = strdup(target)};
	if (!entry.target)
		return mxt_error_oom(err);
	walk->list->outside_links += mxt_link_leads_out(path, target);
	entry.path = mxt_steal_ptr(&path);
	return mxt_file_list_add(walk->list, &entry, err);
}

static bool is_left_out(const struct mxt_tree_request *request, const char *path)
{
	bool found = false;
	for (size_t i = 0; !found && request->left_out && request->left_out[i]; i++)
		found = strcmp(request->left_out[i], path) == 0;
	return found;
}

/* The record is files: a folder of such a name could hold what nobody looks at. */
static bool is_record(const struct mxt_tree_request *request, const char *path, mode_t mode)
{
	return (S_ISREG(mode) || S_ISLNK(mode)) && mxt_list_is_record(request->role, path);
}

/* Takes over the path, also when it fails. */
static int take(struct walk *walk, int folder_fd, const char *name, char *owned_path, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *path = owned_path;
	struct stat status;
	const char *what = mxt_entry_path_fault(path, strlen(path));
	if (what)
		return name_fault(walk, path, what, err);
	if (fstatat(folder_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return read_fault(walk, path, errno, err);
	if (is_record(walk->request, path, status.st_mode))
		return 0;
	switch (status.st_mode & S_IFMT) {
	case S_IFDIR:
		return push(walk, mxt_steal_ptr(&path), err);
	case S_IFREG:
		return add_file(walk, mxt_steal_ptr(&path), &status, err);
	case S_IFLNK:
		return add_link(walk, folder_fd, name, mxt_steal_ptr(&path), err);
	default:
		return kind_fault(walk, path, status.st_mode, err);
	}
}

/* What to go on with after a failure, `rc`. */
static int pass_over(const struct walk *walk, const char *path, int rc, struct mxt_error *err)
{
	const struct mxt_tree_request *request = walk->request;
	if (rc == -ENOMEM || rc == -ECANCELED || !request->passes_over || !err)
		return rc;
	request->passes_over(request->context, path, err);
	mxt_error_clear(err);
	return 0;
}

static int take_name(struct walk *walk, int folder_fd, const char *folder, const char *name, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return 0;
	mxt_buf_puts(&path, folder);
	if (*folder)
		mxt_buf_putc(&path, '/');
	mxt_buf_puts(&path, name);
	int rc = mxt_buf_status(&path, err);
	if (rc < 0 || is_left_out(walk->request, path.data))
		return rc;
	char *copy = strdup(path.data);
	rc = copy ? take(walk, folder_fd, name, copy, err) : mxt_error_oom(err);
	return rc < 0 ? pass_over(walk, path.data, rc, err) : 0;
}

/* Opens a folder from the one before where it lies below that: a long chain of folders takes one step for each. */
static int open_folder(struct walk *walk, const char *folder, int *ret_fd)
{
	const char *way = walk->last ? mxt_list_below(walk->last, folder) : NULL;
	int rc = mxt_tree_open_folder(way ? walk->last_fd : walk->root_fd, way ? way : folder, ret_fd);
	mxt_cleanup_close_(&walk->last_fd);
	free(walk->last);
	walk->last_fd = rc == 0 ? fcntl(*ret_fd, F_DUPFD_CLOEXEC, 0) : -1;
	walk->last = walk->last_fd < 0 ? NULL : strdup(folder);
	return rc;
}

static int ask(struct walk *walk, struct mxt_error *err)
{
	const struct mxt_hash_watch *watch = walk->request->watch;
	if (!watch || !watch->progress || watch->progress(watch->context, &(struct mxt_hash_progress){.path = ""}))
		return 0;
	return mxt_error_set(err, -ECANCELED, MXT_E_INTERRUPTED, "stopped while folders were listed");
}

static int walk_folder(struct walk *walk, const char *folder, struct mxt_error *err)
{
	MXT_CLEANUP_CLOSE int fd = -1;
	int rc = ask(walk, err);
	if (rc < 0)
		return rc;
	rc = open_folder(walk, folder, &fd);
	if (rc < 0)
		return read_fault(walk, folder, -rc, err);
	MXT_CLEANUP_DIR DIR *dir = fdopendir(fd);
	if (!dir)
		return read_fault(walk, folder, errno, err);
	(void)mxt_steal_fd(&fd);
	size_t n_names = 0;
	for (;;) {
		errno = 0;
		const struct dirent *entry = readdir(dir);
		if (!entry)
			return errno ? read_fault(walk, folder, errno, err) : 0;
		rc = ++n_names % ASK_EVERY == 0 ? ask(walk, err) : 0;
		if (rc == 0)
			rc = take_name(walk, dirfd(dir), folder, entry->d_name, err);
		if (rc < 0)
			return rc;
	}
}

static int walk_all(struct walk *walk, struct mxt_error *err)
{
	int rc = walk_folder(walk, "", err);
	while (rc == 0 && walk->n_pending > 0) {
		MXT_CLEANUP_FREE char *folder = walk->pending[--walk->n_pending];
		rc = walk_folder(walk, folder, err);
		if (rc < 0)
			rc = pass_over(walk, folder, rc, err);
	}
	return rc;
}

static int list_folder(struct walk *walk, struct mxt_error *err)
{
	int rc = mxt_tree_open_root(walk->root, &walk->root_fd, err);
	if (rc == 0)
		rc = walk_all(walk, err);
	return rc < 0 ? rc : mxt_file_list_sort(walk->list, err);
}

static int list_single(struct walk *walk, const struct stat *status, struct mxt_error *err)
{
	char *path = strdup(strrchr(walk->root, '/') + 1);
	walk->list->single = true;
	return path ? add_file(walk, path, status, err) : mxt_error_oom(err);
}

static int list_root(struct walk *walk, struct mxt_error *err)
{
	struct stat status;
	const char *what = walk->root[1] ? mxt_entry_path_fault(walk->root + 1, strlen(walk->root + 1)) : NULL;
	if (what)
		return name_fault(walk, "", what, err);
	if (stat(walk->root, &status) < 0)
		return read_fault(walk, "", errno, err);
	if (S_ISDIR(status.st_mode))
		return list_folder(walk, err);
	return S_ISREG(status.st_mode) ? list_single(walk, &status, err) : kind_fault(walk, "", status.st_mode, err);
}

int mxt_tree_list(const struct mxt_tree_request *request, struct mxt_file_list *ret_list, struct mxt_error *err)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = {.role = request->role};
	MXT_CLEANUP(walk_finish) struct walk walk = {.request = request, .root_fd = -1, .last_fd = -1, .list = &list};
	list.root = realpath(request->root, NULL);
	walk.root = list.root ? list.root : request->root;
	if (!list.root)
		return errno == ENOMEM ? mxt_error_oom(err) : read_fault(&walk, "", errno, err);
	int rc = list_root(&walk, err);
	if (rc < 0)
		return rc;
	*ret_list = list;
	list = (struct mxt_file_list)MXT_FILE_LIST_INIT;
	return 0;
}
