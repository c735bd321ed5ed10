/* SPDX-License-Identifier: Apache-2.0 */
#include "axolotl_key.h"

#include <stdlib.h>
#include <string.h>

static void finish_key(struct mxt_axolotl_key *key)
{
	for (size_t i = 0; i < key->n_members; i++)
		free(key->members[i]);
	free(key->members);
	free(key->name);
	free(key->plugin);
}

void mxt_axolotl_keys_destroy(struct mxt_axolotl_key *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		finish_key(&keys[i]);
	free(keys);
}

/* Of one name, the declaration that asks least of the config comes first. */
static int compare_keys(const void *a, const void *b)
{
	const struct mxt_axolotl_key *left = a, *right = b;
	int order = strcmp(left->name, right->name);
	if (order == 0)
		order = (int)right->top - (int)left->top;
	return order != 0 ? order : (left->plugin != NULL) - (right->plugin != NULL);
}

size_t mxt_axolotl_keys_unite(struct mxt_axolotl_key *keys, size_t count)
{
	size_t kept = 0;
	qsort(keys, count, sizeof *keys, compare_keys);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || strcmp(keys[kept - 1].name, keys[i].name) != 0)
			keys[kept++] = keys[i];
		else
			finish_key(&keys[i]);
	return kept;
}
