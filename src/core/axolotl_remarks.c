/* SPDX-License-Identifier: Apache-2.0 */
#include "axolotl_remarks.h"

#include <stdlib.h>
#include <string.h>

#include "axolotl_value.h"
#include "error.h"
#include "nearest.h"
#include "printable.h"
#include "workload_build.h"
#include "yaml_tree.h"

struct key_row {
	const char *name;
	bool loose; /* nothing converts what is in it */
};

static const struct key_row keys[] = {
#define MXT_AXOLOTL_KEY(name, loose) {name, loose},
#include "axolotl_keys.def"
#undef MXT_AXOLOTL_KEY
};

enum condition { SET, ABOVE_ONE };

struct unmodelled_row {
	const char *key;
	enum condition condition;
	uint32_t parts;
	const char *text;
};

static const struct unmodelled_row unmodelled[] = {
#define MXT_UNMODELLED(key, condition, parts, text) {key, condition, parts, text},
#include "axolotl_unmodelled.def"
#undef MXT_UNMODELLED
};

static bool applies(const struct mxt_axolotl_map *map, const struct unmodelled_row *row)
{
	const struct mxt_yaml_node *node = mxt_axolotl_get(map, row->key);
	if (row->condition == SET || !node)
		return mxt_axolotl_is_set(map, row->key);
	bool one = node->value.kind == MXT_YAML_INT && node->value.integer <= 1;
	return !one && mxt_axolotl_is_set(map, row->key);
}

static int add_unmodelled(const struct mxt_axolotl_map *map, struct mxt_workload *workload)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(unmodelled); i++)
		if (applies(map, &unmodelled[i]))
			rc = mxt_workload_exclude(workload, unmodelled[i].parts, map->err, "%s", unmodelled[i].text);
	return rc;
}

/* Of whole models in float32, and of peft's adapters without autocast: the fused kernels cast these. */
static bool multiplies_float32(const struct mxt_workload *workload)
{
	const struct mxt_training *t = &workload->training;
	bool lora = t->adapter != MXT_ADAPTER_NONE && !(workload->excluded & MXT_PART_LORA);
	return !t->autocast && (t->dtype == MXT_DTYPE_F32 || (lora && t->fused_lora != MXT_FUSED_ALL));
}

/* Axolotl turns it on unless it is told not to (tf32 is auto then). */
static int add_tf32(const struct mxt_axolotl_map *map, struct mxt_workload *workload)
{
	bool on = !mxt_axolotl_get(map, "tf32") || mxt_axolotl_is_set(map, "tf32");
	if (!on || !multiplies_float32(workload))
		return 0;
	return mxt_workload_exclude(workload, 0, map->err,
				    "TF32 in float32 products (tf32): they are timed without it");
}

/* ---- keys that nobody reads ---- */

static int compare_key(const void *name, const void *row)
{
	return strcmp(name, ((const struct key_row *)row)->name);
}

static const struct key_row *find_key(const char *name)
{
	return bsearch(name, keys, MXT_ARRAY_LEN(keys), sizeof keys[0], compare_key);
}

static const char *key_at(const void *list, size_t i)
{
	return ((const struct key_row *)list)[i].name;
}

static int note_unknown(const struct mxt_axolotl_map *map, const struct mxt_yaml_node *key,
			struct mxt_workload *workload)
{
	char shown[MXT_PRINTABLE_SIZE];
	if (workload->n_notes == MXT_NOT_MODELLED_MAX)
		return 0; /* the list is full: spare the search */
	mxt_printable(key->text, shown);
	const char *near = mxt_nearest(key->text, key_at, keys, MXT_ARRAY_LEN(keys));
	if (near)
		return mxt_workload_note(
		    workload, map->err,
		    "line %zu: Axolotl has no key '%s' and drops it without a word; did you mean '%s'?", key->line,
		    shown, near);
	return mxt_workload_note(
	    workload, map->err,
	    "line %zu: Axolotl has no key '%s' and drops it without a word, unless a plugin reads it", key->line,
	    shown);
}

/* ---- numbers that stay text ---- */

#define DIGITS "0123456789_"

/* Digits, perhaps a point, an exponent: a number to anyone but YAML 1.1. */
static bool looks_like_exponent(const char *text)
{
	const char *at = text + (*text == '-' || *text == '+' ? 1 : 0);
	size_t digits = strspn(at, DIGITS ".");
	if (digits == 0 || at[digits] == '\0' || !strchr("eE", at[digits]))
		return false;
	at += digits + 1;
	at += *at == '-' || *at == '+' ? 1 : 0;
	digits = strspn(at, DIGITS);
	return digits > 0 && at[digits] == '\0';
}

/* Depth is bounded by the tree's, the number of visits by its weight. */
static int note_texts(const struct mxt_axolotl_map *map, const char *key, const struct mxt_yaml_node *node,
		      struct mxt_workload *workload)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < node->count; i++)
		rc = note_texts(map, key, node->entries[i].value, workload);
	if (rc < 0 || node->value.kind != MXT_YAML_STRING || node->quoted || !looks_like_exponent(node->text))
		return rc;
	char shown[MXT_PRINTABLE_SIZE];
	return mxt_workload_note(
	    workload, map->err,
	    "line %zu: %s in %s is text in YAML 1.1, and nothing converts it there; a number needs a point "
	    "and a sign, as in 1.0e-8",
	    node->line, mxt_printable(node->text, shown), key);
}

static int note_key(const struct mxt_axolotl_map *map, const struct mxt_yaml_entry *entry,
		    struct mxt_workload *workload)
{
	const struct key_row *row = entry->key->value.kind == MXT_YAML_STRING ? find_key(entry->key->text) : NULL;
	if (!row)
		return note_unknown(map, entry->key, workload);
	return row->loose ? note_texts(map, row->name, entry->value, workload) : 0;
}

int mxt_axolotl_remarks(const struct mxt_axolotl_map *map, struct mxt_workload *workload)
{
	int rc = add_unmodelled(map, workload);
	if (rc == 0)
		rc = add_tf32(map, workload);
	for (size_t i = 0; rc == 0 && i < map->root->count; i++)
		rc = note_key(map, &map->root->entries[i], workload);
	return rc;
}
