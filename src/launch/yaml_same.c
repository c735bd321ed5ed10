/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml_same.h"

#include <string.h>

#include "yaml_tree.h"

static bool same_text(const struct mxt_yaml_node *a, const struct mxt_yaml_node *b)
{
	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

/* What is beyond 64 bits, and NaN, is the same where it is written the same. */
static bool same_scalar(const struct mxt_yaml_node *a, const struct mxt_yaml_node *b)
{
	const struct mxt_yaml_value *x = &a->value, *y = &b->value;
	switch (x->kind) {
	case MXT_YAML_NULL:
		return true;
	case MXT_YAML_BOOL:
		return x->boolean == y->boolean;
	case MXT_YAML_INT:
		return same_text(a, b) || (!x->overflow && !y->overflow && x->integer == y->integer);
	case MXT_YAML_FLOAT:
		return same_text(a, b) || (x->real <= y->real && x->real >= y->real);
	default:
		return same_text(a, b);
	}
}

static bool same_entry(const struct mxt_yaml_entry *a, const struct mxt_yaml_entry *b)
{
	if (a->key && !(b->key && mxt_yaml_same(a->key, b->key)))
		return false;
	return mxt_yaml_same(a->value, b->value);
}

bool mxt_yaml_same(const struct mxt_yaml_node *a, const struct mxt_yaml_node *b)
{
	if (a->value.kind != b->value.kind || a->count != b->count)
		return false;
	if (a->text)
		return same_scalar(a, b);
	for (size_t i = 0; i < a->count; i++)
		if (!same_entry(&a->entries[i], &b->entries[i]))
			return false;
	return true;
}

bool mxt_yaml_holds(const struct mxt_yaml_node *list, const struct mxt_yaml_node *value)
{
	if (list->value.kind != MXT_YAML_SEQUENCE)
		return false;
	for (size_t i = 0; i < list->count; i++)
		if (mxt_yaml_same(list->entries[i].value, value))
			return true;
	return false;
}

bool mxt_yaml_same_but_last(const struct mxt_yaml_node *list, const struct mxt_yaml_node *grown,
			    const struct mxt_yaml_node *last)
{
	if (grown->value.kind != MXT_YAML_SEQUENCE || grown->count != list->count + 1)
		return false;
	for (size_t i = 0; i < list->count; i++)
		if (!mxt_yaml_same(list->entries[i].value, grown->entries[i].value))
			return false;
	return mxt_yaml_same(grown->entries[list->count].value, last);
}

static bool is_key(const struct mxt_yaml_entry *entry, const char *key)
{
	return entry->key->value.kind == MXT_YAML_STRING && strcmp(entry->key->text, key) == 0;
}

bool mxt_yaml_same_but_key(const struct mxt_yaml_node *a, const struct mxt_yaml_node *b, const char *key)
{
	size_t i = 0, j = 0;
	for (;;) {
		while (i < a->count && is_key(&a->entries[i], key))
			i++;
		while (j < b->count && is_key(&b->entries[j], key))
			j++;
		if (i == a->count || j == b->count)
			return i == a->count && j == b->count;
		if (!same_entry(&a->entries[i++], &b->entries[j++]))
			return false;
	}
}
