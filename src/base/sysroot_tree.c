/* SPDX-License-Identifier: Apache-2.0 */
#include "sysroot_tree.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "sysroot.h"

#define MAX_LINKS 40

void mxt_name_list_finish(struct mxt_name_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct mxt_name_list)MXT_NAME_LIST_INIT;
}

static int add_name(struct mxt_name_list *list, size_t *capacity, const char *name)
{
	char **names = mxt_array_reserve(list->names, list->count, capacity, sizeof *names);
	if (!names)
		return -ENOMEM;
	list->names = names;
	char *copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	names[list->count++] = copy;
	return 0;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int tell_tap(const struct mxt_sysroot *root, const char *path, const struct mxt_name_list *list)
{
	for (size_t i = 0; root->tap && i < list->count; i++) {
		MXT_CLEANUP_BUF struct mxt_buf name = MXT_BUF_INIT;
		mxt_buf_printf(&name, "%s/%s", path, list->names[i]);
		if (mxt_buf_status(&name, NULL) < 0)
			return -ENOMEM;
		root->tap->seen(root->tap->context, mxt_buf_text(&name));
	}
	return 0;
}

int mxt_sysroot_list(const struct mxt_sysroot *root, const char *path, size_t max, struct mxt_name_list *ret_list,
		     struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *full = mxt_sysroot_path(root, path);
	if (!full)
		return mxt_error_oom(err);
	MXT_CLEANUP_DIR DIR *dir = opendir(full);
	if (!dir)
		return mxt_error_errno(err, errno, "cannot list %s", full);
	MXT_CLEANUP_NAMES struct mxt_name_list list = MXT_NAME_LIST_INIT;
	size_t capacity = 0;
	for (const struct dirent *entry; list.count < max && (entry = readdir(dir));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (add_name(&list, &capacity, entry->d_name) < 0)
			return mxt_error_oom(err);
	}
	if (list.count)
		qsort(list.names, list.count, sizeof *list.names, by_bytes);
	if (tell_tap(root, path, &list) < 0)
		return mxt_error_oom(err);
	*ret_list = list;
	list = (struct mxt_name_list)MXT_NAME_LIST_INIT;
	return 0;
}

/* What is resolved so far ("" is the root), and what is still to be walked. */
struct walk {
	const struct mxt_sysroot *root;
	struct mxt_buf done, rest;
	unsigned links;
};

static void walk_finish(struct walk *walk)
{
	mxt_buf_finish(&walk->done);
	mxt_buf_finish(&walk->rest);
}

static void drop_last(struct mxt_buf *done)
{
	const char *slash = done->len ? strrchr(done->data, '/') : NULL;
	if (slash)
		mxt_buf_truncate(done, (size_t)(slash - done->data));
}

/* Takes the first component off the rest; false at the end. */
static bool next_component(struct mxt_buf *rest, char component[NAME_MAX + 1], bool *ret_too_long)
{
	const char *text = mxt_buf_text(rest);
	const char *start = text + strspn(text, "/");
	size_t len = strcspn(start, "/");
	*ret_too_long = len > NAME_MAX;
	if (len == 0 || *ret_too_long)
		return false;
	memcpy(component, start, len);
	component[len] = '\0';
	size_t used = (size_t)(start - text) + len;
	memmove(rest->data, rest->data + used, rest->len - used + 1);
	rest->len -= used;
	return true;
}

/* The target of the link at `done`; -EINVAL when it is none. */
static int read_link(const struct walk *walk, char target[PATH_MAX])
{
	MXT_CLEANUP_FREE char *full = mxt_sysroot_path(walk->root, mxt_buf_text(&walk->done));
	if (!full)
		return -ENOMEM;
	ssize_t len = readlink(full, target, PATH_MAX - 1);
	if (len < 0)
		return errno == ENOMEM ? -ENOMEM : -EINVAL;
	target[len] = '\0';
	return 0;
}

/* Puts a link's target in front of the rest, and leaves the folder that the target is relative to. */
static int follow(struct walk *walk, const char *target)
{
	if (++walk->links > MAX_LINKS)
		return -ELOOP;
	if (strlen(target) + walk->rest.len > PATH_MAX)
		return -ENAMETOOLONG;
	if (target[0] == '/')
		mxt_buf_truncate(&walk->done, 0);
	else
		drop_last(&walk->done);
	MXT_CLEANUP_BUF struct mxt_buf rest = MXT_BUF_INIT;
	mxt_buf_printf(&rest, "%s/%s", target, mxt_buf_text(&walk->rest));
	struct mxt_buf old = walk->rest;
	walk->rest = rest;
	rest = old;
	return mxt_buf_status(&walk->rest, NULL);
}

static int step(struct walk *walk, const char *component)
{
	if (strcmp(component, ".") == 0)
		return 0;
	if (strcmp(component, "..") == 0) {
		drop_last(&walk->done);
		return 0;
	}
	mxt_buf_printf(&walk->done, "/%s", component);
	if (walk->done.len > PATH_MAX)
		return -ENAMETOOLONG;
	int rc = mxt_buf_status(&walk->done, NULL);
	if (rc < 0)
		return rc;
	char target[PATH_MAX];
	rc = read_link(walk, target);
	return rc == -EINVAL ? 0 : rc < 0 ? rc : follow(walk, target);
}

int mxt_sysroot_resolve(const struct mxt_sysroot *root, const char *path, char **ret_path, struct mxt_error *err)
{
	MXT_CLEANUP(walk_finish) struct walk walk = {root, MXT_BUF_INIT, MXT_BUF_INIT, 0};
	mxt_buf_puts(&walk.rest, path);
	char component[NAME_MAX + 1];
	bool too_long = false;
	int rc = mxt_buf_status(&walk.rest, err);
	while (rc == 0 && next_component(&walk.rest, component, &too_long))
		rc = step(&walk, component);
	if (rc == 0 && too_long)
		rc = -ENAMETOOLONG;
	if (rc < 0)
		return mxt_error_errno(err, -rc, "cannot follow %s%s", root->prefix, path);
	if (walk.done.len == 0)
		mxt_buf_puts(&walk.done, "/");
	char *resolved = mxt_buf_steal(&walk.done);
	if (!resolved)
		return mxt_error_oom(err);
	*ret_path = resolved;
	return 0;
}
