/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the comparison with PyYAML: reads frames from standard input (4 bytes of length, little-endian, then so many
 * bytes of YAML) and answers each with one line of JSON: {"value": …} or {"error": "MXT-184", "text": …}.
 *
 * null, true, false, strings and lists are themselves. The rest is an object: {"int": "…"}, {"int": "beyond"} outside
 * of 64 bits, {"float": "…"}, {"date": …}, {"map": [[key, value], …]}.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "error.h"
#include "yaml_tree.h"

static json_t *dump_int(const struct mxt_yaml_value *value)
{
	char text[32];
	(void)snprintf(text, sizeof text, "%" PRId64, value->integer);
	return json_pack("{s:s}", "int", value->overflow ? "beyond" : text);
}

static json_t *dump_float(double real)
{
	char text[64];
	(void)snprintf(text, sizeof text, "%.17g", real);
	return json_pack("{s:s}", "float", text);
}

static json_t *dump(const struct mxt_yaml_node *node);

static json_t *dump_sequence(const struct mxt_yaml_node *node)
{
	json_t *list = json_array();
	for (size_t i = 0; i < node->count; i++)
		(void)json_array_append_new(list, dump(node->entries[i].value));
	return list;
}

static json_t *dump_mapping(const struct mxt_yaml_node *node)
{
	json_t *list = json_array();
	for (size_t i = 0; i < node->count; i++)
		(void)json_array_append_new(
		    list, json_pack("[o, o]", dump(node->entries[i].key), dump(node->entries[i].value)));
	return json_pack("{s:o}", "map", list);
}

static json_t *dump(const struct mxt_yaml_node *node)
{
	switch (node->value.kind) {
	case MXT_YAML_NULL:
		return json_null();
	case MXT_YAML_BOOL:
		return json_boolean(node->value.boolean);
	case MXT_YAML_INT:
		return dump_int(&node->value);
	case MXT_YAML_FLOAT:
		return dump_float(node->value.real);
	case MXT_YAML_TIMESTAMP:
		return json_pack("{s:s}", "date", node->text);
	case MXT_YAML_SEQUENCE:
		return dump_sequence(node);
	case MXT_YAML_MAPPING:
		return dump_mapping(node);
	default:
		return json_string(node->text);
	}
}

static json_t *answer(const char *bytes, size_t len)
{
	MXT_CLEANUP_YAML struct mxt_yaml_tree *tree = NULL;
	struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_yaml_tree_parse("input", bytes, len, &tree, &err) == 0)
		return json_pack("{s:o}", "value", dump(mxt_yaml_tree_root(tree)));
	char id[12];
	json_t *fault = json_pack("{s:s, s:s}", "error", mxt_error_id_text(err.id, id), "text", mxt_error_text(&err));
	mxt_error_clear(&err);
	return fault;
}

/* False at the end of the input. */
static bool read_frame(char **ret_bytes, size_t *ret_len)
{
	unsigned char head[4];
	if (fread(head, 1, sizeof head, stdin) != sizeof head)
		return false;
	size_t len = (size_t)head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
	char *bytes = malloc(len ? len : 1);
	if (!bytes || fread(bytes, 1, len, stdin) != len) {
		free(bytes);
		return false;
	}
	*ret_bytes = bytes;
	*ret_len = len;
	return true;
}

int main(void)
{
	char *bytes = NULL;
	for (size_t len = 0; read_frame(&bytes, &len); free(bytes)) {
		json_t *line = answer(bytes, len);
		if (!line || json_dumpf(line, stdout, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY) < 0)
			return 1;
		(void)putchar('\n');
		json_decref(line);
	}
	return 0;
}
