/* SPDX-License-Identifier: Apache-2.0 */
#include "result_config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "affix.h"
#include "axolotl_argument.h"
#include "cleanup.h"
#include "error.h"
#include "hash.h"
#include "json.h"
#include "number_text.h"
#include "result_rules.h"
#include "yaml_tree.h"

#define LONGEST_TEXT 1024

static bool is_place(const char *text)
{
	static const char *const starts[] = {"/", "./", "../", "~/"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(starts); i++)
		if (mxt_has_prefix(text, starts[i]))
			return true;
	return false;
}

static json_t *text_value(const char *text, size_t len)
{
	char hex[MXT_HASH_HEX_SIZE];
	if (len > LONGEST_TEXT || !mxt_json_is_text(text)) {
		mxt_hash_hex(text, len, hex);
		return json_pack("{s:s}", "blake3", hex);
	}
	return is_place(text) ? json_pack("{s:b}", "place", 1) : json_string(text);
}

static json_t *number_or_text(const char *text, size_t len)
{
	struct mxt_number_text number;
	if (!mxt_number_text_read(text, &number))
		return text_value(text, len);
	return number.whole ? json_integer(number.value) : json_string(number.text);
}

/* NULL: memory ran out. Null stays for now: an argument may take a key away. */
static json_t *scalar_value(const struct mxt_yaml_node *node)
{
	const struct mxt_yaml_value *value = &node->value;
	bool fits = !value->overflow && value->integer >= -MXT_JSON_MAX_INT && value->integer <= MXT_JSON_MAX_INT;
	switch (value->kind) {
	case MXT_YAML_NULL:
		return json_null();
	case MXT_YAML_BOOL:
		return json_boolean(value->boolean);
	case MXT_YAML_INT:
		return fits ? json_integer(value->integer) : number_or_text(node->text, node->len);
	case MXT_YAML_FLOAT:
	case MXT_YAML_STRING:
		return number_or_text(node->text, node->len);
	default:
		return text_value(node->text ? node->text : "", node->len);
	}
}

/* A key as the canonical form has it; the caller frees. NULL: memory ran out. */
static char *key_text(const struct mxt_yaml_node *key)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_puts(&text, "");
	for (size_t i = 0; key->text && i < key->len; i++) {
		unsigned char c = (unsigned char)key->text[i];
		if (c <= ' ' || c >= 0x7f || c == '%')
			mxt_buf_printf(&text, "%%%02X", c);
		else
			mxt_buf_putc(&text, (char)c);
	}
	return mxt_buf_steal(&text);
}

static json_t *value_of(const struct mxt_yaml_node *node);

static json_t *list_value(const struct mxt_yaml_node *node)
{
	MXT_CLEANUP_JSON json_t *list = json_array();
	bool whole = list;
	for (size_t i = 0; whole && i < node->count; i++)
		whole = json_array_append_new(list, value_of(node->entries[i].value)) == 0;
	return whole ? json_incref(list) : NULL;
}

static json_t *map_value(const struct mxt_yaml_node *node)
{
	MXT_CLEANUP_JSON json_t *map = json_object();
	bool whole = map;
	for (size_t i = 0; whole && i < node->count; i++) {
		MXT_CLEANUP_FREE char *key = key_text(node->entries[i].key);
		whole = key && json_object_set_new(map, key, value_of(node->entries[i].value)) == 0;
	}
	return whole ? json_incref(map) : NULL;
}

static json_t *value_of(const struct mxt_yaml_node *node)
{
	switch (node->value.kind) {
	case MXT_YAML_SEQUENCE:
		return list_value(node);
	case MXT_YAML_MAPPING:
		return map_value(node);
	default:
		return scalar_value(node);
	}
}

/* --outer__inner=value changes a key below another one; any other argument a whole value. */
static int apply(json_t *config, const struct mxt_axolotl_argument *argument, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *change = value_of(mxt_yaml_tree_root(argument->tree));
	if (!change)
		return mxt_error_oom(err);
	json_t *outer = json_object_get(config, argument->key);
	bool below = strstr(argument->shown + 1, "__") && json_is_object(outer);
	int rc = below ? json_object_update(outer, json_object_get(change, argument->key))
		       : json_object_update(config, change);
	return rc < 0 ? mxt_error_oom(err) : 0;
}

/* The texts of the array, borrowed, NULL-ended; the caller frees the list. */
static char **argument_list(const json_t *overrides)
{
	size_t count = json_array_size(overrides), used = 0;
	char **list = calloc(count + 1, sizeof *list);
	for (size_t i = 0; list && i < count; i++) {
		const char *text = json_string_value(json_array_get(overrides, i));
		if (text)
			memcpy(&list[used++], &text, sizeof text); /* they are only read */
	}
	return list;
}

static int apply_all(json_t *config, const json_t *overrides, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char **list = argument_list(overrides);
	if (!list)
		return mxt_error_oom(err);
	int taken;
	for (size_t i = 0; list[i]; i += (size_t)taken) {
		MXT_CLEANUP_AXOLOTL_ARGUMENT struct mxt_axolotl_argument argument = MXT_AXOLOTL_ARGUMENT_INIT;
		taken = mxt_axolotl_argument_parse(&list[i], &argument, err);
		int rc = taken < 0 ? taken : 0;
		if (rc == 0 && argument.key && argument.tree)
			rc = apply(config, &argument, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Whether a key goes; `outer` is the key that its map or list stands below, NULL at the top. 0, 1 or -1. */
static int key_goes(const char *outer, const char *key, const json_t *value)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	if (outer)
		mxt_buf_printf(&path, "%s.", outer);
	mxt_buf_puts(&path, key);
	if (path.failed)
		return -1;
	return json_is_null(value) || mxt_result_omits_key(mxt_buf_text(&path));
}

static int reduce(const char *outer, json_t *value);

static int reduce_map(const char *outer, json_t *map)
{
	const char *key;
	json_t *value;
	void *next;
	json_object_foreach_safe(map, next, key, value)
	{
		int goes = key_goes(outer, key, value);
		if (goes < 0 || (goes == 0 && reduce(key, value) < 0))
			return -1;
		if (goes > 0)
			json_object_del(map, key);
	}
	return 0;
}

static int reduce_list(const char *outer, json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *value = json_array_get(list, i);
		int rc = json_is_null(value) ? json_array_set_new(list, i, json_pack("{s:b}", "none", 1))
					     : reduce(outer, value);
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* Takes out what has no part in a result. 0, or -1 when memory ran out. */
static int reduce(const char *outer, json_t *value)
{
	if (json_is_object(value))
		return reduce_map(outer, value);
	return json_is_array(value) ? reduce_list(outer, value) : 0;
}

int mxt_result_config(const char *name, const char *text, size_t len, const json_t *overrides, json_t **ret_config,
		      struct mxt_error *err)
{
	MXT_CLEANUP_YAML struct mxt_yaml_tree *tree = NULL;
	int rc = mxt_yaml_tree_parse(name, text, len, &tree, err);
	if (rc < 0)
		return rc;
	if (mxt_yaml_tree_root(tree)->value.kind != MXT_YAML_MAPPING)
		return mxt_error_set(err, -EINVAL, MXT_E_YAML_REFUSED, "%s: the config is no map of keys", name);
	MXT_CLEANUP_JSON json_t *config = value_of(mxt_yaml_tree_root(tree));
	if (!config)
		return mxt_error_oom(err);
	rc = apply_all(config, overrides, err);
	if (rc < 0)
		return rc;
	if (reduce(NULL, config) < 0)
		return mxt_error_oom(err);
	*ret_config = json_incref(config);
	return 0;
}
