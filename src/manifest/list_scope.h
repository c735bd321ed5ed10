/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists whose roots lie within each other, such as a run's folder in the one that the training writes to: each file is
 * in one of them, that with the nearest root.
 */
#ifndef MXT_MANIFEST_LIST_SCOPE_H
#define MXT_MANIFEST_LIST_SCOPE_H

#include <stddef.h>

#include "compiler.h"

struct mxt_error;

/* `path` relative to `root`, when it lies below it; else NULL. Both are absolute. */
const char *mxt_list_below(const char *root, const char *path);

/*
 * What the list with roots[i] leaves out: the other roots that lie below it, relative to it. Roots are absolute, as
 * mxt_tree_list() has them. A NULL-ended array of pointers into `roots`, for the caller to free().
 */
int mxt_list_scope(const char *const *roots, size_t n, size_t i, const char ***ret_left_out,
		   struct mxt_error *err) MXT_WUR;

#endif
