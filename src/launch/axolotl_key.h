/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A key of Axolotl's config, as its schemas declare it.
 */
#ifndef MXT_LAUNCH_AXOLOTL_KEY_H
#define MXT_LAUNCH_AXOLOTL_KEY_H

#include <stdbool.h>
#include <stddef.h>

struct mxt_axolotl_key {
	char *name;     /* owned */
	char *plugin;   /* owned: the integration whose args declare it, "liger"; NULL: it needs none */
	bool top;       /* at the top of the config; else only below another key */
	char **members; /* owned, with its texts: what a map below it may hold; NULL: anything, as far as is known */
	size_t n_members;
};

/* A list from malloc(). */
void mxt_axolotl_keys_destroy(struct mxt_axolotl_key *keys, size_t count);

/*
 * Sorts the list by name and makes one of those that have the same: one that may stand at the top wins, then one that
 * needs no integration. Returns how many are left; the others are released.
 */
size_t mxt_axolotl_keys_unite(struct mxt_axolotl_key *keys, size_t count);

#endif
