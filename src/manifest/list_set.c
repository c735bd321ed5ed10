/* SPDX-License-Identifier: Apache-2.0 */
#include "list_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "list_scope.h"
#include "tree.h"

void mxt_list_set_finish(struct mxt_list_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		mxt_file_list_finish(&set->lists[i]);
	free(set->lists);
	*set = (struct mxt_list_set)MXT_LIST_SET_INIT;
}

/* ---- places ---- */

static bool has(const struct mxt_list_set *set, enum mxt_list_role role, const char *root)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->lists[i].role == role && strcmp(set->lists[i].root, root) == 0)
			return true;
	return false;
}

/* A manifest would be told to list itself as data, and hold no more once it is written. */
static bool is_of_record(const struct mxt_list_set *set, const char *place)
{
	const char *run = set->count > 0 && set->lists[0].role == MXT_LIST_RUN ? set->lists[0].root : NULL;
	const char *path = run ? mxt_list_below(run, place) : NULL;
	return run && (strcmp(run, place) == 0 || (path && mxt_list_is_record(MXT_LIST_RUN, path)));
}

int mxt_list_set_add(struct mxt_list_set *set, enum mxt_list_role role, const char *root, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char *real = realpath(root, NULL);
	if (!real)
		return errno == ENOMEM ? mxt_error_oom(err) : -errno;
	if (has(set, role, real))
		return 0;
	if (role == MXT_LIST_DATASET && is_of_record(set, real))
		return -EEXIST;
	struct mxt_file_list *lists = mxt_array_reserve(set->lists, set->count, &set->capacity, sizeof *lists);
	if (!lists)
		return mxt_error_oom(err);
	set->lists = lists;
	lists[set->count++] = (struct mxt_file_list){.role = role, .root = mxt_steal_ptr(&real)};
	return 0;
}

/* ---- listing ---- */

/* Lists the place of set->lists[i] as it is now. */
static int list_one(const struct mxt_list_set *set, const char *const *roots, size_t i,
		    const struct mxt_hash_watch *watch, struct mxt_file_list *ret_list, struct mxt_error *err)
{
	MXT_CLEANUP_FREE const char **left_out = NULL;
	int rc = mxt_list_scope(roots, set->count, i, &left_out, err);
	if (rc < 0)
		return rc;
	const struct mxt_tree_request request = {
	    .root = roots[i], .role = set->lists[i].role, .left_out = left_out, .watch = watch};
	return mxt_tree_list(&request, ret_list, err);
}

/* Borrowed from the lists, for the caller to free. */
static const char **roots_of(const struct mxt_list_set *set, struct mxt_error *err)
{
	const char **roots = calloc(set->count + 1, sizeof *roots);
	for (size_t i = 0; roots && i < set->count; i++)
		roots[i] = set->lists[i].root;
	if (!roots)
		(void)mxt_error_oom(err);
	return roots;
}

int mxt_list_set_fill(struct mxt_list_set *set, const struct mxt_hash_watch *watch, struct mxt_error *err)
{
	MXT_CLEANUP_LIST_SET struct mxt_list_set filled = MXT_LIST_SET_INIT;
	MXT_CLEANUP_FREE const char **roots = roots_of(set, err);
	filled.lists = calloc(set->count + 1, sizeof *filled.lists);
	if (!roots || !filled.lists)
		return mxt_error_oom(err);
	filled.capacity = set->count + 1;
	for (size_t i = 0; i < set->count; i++) {
		int rc = list_one(set, roots, i, watch, &filled.lists[i], err);
		if (rc < 0)
			return rc;
		filled.count++;
	}
	const struct mxt_list_set empty = *set;
	*set = filled;
	filled = empty;
	return 0;
}

/* ---- hashing ---- */

/* One list's progress as a part of all. */
struct share {
	const struct mxt_hash_watch *watch;
	uint64_t bytes_before, bytes_total;
	size_t files_before, files_total;
};

