/* SPDX-License-Identifier: Apache-2.0 */
#include "axolotl_value.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "error.h"
#include "number.h"
#include "printable.h"
#include "yaml_tree.h"

const struct mxt_yaml_node *mxt_axolotl_get(const struct mxt_axolotl_map *map, const char *key)
{
	const struct mxt_yaml_node *node = mxt_yaml_get(map->root, key);
	return node && node->value.kind != MXT_YAML_NULL ? node : NULL;
}

bool mxt_axolotl_value_is_set(const struct mxt_yaml_node *node)
{
	switch (node->value.kind) {
	case MXT_YAML_NULL:
		return false;
	case MXT_YAML_BOOL:
		return node->value.boolean;
	case MXT_YAML_INT:
		return node->value.integer != 0;
	case MXT_YAML_FLOAT:
		return node->value.real != 0;
	case MXT_YAML_STRING:
		return node->len > 0;
	case MXT_YAML_SEQUENCE:
	case MXT_YAML_MAPPING:
		return node->count > 0;
	default:
		return true;
	}
}

bool mxt_axolotl_is_set(const struct mxt_axolotl_map *map, const char *key)
{
	const struct mxt_yaml_node *node = mxt_axolotl_get(map, key);
	return node && mxt_axolotl_value_is_set(node);
}

int mxt_axolotl_refuse(const struct mxt_axolotl_map *map, const char *key, const struct mxt_yaml_node *node,
		       const char *what)
{
	char shown[MXT_PRINTABLE_SIZE];
	bool scalar = node->text != NULL;
	return mxt_error_set(map->err, -EINVAL, MXT_E_YAML_VALUE, "%s:%zu: %s is %s%s%s%s; it must be %s", map->name,
			     node->line, key, mxt_yaml_kind_name(node->value.kind), scalar ? " (" : "",
			     scalar ? mxt_printable(node->text, shown) : "", scalar ? ")" : "", what);
}

/* Whole numbers, and fractions and texts that hold one. */
static bool as_integer(const struct mxt_yaml_node *node, int64_t *ret_value)
{
	switch (node->value.kind) {
	case MXT_YAML_INT:
		*ret_value = node->value.integer;
		return true;
	case MXT_YAML_FLOAT:
		if (!(fabs(node->value.real) < 0x1p53) || trunc(node->value.real) != node->value.real)
			return false;
		*ret_value = (int64_t)node->value.real;
		return true;
	case MXT_YAML_STRING:
		return mxt_parse_i64_in(node->text, INT64_MIN + 1, INT64_MAX, ret_value) == 0;
	default:
		return false;
	}
}

int mxt_axolotl_int(const struct mxt_axolotl_map *map, const char *key, int32_t min, int32_t max, int32_t *ret_value)
{
	const struct mxt_yaml_node *node = mxt_axolotl_get(map, key);
	int64_t value = 0;
	if (!node)
		return 0;
	if (as_integer(node, &value) && value >= min && value <= max) {
		*ret_value = (int32_t)value;
		return 0;
	}
	char what[96];
	(void)snprintf(what, sizeof what, "a whole number from %" PRId32 " to %" PRId32 ", in digits", min, max);
	return mxt_axolotl_refuse(map, key, node, what);
}

static bool is_word(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strcasecmp(text, *words) == 0)
			return true;
	return false;
}

/* 1, 0, or -1 for neither. */
static int as_boolean(const struct mxt_yaml_node *node)
{
	static const char *const yes[] = {"true", "yes", "on", "t", "y", "1", NULL};
	static const char *const no[] = {"false", "no", "off", "f", "n", "0", NULL};
	int64_t number = -1;
	if (node->value.kind == MXT_YAML_BOOL)
		return node->value.boolean ? 1 : 0;
	if (node->value.kind == MXT_YAML_STRING)
		return is_word(node->text, yes) ? 1 : is_word(node->text, no) ? 0 : -1;
	return as_integer(node, &number) && (number == 0 || number == 1) ? (int)number : -1;
}

int mxt_axolotl_bool(const struct mxt_axolotl_map *map, const char *key, bool *ret_value)
{
	const struct mxt_yaml_node *node = mxt_axolotl_get(map, key);
	if (!node)
		return 0;
	int truth = as_boolean(node);
	if (truth < 0)
		return mxt_axolotl_refuse(map, key, node, "true or false");
	*ret_value = truth > 0;
	return 0;
}

int mxt_axolotl_text(const struct mxt_axolotl_map *map, const char *key, const char **ret_value)
{
	const struct mxt_yaml_node *node = mxt_axolotl_get(map, key);
	if (!node)
		return 0;
	if (node->value.kind != MXT_YAML_STRING || node->len == 0)
		return mxt_axolotl_refuse(map, key, node, "a text; quote it if it looks like a number");
	*ret_value = node->text;
	return 0;
}
