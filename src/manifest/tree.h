/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders as lists: what lies below a folder, and opening what was listed, without ever leaving it. Symbolic links are
 * not followed; each part of a path is opened relative to the one before, so that paths may be longer than PATH_MAX
 * and a folder that is swapped for a link meanwhile leads nowhere.
 */
#ifndef MXT_MANIFEST_TREE_H
#define MXT_MANIFEST_TREE_H

#include <limits.h>

#include "compiler.h"
#include "file_list.h"

struct mxt_error;
struct mxt_hash_watch;

struct mxt_tree_request {
	const char *root; /* a folder, or a file; itself it may be a link */
	enum mxt_list_role role;
	const char *const *left_out; /* NULL-ended: paths relative to the root that are not listed, nor what is below
					them; NULL: none */
	/* Told of what cannot be listed, below the root; the rest is listed without it. NULL: it is an error. */
	void (*passes_over)(void *context, const char *path, const struct mxt_error *err);
	void *context;
	const struct mxt_hash_watch *watch; /* asked, without numbers, whether to go on; NULL: nobody is */
};

/*
 * Everything below the root but the record itself (mxt_list_is_record()), sorted, not yet hashed. Names with a newline
 * (MXT_E_LIST_PATH), sockets, devices, FIFOs (MXT_E_TREE_KIND), folders that cannot be read (MXT_E_TREE_READ) and what
 * goes away meanwhile (MXT_E_TREE_CHANGED) are errors that name it; files are looked at, not opened. Folders that hold
 * nothing leave no trace. The root of a list is absolute, as realpath(3) says. -ECANCELED: `watch` ended it.
 *
 * In a snapshot of the Hugging Face cache, links into its blobs count as files (hub_blob.h).
 */
int mxt_tree_list(const struct mxt_tree_request *request, struct mxt_file_list *ret_list,
		  struct mxt_error *err) MXT_WUR;

/*
 * Opens the root of a list, a folder; of a single file, the folder that it lies in. The descriptor is for what takes a
 * path relative to it (O_PATH). MXT_E_TREE_READ.
 */
int mxt_tree_open_root(const char *root, int *ret_fd, struct mxt_error *err) MXT_WUR;

/*
 * Opens a regular file below the root for reading. 0 or -errno: -ELOOP for a link, -ENOTDIR where the path leads
 * through one, or through a file, -EINVAL for what is no file. A FIFO or a device is not opened.
 */
int mxt_tree_open(int root_fd, const char *path, int *ret_fd) MXT_WUR;

/* The same for a folder ("": the root) that is to be read, and for the text of a link in an open folder. */
int mxt_tree_open_folder(int root_fd, const char *path, int *ret_fd) MXT_WUR;
int mxt_tree_read_link(int folder_fd, const char *name, char ret_target[PATH_MAX]) MXT_WUR;

#endif