static bool pass_on(void *context, const struct mxt_hash_progress *progress)
{
	const struct share *share = context;
	const struct mxt_hash_progress whole = {.bytes_done = share->bytes_before + progress->bytes_done,
						.bytes_total = share->bytes_total,
						.files_done = share->files_before + progress->files_done,
						.files_total = share->files_total,
						.path = progress->path};
	return share->watch->progress(share->watch->context, &whole);
}

/* `part` passes on to `share`. */
static int hash_all(struct mxt_list_set *set, unsigned threads, struct share *share, const struct mxt_hash_watch *part,
		    struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < set->count; i++) {
		share->bytes_total += mxt_file_list_bytes(&set->lists[i]);
		share->files_total += mxt_file_list_files(&set->lists[i]);
	}
	for (size_t i = 0; rc == 0 && i < set->count; i++) {
		rc = mxt_hash_list(&set->lists[i], threads, part, err);
		share->bytes_before += mxt_file_list_bytes(&set->lists[i]);
		share->files_before += mxt_file_list_files(&set->lists[i]);
	}
	return rc;
}

/* ---- looking again ---- */

static int changed(const struct mxt_file_list *list, const char *path, const char *how, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf shown = MXT_BUF_INIT;
	mxt_entry_place_show(list->root, list->single ? "" : path, &shown);
	int rc = mxt_buf_status(&shown, err);
	if (rc < 0)
		return rc;
	return mxt_error_set(err, -ESTALE, MXT_E_TREE_CHANGED,
			     "%s %s while the files were hashed; try again when nothing writes there", shown.data, how);
}

static bool same_link(const struct mxt_file_entry *a, const struct mxt_file_entry *b)
{
	return strcmp(a->target ? a->target : "", b->target ? b->target : "") == 0;
}

static bool same(const struct mxt_file_entry *a, const struct mxt_file_entry *b)
{
	return a->kind == b->kind && mxt_file_identity_equal(&a->seen, &b->seen) && same_link(a, b);
}

/* Both are sorted by the bytes of their paths: what only one of them has comes first somewhere. */
static int compare(const struct mxt_file_list *then, const struct mxt_file_list *now, struct mxt_error *err)
{
	size_t n = then->count < now->count ? then->count : now->count;
	for (size_t i = 0; i < n; i++) {
		const struct mxt_file_entry *a = &then->entries[i], *b = &now->entries[i];
		int order = strcmp(a->path, b->path);
		if (order != 0)
			return changed(then, order < 0 ? a->path : b->path, order < 0 ? "went" : "came", err);
		if (!same(a, b))
			return changed(then, a->path, "changed", err);
	}
	if (then->count > n)
		return changed(then, then->entries[n].path, "went", err);
	return now->count > n ? changed(then, now->entries[n].path, "came", err) : 0;
}

static int look_again(const struct mxt_list_set *set, const struct mxt_hash_watch *watch, struct mxt_error *err)
{
	MXT_CLEANUP_FREE const char **roots = roots_of(set, err);
	int rc = roots ? 0 : -ENOMEM;
	for (size_t i = 0; rc == 0 && i < set->count; i++) {
		MXT_CLEANUP_FILE_LIST struct mxt_file_list now = MXT_FILE_LIST_INIT;
		rc = list_one(set, roots, i, watch, &now, err);
		if (rc == 0)
			rc = compare(&set->lists[i], &now, err);
	}
	return rc;
}

int mxt_list_set_hash(struct mxt_list_set *set, unsigned threads, const struct mxt_hash_watch *watch,
		      struct mxt_error *err)
{
	struct share share = {.watch = watch};
	const struct mxt_hash_watch part = {watch && watch->progress ? pass_on : NULL, &share};
	int rc = hash_all(set, threads, &share, &part, err);
	return rc == 0 ? look_again(set, &part, err) : rc;
}
