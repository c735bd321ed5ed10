/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the loader of this machine looks for shared libraries, in its order: LD_LIBRARY_PATH, the folders of
 * /etc/ld.so.conf and what it includes, the built-in ones. The loader's cache holds the same in a form that is private
 * to it.
 */
#ifndef MXT_BASE_LIBRARY_FOLDERS_H
#define MXT_BASE_LIBRARY_FOLDERS_H

#include "sysroot_tree.h"

struct mxt_error;
struct mxt_sysroot;

/*
 * `search_path`: the value of LD_LIBRARY_PATH, or NULL; relative folders in it are left out. *ret_folders holds
 * absolute paths of the machine under `root`.
 */
int mxt_library_folders(const struct mxt_sysroot *root, const char *search_path, struct mxt_name_list *ret_folders,
			struct mxt_error *err) MXT_WUR;

#endif
