/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folders of a manifest as lists that belong together: all are listed first, then hashed, then looked at again, so
 * that they tell of one state of all files.
 */
#ifndef MXT_MANIFEST_LIST_SET_H
#define MXT_MANIFEST_LIST_SET_H

#include <stddef.h>

#include "compiler.h"
#include "file_list.h"
#include "hash_files.h"

struct mxt_error;

struct mxt_list_set {
	struct mxt_file_list *lists; /* owned */
	size_t count, capacity;
};
#define MXT_LIST_SET_INIT                                                                                              \
	{                                                                                                              \
		NULL, 0, 0                                                                                             \
	}
#define MXT_CLEANUP_LIST_SET MXT_CLEANUP(mxt_list_set_finish)
void mxt_list_set_finish(struct mxt_list_set *set);

/*
 * Takes a folder or file in, still empty. A place that is there already in the same role is no second list. -ENOENT and
 * the like without *err when there is no such place, so that the caller can say what it is of, -EEXIST for a dataset
 * that is the run's own folder, or of the record in it; memory fills *err.
 */
int mxt_list_set_add(struct mxt_list_set *set, enum mxt_list_role role, const char *root,
		     struct mxt_error *err) MXT_WUR;

/*
 * Lists every place, with sizes, for as long as `watch` (or NULL) lets it; what lies below another one's root is that
 * one's (list_scope.h). Errors as from mxt_tree_list().
 */
int mxt_list_set_fill(struct mxt_list_set *set, const struct mxt_hash_watch *watch, struct mxt_error *err) MXT_WUR;

/*
 * Hashes them, `watch` seeing it as one work, and lists them anew: a file that came, went or changed meanwhile is
 * MXT_E_TREE_CHANGED.
 */
int mxt_list_set_hash(struct mxt_list_set *set, unsigned threads, const struct mxt_hash_watch *watch,
		      struct mxt_error *err) MXT_WUR;

#endif
