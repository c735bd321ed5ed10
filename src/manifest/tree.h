/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders as lists: what lies below a folder, and opening what was listed, without ever leaving it. Symbolic links are
 * not followed; each part of a path is opened relative to the one before, so that paths may be longer than PATH_MAX
 * and a folder that is swapped for a link meanwhile leads nowhere.
 */
#ifndef MXT_MANIFEST_TREE_H
#define MXT_MANIFEST_TREE_H

#include <stddef.h>

#include "compiler.h"
#include "file_list.h"

struct mxt_error;

struct mxt_tree_request {
	const char *root; /* a folder, or a file; itself it may be a link */
	enum mxt_list_role role;
	const char *const *left_out; /* NULL-ended: paths relative to the root that are not listed, nor what is below
					them; NULL: none */
};

/*
 * Everything below the root, sorted, not yet hashed. Names with a newline (MXT_E_LIST_PATH), sockets, devices, FIFOs
 * (MXT_E_TREE_KIND) and what cannot be read (MXT_E_TREE_READ) are errors that name it. Folders that hold nothing leave
 * no trace. The root of a list is absolute, as realpath(3) says.
 *
 * In a repository of the Hugging Face cache (models--* or datasets--*), snapshots/REVISION holds links into blobs: with
 * such a folder as root they count as files with the content of the blob.
 */
int mxt_tree_list(const struct mxt_tree_request *request, struct mxt_file_list *ret_list,
		  struct mxt_error *err) MXT_WUR;

/* Opens the root of a list, a folder; of a single file, the folder that it lies in. */
int mxt_tree_open_root(const char *root, int *ret_fd, struct mxt_error *err) MXT_WUR;

/* Opens a regular file below the root for reading. 0 or -errno: -ELOOP for a link, -EFTYPE-like -EINVAL for no file. */
int mxt_tree_open(int root_fd, const char *path, int *ret_fd) MXT_WUR;

#endif
