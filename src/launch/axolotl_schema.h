/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys that Axolotl's schemas declare, collected file by file.
 */
#ifndef MXT_LAUNCH_AXOLOTL_SCHEMA_H
#define MXT_LAUNCH_AXOLOTL_SCHEMA_H

#include <stddef.h>

#include "compiler.h"

struct mxt_axolotl_key;
struct mxt_axolotl_schema;
struct mxt_error;

int mxt_axolotl_schema_create(struct mxt_axolotl_schema **ret_schema, struct mxt_error *err) MXT_WUR;
void mxt_axolotl_schema_destroy(struct mxt_axolotl_schema *schema);

/*
 * Takes in what one Python source declares; `plugin`: the integration that it belongs to, NULL for Axolotl's own. Any
 * bytes will do. 0 or -ENOMEM.
 */
int mxt_axolotl_schema_take(struct mxt_axolotl_schema *schema, const char *plugin, const char *source, size_t len,
			    struct mxt_error *err) MXT_WUR;

/*
 * The keys, sorted, each once; mxt_axolotl_keys_destroy(). At the top are the fields of AxolotlInputConfig and of the
 * classes that it derives from (of all classes, where there is none of that name), and those of integrations. NULL and
 * 0 when nothing was declared.
 */
int mxt_axolotl_schema_keys(struct mxt_axolotl_schema *schema, struct mxt_axolotl_key **ret_keys, size_t *ret_count,
			    struct mxt_error *err) MXT_WUR;

#endif
