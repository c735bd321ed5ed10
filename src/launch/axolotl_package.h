/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Axolotl that is installed for a Python: its version and the keys that it knows, by its files; nothing is
 * imported.
 */
#ifndef MXT_LAUNCH_AXOLOTL_PACKAGE_H
#define MXT_LAUNCH_AXOLOTL_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "python_packages.h"

struct mxt_error;
struct mxt_python;
struct mxt_sysroot;

struct mxt_axolotl_package {
	char version[MXT_PACKAGE_TEXT]; /* "0.19.0"; "" when none is installed */
	char *folder;                   /* owned: .../site-packages/axolotl; NULL when its sources were not found */
	char **keys; /* owned, sorted: fields that its schemas declare, at any level; NULL: not known */
	size_t n_keys;
};
#define MXT_AXOLOTL_PACKAGE_INIT                                                                                       \
	{                                                                                                              \
		.folder = NULL                                                                                         \
	}

/* 0 also when there is none. Fails for memory only. */
int mxt_axolotl_package_find(const struct mxt_sysroot *root, const struct mxt_python *python,
			     const struct mxt_python_packages *packages, struct mxt_axolotl_package *ret_package,
			     struct mxt_error *err) MXT_WUR;
void mxt_axolotl_package_finish(struct mxt_axolotl_package *package);

bool mxt_axolotl_package_knows(const struct mxt_axolotl_package *package, const char *key);

#endif
