/* SPDX-License-Identifier: Apache-2.0 */
#include "axolotl_rules.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "axolotl_value.h"
#include "printable.h"
#include "remarks.h"
#include "yaml_tree.h"

enum condition { SET, AUTOTUNE, OPTIONS, TRITON };
enum kind { TUNES, UNDOES, CHANGES };

struct rule {
	const char *path;
	enum condition condition;
	enum kind kind;
	const char *text;
};

static const struct rule rules[] = {
#define MXT_AXOLOTL_RULE(path, condition, kind, text) {path, condition, kind, text},
#include "axolotl_rules.def"
#undef MXT_AXOLOTL_RULE
};

/* Options of Inductor that time kernels, by a part of their names. */
static const char *const tuning_options[] = {"autotune", "tuning", "benchmark", "shape_padding", "multi_kernel"};

/* Values that stand for kernels which tune themselves; sonicmoe is called without its tuning. */
static const char *const triton_kernels[] = {"scattermoe", "triton_flash", "auto"};

const char *mxt_axolotl_place(const struct mxt_axolotl_source *source, const struct mxt_yaml_node *node,
			      char buf[MXT_AXOLOTL_PLACE])
{
	char shown[MXT_PRINTABLE_SIZE];
	if (source->argument)
		(void)snprintf(buf, MXT_AXOLOTL_PLACE, "argument %s", mxt_printable(source->name, shown));
	else
		(void)snprintf(buf, MXT_AXOLOTL_PLACE, "%.100s:%zu", source->name, node->line);
	return buf;
}

/* The member of `map` that a node holds under a key of that length; NULL: there is none. */
static const struct mxt_yaml_node *member(const struct mxt_yaml_node *map, const char *key, size_t len)
{
	for (size_t i = 0; map->value.kind == MXT_YAML_MAPPING && i < map->count; i++) {
		const struct mxt_yaml_node *own = map->entries[i].key;
		if (own->value.kind == MXT_YAML_STRING && own->len == len && memcmp(own->text, key, len) == 0)
			return map->entries[i].value;
	}
	return NULL;
}

static const struct mxt_yaml_node *resolve(const struct mxt_yaml_node *root, const char *path)
{
	const struct mxt_yaml_node *node = root;
	while (node && *path) {
		size_t len = strcspn(path, ".");
		node = member(node, path, len);
		path += len + (path[len] == '.');
	}
	return node;
}

static bool holds_one_of(const char *text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

/* The first option that makes Inductor time kernels; NULL: none does. */
static const struct mxt_yaml_node *tuning_option(const struct mxt_yaml_node *map)
{
	for (size_t i = 0; map->value.kind == MXT_YAML_MAPPING && i < map->count; i++) {
		const struct mxt_yaml_node *key = map->entries[i].key;
		if (key->text && holds_one_of(key->text, tuning_options, MXT_ARRAY_LEN(tuning_options)) &&
		    mxt_axolotl_value_is_set(map->entries[i].value))
			return key;
	}
	return NULL;
}

/* What a remark points at; NULL: the rule has nothing to say of the value. */
static const struct mxt_yaml_node *meets(const struct rule *rule, const struct mxt_yaml_node *node)
{
	switch (rule->condition) {
	case SET:
		return mxt_axolotl_value_is_set(node) ? node : NULL;
	case AUTOTUNE:
		return node->text && strncmp(node->text, "max-autotune", 12) == 0 ? node : NULL;
	case OPTIONS:
		return tuning_option(node);
	case TRITON:
		break;
	}
	bool named = node->text && holds_one_of(node->text, triton_kernels, MXT_ARRAY_LEN(triton_kernels));
	return named ? node : NULL;
}

static void say(const struct rule *rule, const struct mxt_axolotl_source *source, const struct mxt_yaml_node *node,
		struct mxt_remarks *remarks)
{
	char place[MXT_AXOLOTL_PLACE], shown[MXT_PRINTABLE_SIZE];
	const char *separator = rule->condition == OPTIONS ? "." : ": ";
	const char *what = node->text ? mxt_printable(node->text, shown) : "...";
	(void)mxt_axolotl_place(source, node, place);
	switch (rule->kind) {
	case TUNES:
		mxt_remark_refuse(remarks, MXT_E_LAUNCH_JIT, MXT_ALLOW_JIT, "%s: %s%s%s: %s", place, rule->path,
				  separator, what, rule->text);
		break;
	case UNDOES:
		mxt_remark_refuse(remarks, MXT_E_LAUNCH_UNDONE, MXT_ALLOW_MISMATCH,
				  "%s: %s: %s undoes the plan's attention: %s", place, rule->path, what, rule->text);
		break;
	case CHANGES:
		mxt_remark_warn(remarks, "%s: %s: %s: %s", place, rule->path, what, rule->text);
		break;
	}
}

void mxt_axolotl_rules_check(const struct mxt_axolotl_source *source, const struct mxt_yaml_node *root,
			     bool attention_is_open, struct mxt_remarks *remarks)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(rules); i++) {
		if (attention_is_open && rules[i].kind == UNDOES)
			continue;
		const struct mxt_yaml_node *node = resolve(root, rules[i].path);
		const struct mxt_yaml_node *at = node ? meets(&rules[i], node) : NULL;
		if (at)
			say(&rules[i], source, at, remarks);
	}
}
