/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Axolotl that is installed for a Python: its version and the keys that it knows, by its files; nothing is
 * imported. Its schemas are pydantic classes: utils/schemas since 0.9, utils/config/models from 0.4 on, and one args.py
 * for each of its integrations, which is read only when `plugins` names that.
 */
#ifndef MXT_LAUNCH_AXOLOTL_PACKAGE_H
#define MXT_LAUNCH_AXOLOTL_PACKAGE_H

#include <stddef.h>

#include "axolotl_key.h"
#include "compiler.h"
#include "python_packages.h"

struct mxt_error;
struct mxt_python;
struct mxt_sysroot;

struct mxt_axolotl_package {
	char version[MXT_PACKAGE_TEXT]; /* "0.19.0"; "" when none is installed */
	char *folder;                   /* owned: .../site-packages/axolotl; NULL when its sources were not found */
	struct mxt_axolotl_key *keys;   /* owned, sorted by name; NULL: not known */
	size_t n_keys;
};
#define MXT_AXOLOTL_PACKAGE_INIT                                                                                       \
	{                                                                                                              \
		.folder = NULL                                                                                         \
	}

/* 0 also when there is none. Fails for memory only. Takes some milliseconds. */
int mxt_axolotl_package_find(const struct mxt_sysroot *root, const struct mxt_python *python,
			     const struct mxt_python_packages *packages, struct mxt_axolotl_package *ret_package,
			     struct mxt_error *err) MXT_WUR;
void mxt_axolotl_package_finish(struct mxt_axolotl_package *package);

/* What its schemas say of a key; NULL: nothing, or no schemas were found. */
const struct mxt_axolotl_key *mxt_axolotl_package_key(const struct mxt_axolotl_package *package, const char *key);

#endif
