/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single keys of an Axolotl config, with the conversions of its schema (pydantic's lax mode).
 */
#ifndef MXT_CORE_AXOLOTL_VALUE_H
#define MXT_CORE_AXOLOTL_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

struct mxt_error;
struct mxt_yaml_node;

struct mxt_axolotl_map {
	const char *name; /* file, for messages */
	const struct mxt_yaml_node *root;
	struct mxt_error *err;
};

/* The value; NULL when the key is absent or empty (`key:`), which Axolotl does not tell apart. */
const struct mxt_yaml_node *mxt_axolotl_get(const struct mxt_axolotl_map *map, const char *key);

/* True as Python has it: there, and not false, 0, "", [] or {}. */
bool mxt_axolotl_is_set(const struct mxt_axolotl_map *map, const char *key);
bool mxt_axolotl_value_is_set(const struct mxt_yaml_node *node);

/* Each leaves *ret_value alone when the key is absent or empty. Errors: MXT_E_YAML_VALUE with line and remedy. */
int mxt_axolotl_int(const struct mxt_axolotl_map *map, const char *key, int32_t min, int32_t max,
		    int32_t *ret_value) MXT_WUR;
int mxt_axolotl_bool(const struct mxt_axolotl_map *map, const char *key, bool *ret_value) MXT_WUR;

/* A text; borrowed from the tree. */
int mxt_axolotl_text(const struct mxt_axolotl_map *map, const char *key, const char **ret_value) MXT_WUR;

/* MXT_E_YAML_VALUE: "<file>:<line>: <key> is <what it is>; it must be <what>". */
int mxt_axolotl_refuse(const struct mxt_axolotl_map *map, const char *key, const struct mxt_yaml_node *node,
		       const char *what);

#endif
