/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "printable.h"
#include "yaml_tree.h"

/* A member on its way into the finished map. */
struct candidate {
	struct mxt_yaml_entry entry;
	size_t order; /* own members come first, then merged ones */
	bool own;
	bool dropped;
};

struct candidates {
	struct candidate *items;
	size_t count, max;
};

static void candidates_finish(struct candidates *c)
{
	free(c->items);
}

/* ---- order of keys ---- */

enum key_class { KEY_NULL, KEY_NUMBER, KEY_DATE, KEY_TEXT };

static enum key_class class_of(const struct mxt_yaml_node *key)
{
	switch (key->value.kind) {
	case MXT_YAML_NULL:
		return KEY_NULL;
	case MXT_YAML_BOOL:
	case MXT_YAML_INT:
	case MXT_YAML_FLOAT:
		return KEY_NUMBER;
	case MXT_YAML_TIMESTAMP:
		return KEY_DATE;
	default:
		return KEY_TEXT;
	}
}

static double number_of(const struct mxt_yaml_node *key)
{
	if (key->value.kind == MXT_YAML_FLOAT)
		return key->value.real;
	return key->value.kind == MXT_YAML_BOOL ? (key->value.boolean ? 1 : 0) : (double)key->value.integer;
}

/* Two whole numbers are compared exactly; NaN, which equals nothing, by its text. */
static int compare_numbers(const struct mxt_yaml_node *a, const struct mxt_yaml_node *b)
{
	bool whole = a->value.kind == MXT_YAML_INT && b->value.kind == MXT_YAML_INT;
	if (whole && !a->value.overflow && !b->value.overflow)
		return (a->value.integer > b->value.integer) - (a->value.integer < b->value.integer);
	double x = number_of(a), y = number_of(b);
	if (x < y || x > y)
		return x < y ? -1 : 1;
	return x == y && !a->value.overflow && !b->value.overflow ? 0 : strcmp(a->text, b->text);
}

static int compare_keys(const struct mxt_yaml_node *a, const struct mxt_yaml_node *b)
{
	enum key_class ca = class_of(a), cb = class_of(b);
	if (ca != cb)
		return ca < cb ? -1 : 1;
	if (ca == KEY_NULL)
		return 0;
	return ca == KEY_NUMBER ? compare_numbers(a, b) : strcmp(a->text, b->text);
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int order = compare_keys(x->entry.key, y->entry.key);
	return order ? order : (x->order > y->order) - (x->order < y->order);
}

static int compare_order(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	return (x->order > y->order) - (x->order < y->order);
}

/* ---- members ---- */

static int add_members(struct candidates *c, const struct mxt_yaml_node *map, bool own, struct mxt_error *err)
{
	if (map->count == 0)
		return 0;
	if (c->count + map->count > MXT_YAML_MAX_NODES)
		return mxt_error_set(err, -E2BIG, MXT_E_YAML_REFUSED, "merge keys with more than 100000 members");
	if (!c->items || c->count + map->count > c->max) {
		size_t max = 2 * (c->count + map->count);
		struct candidate *items = realloc(c->items, max * sizeof *items);
		if (!items)
			return mxt_error_oom(err);
		c->items = items;
		c->max = max;
	}
	for (size_t i = 0; i < map->count; i++) {
		bool merge = own && map->entries[i].key->value.kind == MXT_YAML_MERGE;
		c->items[c->count] = (struct candidate){map->entries[i], c->count, own, merge};
		c->count++;
	}
	return 0;
}

static int refuse_merge(const char *name, const struct mxt_yaml_node *key, struct mxt_error *err)
{
	return mxt_error_set(err, -EINVAL, MXT_E_YAML_SYNTAX, "%s:%zu: the merge key << takes a map or a list of maps",
			     name, key->line);
}

static int add_merged(const char *name, struct candidates *c, const struct mxt_yaml_entry *merge, struct mxt_error *err)
{
	const struct mxt_yaml_node *source = merge->value;
	if (source->value.kind == MXT_YAML_MAPPING)
		return add_members(c, source, false, err);
	if (source->value.kind != MXT_YAML_SEQUENCE)
		return refuse_merge(name, merge->key, err);
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < source->count; i++) {
		const struct mxt_yaml_node *item = source->entries[i].value;
		rc = item->value.kind == MXT_YAML_MAPPING ? add_members(c, item, false, err)
							  : refuse_merge(name, merge->key, err);
	}
	return rc;
}

static int refuse_duplicate(const char *name, const struct mxt_yaml_node *first, const struct mxt_yaml_node *second,
			    struct mxt_error *err)
{
	char shown[MXT_PRINTABLE_SIZE];
	return mxt_error_set(err, -EEXIST, MXT_E_YAML_REFUSED,
			     "%s:%zu: key '%s' is there already, in line %zu; the trainer would silently take the last "
			     "one: remove one of them",
			     name, second->line, mxt_printable(second->text, shown), first->line);
}

/* Sorted by key, then order: the first of equal keys stays. */
static int drop_shadowed(const char *name, struct candidates *c, struct mxt_error *err)
{
	for (size_t i = 1; i < c->count; i++) {
		struct candidate *a = &c->items[i - 1], *b = &c->items[i];
		if (compare_keys(a->entry.key, b->entry.key) != 0)
			continue;
		if (a->own && b->own)
			return refuse_duplicate(name, a->entry.key, b->entry.key, err);
		b->dropped = true;
		b->own = false;
	}
	return 0;
}

/* Back into the order of the file, into memory of their own. */
static int take_candidates(struct mxt_yaml_node *map, struct candidates *c, struct mxt_error *err)
{
	struct mxt_yaml_entry *entries = calloc(c->count, sizeof *entries);
	if (!entries)
		return mxt_error_oom(err);
	qsort(c->items, c->count, sizeof *c->items, compare_order);
	size_t count = 0;
	for (size_t i = 0; i < c->count; i++)
		if (!c->items[i].dropped)
			entries[count++] = c->items[i].entry;
	free(map->entries);
	map->entries = entries;
	map->count = count;
	return 0;
}

/* `=` is an ordinary text where it is a key. */
static bool is_merge(const struct mxt_yaml_entry *entry)
{
	return entry->key->value.kind == MXT_YAML_MERGE;
}

int mxt_yaml_map_finish(const char *name, struct mxt_yaml_node *map, struct mxt_error *err)
{
	MXT_CLEANUP(candidates_finish) struct candidates c = {NULL, 0, 0};
	if (map->count == 0)
		return 0;
	int rc = add_members(&c, map, true, err);
	for (size_t i = 0; rc == 0 && i < map->count; i++)
		if (is_merge(&map->entries[i]))
			rc = add_merged(name, &c, &map->entries[i], err);
	if (rc < 0 || !c.items)
		return rc;
	qsort(c.items, c.count, sizeof *c.items, compare_candidates);
	rc = drop_shadowed(name, &c, err);
	return rc < 0 ? rc : take_candidates(map, &c, err);
}
