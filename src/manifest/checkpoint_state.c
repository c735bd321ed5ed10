/* SPDX-License-Identifier: Apache-2.0 */
#include "checkpoint_state.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "affix.h"
#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "file.h"
#include "file_list.h"
#include "json.h"
#include "safetensors.h"
#include "tree.h"

#define ZIP_END_BYTES 22 /* APPNOTE.TXT 4.3.16, without a comment: torch writes none */

/* The file that is looked at. */
struct subject {
	int root_fd, fd;
	const struct mxt_file_list *list;
	const struct mxt_file_entry *entry;
};

static int refuse(const struct subject *s, const char *why, struct mxt_error *err)
{
	return mxt_error_set(err, -EBADMSG, MXT_E_CHECKPOINT_PARTIAL, "%s %s", s->entry->path, why);
}

/* ---- one kind of file each ---- */

static int check_safetensors(const struct subject *s, struct mxt_error *err)
{
	MXT_CLEANUP_SAFETENSORS struct mxt_safetensors *header = NULL;
	return mxt_safetensors_read(s->fd, s->entry->path, &header, err);
}

static bool has_bytes_at(const struct subject *s, uint64_t offset, const char bytes[4])
{
	char read[4];
	return mxt_file_read_at(s->fd, read, sizeof read, offset) == sizeof read && memcmp(read, bytes, 4) == 0;
}

/* What was allocated and never written reads as zeros; neither a zip archive nor a pickle begins with one. */
static int check_torch(const struct subject *s, struct mxt_error *err)
{
	uint64_t size = (uint64_t)s->entry->size;
	if (size == 0)
		return refuse(s, "is empty", err);
	if (has_bytes_at(s, 0, "\0\0\0\0"))
		return refuse(s, "begins with zeros: it was not written to its end", err);
	if (!has_bytes_at(s, 0, "PK\3\4"))
		return 0;
	if (size < ZIP_END_BYTES || !has_bytes_at(s, size - ZIP_END_BYTES, "PK\5\6"))
		return refuse(s, "has no end: it is still being written, or was cut", err);
	return 0;
}

static int check_trainer_state(const struct subject *s, struct mxt_error *err)
{
	char end[64];
	uint64_t size = (uint64_t)s->entry->size;
	size_t want = size < sizeof end ? (size_t)size : sizeof end;
	size_t got = mxt_file_read_at(s->fd, end, want, size - want);
	while (got > 0 && strchr(" \t\r\n", end[got - 1]))
		got--;
	return got > 0 && end[got - 1] == '}' ? 0 : refuse(s, "has no end: it is still being written, or was cut", err);
}

/* The parts lie beside their index. */
static int check_part(const struct subject *s, const char *part, struct mxt_error *err)
{
	const char *path = s->entry->path, *slash = strrchr(path, '/');
	MXT_CLEANUP_BUF struct mxt_buf beside = MXT_BUF_INIT;
	mxt_buf_append(&beside, path, slash ? (size_t)(slash + 1 - path) : 0);
	mxt_buf_puts(&beside, part);
	int rc = mxt_buf_status(&beside, err);
	if (rc < 0 || mxt_file_list_find(s->list, beside.data))
		return rc;
	return mxt_error_set(err, -EBADMSG, MXT_E_CHECKPOINT_PARTIAL, "%s names %s, which is not there", path, part);
}

static int check_parts(const struct subject *s, const json_t *map, struct mxt_error *err)
{
	const char *last = "", *weight;
	json_t *part;
	json_object_foreach((json_t *)map, weight, part)
	{
		const char *name = json_string_value(part);
		if (!name)
			return refuse(s, "names a part that is no text", err);
		int rc = strcmp(name, last) == 0 ? 0 : check_part(s, name, err);
		if (rc < 0)
			return rc;
		last = name; /* neighbours are often in one part */
	}
	return 0;
}

static int check_index(const struct subject *s, struct mxt_error *err)
{
	if (s->entry->size > (int64_t)MXT_JSON_MAX_BYTES) /* of some hundred thousand tensors */
		return 0;
	size_t size = (size_t)s->entry->size;
	MXT_CLEANUP_FREE char *text = malloc(size + 1);
	MXT_CLEANUP_ERROR struct mxt_error why = MXT_ERROR_INIT;
	MXT_CLEANUP_JSON json_t *index = NULL;
	if (!text)
		return mxt_error_oom(err);
	size_t got = mxt_file_read_at(s->fd, text, size, 0);
	int rc = mxt_json_parse(s->entry->path, text, got, MXT_JSON_FOREIGN, &index, &why);
	if (rc == -ENOMEM)
		return mxt_error_oom(err);
	if (rc < 0)
		return mxt_error_set(err, -EBADMSG, MXT_E_CHECKPOINT_PARTIAL, "%s", mxt_error_text(&why));
	return check_parts(s, json_object_get(index, "weight_map"), err);
}

/* ---- all of them ---- */

struct kind {
	const char *ending;
	int (*check)(const struct subject *s, struct mxt_error *err);
};

static const struct kind kinds[] = {
    {".safetensors", check_safetensors},
    {".index.json", check_index},
    {".pt", check_torch},
    {".pth", check_torch},
    {".bin", check_torch},
    {"trainer_state.json", check_trainer_state},
};

static const struct kind *kind_of(const char *path)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(kinds); i++)
		if (mxt_has_suffix(path, kinds[i].ending))
			return &kinds[i];
	return NULL;
}

static int check_entry(int root_fd, const struct mxt_file_list *list, const struct mxt_file_entry *entry,
		       struct mxt_error *err)
{
	const struct kind *kind = entry->kind == MXT_ENTRY_FILE ? kind_of(entry->path) : NULL;
	MXT_CLEANUP_CLOSE int fd = -1;
	if (!kind)
		return 0;
	int rc = mxt_tree_open(root_fd, entry->path, &fd);
	if (rc < 0)
		return mxt_error_set(err, rc, rc == -ENOENT ? MXT_E_TREE_CHANGED : MXT_E_TREE_READ,
				     "%s cannot be opened: %s", entry->path, strerror(-rc));
	const struct subject subject = {root_fd, fd, list, entry};
	return kind->check(&subject, err);
}

int mxt_checkpoint_check(int root_fd, const struct mxt_file_list *list, struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < list->count && rc == 0; i++)
		rc = check_entry(root_fd, list, &list->entries[i], err);
	return rc < 0 ? mxt_error_wrap(err, rc, "%s", list->root) : 0;
}

int mxt_checkpoint_check_folder(const char *folder, struct mxt_error *err)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	MXT_CLEANUP_CLOSE int root_fd = -1;
	const struct mxt_tree_request request = {.root = folder, .role = MXT_LIST_CHECKPOINT};
	int rc = mxt_tree_list(&request, &list, err);
	if (rc == 0)
		rc = mxt_tree_open_root(list.root, &root_fd, err);
	return rc < 0 ? rc : mxt_checkpoint_check(root_fd, &list, err);
}
