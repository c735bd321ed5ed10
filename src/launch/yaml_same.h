/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether two pieces of YAML mean the same to the trainer's reader: types, values, order. Places and quotes do not
 * count.
 */
#ifndef MXT_LAUNCH_YAML_SAME_H
#define MXT_LAUNCH_YAML_SAME_H

#include <stdbool.h>
#include <stddef.h>

struct mxt_yaml_node;

bool mxt_yaml_same(const struct mxt_yaml_node *a, const struct mxt_yaml_node *b);

/* `list` is a list, and holds a value. */
bool mxt_yaml_holds(const struct mxt_yaml_node *list, const struct mxt_yaml_node *value);

/* `grown` is `list` and one more element, `last`, behind its own. */
bool mxt_yaml_same_but_last(const struct mxt_yaml_node *list, const struct mxt_yaml_node *grown,
			    const struct mxt_yaml_node *last);

/* The members of two maps are the same, and in the same order, apart from one text key that is not looked at. */
bool mxt_yaml_same_but_key(const struct mxt_yaml_node *a, const struct mxt_yaml_node *b, const char *key);

#endif
