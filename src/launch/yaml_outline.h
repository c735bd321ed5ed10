/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the keys at the top of a YAML file stand, and their values: the bytes that an edit may touch. What they mean is
 * the tree's (yaml_tree.h), which must have taken the same text before.
 */
#ifndef MXT_LAUNCH_YAML_OUTLINE_H
#define MXT_LAUNCH_YAML_OUTLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "yaml_text.h"

struct mxt_error;

enum mxt_yaml_form {
	MXT_YAML_FORM_EMPTY,      /* nothing, or an anchor or a tag alone */
	MXT_YAML_FORM_SCALAR,     /* plain or in quotes, on one line or more */
	MXT_YAML_FORM_TEXT,       /* a text block behind | or > */
	MXT_YAML_FORM_FLOW_LIST,  /* in brackets */
	MXT_YAML_FORM_FLOW_MAP,   /* in braces */
	MXT_YAML_FORM_BLOCK_LIST, /* lines that start with a dash */
	MXT_YAML_FORM_BLOCK_MAP,
	MXT_YAML_FORM_ALIAS,
};

/* Places are bytes of the text; an end is one behind the last. */
struct mxt_yaml_item {
	char *key;                      /* owned; NULL for a key that is no scalar */
	size_t key_begin, key_end;      /* with its anchor and tag */
	enum mxt_yaml_form form;        /* of the value */
	size_t value_begin, value_end;  /* with anchor and tag; without comments and blank lines behind it */
	size_t content_end;             /* value_end, but behind the blank lines that belong to a text block */
	size_t n_elements, element_end; /* lists: how many elements, and the end of the last */
	size_t alias_line;              /* of an alias elsewhere to an anchor in this item; 0: there is none */
};

struct mxt_yaml_outline {
	struct mxt_yaml_text text;
	struct mxt_yaml_item *items; /* owned; in the order of the file, merge keys too */
	size_t count;
	bool block;        /* the top level is lines of `key: value`; else there are no items */
	bool map;          /* it is a map */
	bool text_at_end;  /* the last value ends in a text block */
	size_t root_begin; /* of the top level */
	size_t column;     /* of the keys */
	size_t end;        /* of the document: at its `...` line, or the end of the text */
};

/* `name` and `bytes` stay with the caller, who keeps them. MXT_E_YAML_SYNTAX as from mxt_yaml_tree_parse(). */
int mxt_yaml_outline_init(struct mxt_yaml_outline *outline, const char *name, const char *bytes, size_t len,
			  struct mxt_error *err) MXT_WUR;
void mxt_yaml_outline_finish(struct mxt_yaml_outline *outline);
#define MXT_CLEANUP_YAML_OUTLINE MXT_CLEANUP(mxt_yaml_outline_finish)

/* The item of a key; NULL when the file has none of its own. */
const struct mxt_yaml_item *mxt_yaml_outline_find(const struct mxt_yaml_outline *outline, const char *key);

#endif
