/* SPDX-License-Identifier: Apache-2.0 */
#include "file_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "affix.h"
#include "array.h"
#include "b3_name.h"
#include "buf.h"
#include "clean_text.h"
#include "error.h"
#include "run_files.h"

/* Times that are out of range, which anybody may give a file, become others, and none is lost. */
static int64_t in_ns(const struct timespec *time)
{
	return (int64_t)((uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec);
}

struct mxt_file_identity mxt_file_identity_of(const struct stat *status)
{
	return (struct mxt_file_identity){
	    .device = status->st_dev,
	    .inode = status->st_ino,
	    .size = status->st_size,
	    .mtime_ns = in_ns(&status->st_mtim),
	    .ctime_ns = in_ns(&status->st_ctim),
	};
}

bool mxt_file_identity_equal(const struct mxt_file_identity *a, const struct mxt_file_identity *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size && a->mtime_ns == b->mtime_ns &&
	       a->ctime_ns == b->ctime_ns;
}

static void entry_finish(struct mxt_file_entry *entry)
{
	free(entry->path);
	free(entry->target);
}

void mxt_file_list_finish(struct mxt_file_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		entry_finish(&list->entries[i]);
	free(list->entries);
	free(list->root);
	*list = (struct mxt_file_list)MXT_FILE_LIST_INIT;
}

const char *mxt_list_role_name(enum mxt_list_role role)
{
	static const char *const names[] = {
	    [MXT_LIST_RUN] = "run",
	    [MXT_LIST_DATASET] = "dataset",
	    [MXT_LIST_CHECKPOINT] = "checkpoint",
	};
	return names[role];
}

static const char *part_fault(const char *part, size_t len)
{
	if (len == 0)
		return "it has an empty part";
	if (part[0] != '.' || len > 2)
		return NULL;
	if (len == 1)
		return "it has the part \".\"";
	return part[1] == '.' ? "it has the part \"..\"" : NULL;
}

const char *mxt_entry_path_fault(const char *path, size_t len)
{
	if (len == 0)
		return "it is empty";
	if (len > MXT_ENTRY_PATH_MAX)
		return "it is too long";
	if (path[0] == '/')
		return "it is absolute";
	if (memchr(path, '\n', len))
		return "it holds a line feed";
	if (memchr(path, '\0', len))
		return "it holds a NUL";
	const char *fault = NULL;
	for (const char *part = path, *end = path + len, *stop; !fault && part <= end; part = stop + 1) {
		const char *slash = memchr(part, '/', (size_t)(end - part));
		stop = slash ? slash : end;
		fault = part_fault(part, (size_t)(stop - part));
	}
	return fault;
}

void mxt_entry_path_show(const char *path, struct mxt_buf *buf)
{
	size_t begin = buf->len;
	mxt_clean_text(buf, path, strlen(path));
	for (size_t i = begin; i < buf->len; i++)
		if (buf->data[i] == '\n')
			buf->data[i] = '?';
}

void mxt_entry_place_show(const char *root, const char *path, struct mxt_buf *buf)
{
	mxt_entry_path_show(root, buf);
	if (*path && root[1])
		mxt_buf_putc(buf, '/');
	mxt_entry_path_show(path, buf);
}

bool mxt_list_is_record(enum mxt_list_role role, const char *path)
{
	static const char temporary[] = ".mindxtrain-"; /* and six more of mkstemp(3) */
	if (role == MXT_LIST_DATASET || strchr(path, '/'))
		return false;
	if (mxt_has_prefix(path, temporary))
		return strlen(path) == sizeof temporary - 1 + 6;
	return mxt_b3_is_name(path) || strcmp(path, MXT_RUN_MANIFEST) == 0 || strcmp(path, MXT_RUN_SIGNATURE) == 0;
}

static size_t parts_before_name(const char *path)
{
	size_t count = 0;
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/'))
		count++;
	return count;
}

bool mxt_link_leads_out(const char *path, const char *target)
{
	if (target[0] == '/')
		return true;
	size_t depth = parts_before_name(path);
	for (const char *part = target; *part;) {
		size_t len = strcspn(part, "/");
		bool stays = len == 0 || (len == 1 && part[0] == '.');
		if (len == 2 && strncmp(part, "..", 2) == 0) {
			if (depth-- == 0)
				return true;
		} else if (!stays) {
			depth++;
		}
		part += len + (part[len] == '/');
	}
	return false;
}

int mxt_file_list_add(struct mxt_file_list *list, const struct mxt_file_entry *entry, struct mxt_error *err)
{
	struct mxt_file_entry *entries =
	    mxt_array_reserve(list->entries, list->count, &list->capacity, sizeof *entries);
	if (!entries) {
		struct mxt_file_entry lost = *entry;
		entry_finish(&lost);
		return mxt_error_oom(err);
	}
	list->entries = entries;
	entries[list->count++] = *entry;
	return 0;
}

static int by_path(const void *a, const void *b)
{
	const struct mxt_file_entry *left = a, *right = b;
	return strcmp(left->path, right->path);
}

static int path_error(const char *path, const char *what, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf name = MXT_BUF_INIT;
	mxt_entry_path_show(path, &name);
	return mxt_error_set(err, -EINVAL, MXT_E_LIST_PATH, "%s: the path %s", mxt_buf_text(&name), what);
}

static size_t common_prefix(const char *a, const char *b)
{
	size_t len = 0;
	while (a[len] && a[len] == b[len])
		len++;
	return len;
}

static struct mxt_file_entry *find(struct mxt_file_entry *entries, size_t count, char *path)
{
	struct mxt_file_entry wanted = {.kind = MXT_ENTRY_FILE};
	wanted.path = path;
	return count ? bsearch(&wanted, entries, count, sizeof wanted, by_path) : NULL;
}

/*
 * Whether one of the folders that an entry lies in is an entry itself, then one of those before it. The entries of a
 * folder stand together: what also holds for the last one before has been looked at.
 */
static bool lies_in_entry(struct mxt_file_entry *entries, size_t i)
{
	bool found = false;
	char *path = entries[i].path;
	size_t known = common_prefix(entries[i - 1].path, path);
	for (char *slash = strchr(path + known, '/'); slash && !found; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		found = find(entries, i, path) != NULL;
		*slash = '/';
	}
	return found;
}

static int order_check(struct mxt_file_entry *entries, size_t i, struct mxt_error *err)
{
	if (strcmp(entries[i - 1].path, entries[i].path) == 0)
		return path_error(entries[i].path, "is in the list twice", err);
	if (lies_in_entry(entries, i))
		return path_error(entries[i].path, "lies below a file or a link of the list", err);
	return 0;
}

static bool is_sorted(const struct mxt_file_list *list)
{
	bool sorted = true;
	for (size_t i = 1; i < list->count && sorted; i++)
		sorted = by_path(&list->entries[i - 1], &list->entries[i]) <= 0;
	return sorted;
}

int mxt_file_list_sort(struct mxt_file_list *list, struct mxt_error *err)
{
	if (!is_sorted(list))
		qsort(list->entries, list->count, sizeof list->entries[0], by_path);
	int rc = 0;
	for (size_t i = 1; i < list->count && rc == 0; i++)
		rc = order_check(list->entries, i, err);
	return rc;
}

const struct mxt_file_entry *mxt_file_list_find(const struct mxt_file_list *list, const char *path)
{
	return find(list->entries, list->count, (char *)path); /* compared only */
}

size_t mxt_file_list_files(const struct mxt_file_list *list)
{
	size_t count = 0;
	for (size_t i = 0; i < list->count; i++)
		count += list->entries[i].kind == MXT_ENTRY_FILE;
	return count;
}

uint64_t mxt_file_list_bytes(const struct mxt_file_list *list)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < list->count; i++)
		if (list->entries[i].kind == MXT_ENTRY_FILE && list->entries[i].size > 0)
			bytes += (uint64_t)list->entries[i].size;
	return bytes;
}
