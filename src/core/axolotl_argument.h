/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments behind Axolotl's config, which change keys of it: --key=value, --key value, --key, --nokey, and
 * --outer__inner=value for a key below another one (python-fire's forms: '-' and '_' are one, and one dash in front
 * is enough).
 */
#ifndef MXT_CORE_AXOLOTL_ARGUMENT_H
#define MXT_CORE_AXOLOTL_ARGUMENT_H

#include <stddef.h>

#include "compiler.h"

struct mxt_error;
struct mxt_yaml_tree;

struct mxt_axolotl_argument {
	char *shown;                /* owned: "--outer__inner", for messages */
	char *key;                  /* owned: "outer" */
	struct mxt_yaml_tree *tree; /* owned: the config that holds this key only; NULL: it cannot be read */
};
#define MXT_AXOLOTL_ARGUMENT_INIT                                                                                      \
	{                                                                                                              \
		NULL, NULL, NULL                                                                                       \
	}
#define MXT_CLEANUP_AXOLOTL_ARGUMENT MXT_CLEANUP(mxt_axolotl_argument_finish)
void mxt_axolotl_argument_finish(struct mxt_axolotl_argument *argument);

/*
 * Reads the first of `arguments` (NULL-ended). Returns how many of them it took, at least 1; ret_argument->key stays
 * NULL when that was none of these forms. -ENOMEM.
 */
int mxt_axolotl_argument_parse(char *const *arguments, struct mxt_axolotl_argument *ret_argument,
			       struct mxt_error *err) MXT_WUR;

#endif
