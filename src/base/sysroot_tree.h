/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders and symbolic links of a machine under a sysroot. Paths are those of the machine (absolute, without the
 * prefix). A link with an absolute target stays inside the sysroot, as it would after chroot(2).
 */
#ifndef MXT_BASE_SYSROOT_TREE_H
#define MXT_BASE_SYSROOT_TREE_H

#include <stddef.h>

#include "compiler.h"

struct mxt_error;
struct mxt_sysroot;

/* The names in a folder, sorted by bytes, without "." and "..". */
struct mxt_name_list {
	char **names; /* owned */
	size_t count;
};

#define MXT_NAME_LIST_INIT                                                                                             \
	{                                                                                                              \
		NULL, 0                                                                                                \
	}
#define MXT_CLEANUP_NAMES MXT_CLEANUP(mxt_name_list_finish)

void mxt_name_list_finish(struct mxt_name_list *list);

/* At most `max` names; the rest is left out. -ENOENT and other statuses of opendir(3) as errors of their own. */
int mxt_sysroot_list(const struct mxt_sysroot *root, const char *path, size_t max, struct mxt_name_list *ret_list,
		     struct mxt_error *err) MXT_WUR;

/*
 * The path with every link followed and every "." and ".." taken out. Components that do not exist are kept. The caller
 * frees. -ELOOP after 40 links, -ENAMETOOLONG.
 */
int mxt_sysroot_resolve(const struct mxt_sysroot *root, const char *path, char **ret_path,
			struct mxt_error *err) MXT_WUR;

#endif
