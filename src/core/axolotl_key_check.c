/* SPDX-License-Identifier: Apache-2.0 */
#include "axolotl_key_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "nearest.h"
#include "printable.h"
#include "yaml_tree.h"

struct key_row {
	const char *name;
	bool loose; /* nothing converts what is in it */
};

static const struct key_row rows[] = {
#define MXT_AXOLOTL_KEY(name, loose) {name, loose},
#include "axolotl_keys.def"
#undef MXT_AXOLOTL_KEY
};

static int compare_row(const void *name, const void *row)
{
	return strcmp(name, ((const struct key_row *)row)->name);
}

static const struct key_row *find_row(const char *name)
{
	return bsearch(name, rows, MXT_ARRAY_LEN(rows), sizeof rows[0], compare_row);
}

bool mxt_axolotl_key_is_listed(const char *name)
{
	return find_row(name) != NULL;
}

static const char *row_name(const void *list, size_t i)
{
	return ((const struct key_row *)list)[i].name;
}

static int say(const struct mxt_axolotl_key_sink *sink, size_t line, const struct mxt_buf *sentence)
{
	return sentence->failed ? -ENOMEM : sink->say(sink->context, line, mxt_buf_text(sentence));
}

/* ---- keys that nobody reads ---- */

static bool is_read(const struct mxt_axolotl_keys *keys, const struct mxt_yaml_node *key)
{
	if (key->value.kind != MXT_YAML_STRING)
		return false;
	return keys->name_at ? keys->knows(keys->list, key->text) : find_row(key->text) != NULL;
}

static const char *nearest_key(const struct mxt_axolotl_keys *keys, const char *name)
{
	if (keys->name_at)
		return mxt_nearest(name, keys->name_at, keys->list, keys->count);
	return mxt_nearest(name, row_name, rows, MXT_ARRAY_LEN(rows));
}

static int say_unread(const struct mxt_yaml_node *key, const struct mxt_axolotl_keys *keys,
		      const struct mxt_axolotl_key_sink *sink)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	char shown[MXT_PRINTABLE_SIZE];
	bool versioned = keys->version && *keys->version;
	const char *near = key->text ? nearest_key(keys, key->text) : NULL;
	mxt_buf_printf(&text, "Axolotl%s%s has no key '%s' and drops it without a word", versioned ? " " : "",
		       versioned ? keys->version : "", mxt_printable(key->text ? key->text : "", shown));
	if (near)
		mxt_buf_printf(&text, "; did you mean '%s'?", near);
	else
		mxt_buf_puts(&text, ", unless a plugin reads it");
	return say(sink, key->line, &text);
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
static int say_texts(const char *key, const struct mxt_yaml_node *node, const struct mxt_axolotl_key_sink *sink)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < node->count; i++)
		rc = say_texts(key, node->entries[i].value, sink);
	if (rc < 0 || node->value.kind != MXT_YAML_STRING || node->quoted || !looks_like_exponent(node->text))
		return rc;
	char shown[MXT_PRINTABLE_SIZE];
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_buf_printf(&text,
		       "%s in %s is text in YAML 1.1, and nothing converts it there; a number needs a point and a "
		       "sign, as in 1.0e-8",
		       mxt_printable(node->text, shown), key);
	return say(sink, node->line, &text);
}

int mxt_axolotl_key_check(const struct mxt_yaml_entry *entry, const struct mxt_axolotl_keys *keys,
			  const struct mxt_axolotl_key_sink *sink)
{
	const struct mxt_yaml_node *key = entry->key;
	if (!is_read(keys, key))
		return say_unread(key, keys, sink);
	const struct key_row *row = find_row(key->text);
	return row && row->loose ? say_texts(row->name, entry->value, sink) : 0;
}
