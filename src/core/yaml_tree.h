/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A YAML file as a tree, read as PyYAML's safe loader reads it, with places. Refused, though PyYAML takes some of it,
 * because no config needs it and readers disagree: duplicate keys, several documents, tags beyond the core ones,
 * explicit keys (`? key`), anchors that contain themselves. Refused as PyYAML does, though libyaml takes it: tabs
 * outside of quotes, comments and block text, and more (yaml_strict.h).
 */
#ifndef MXT_CORE_YAML_TREE_H
#define MXT_CORE_YAML_TREE_H

#include <stddef.h>

#include "compiler.h"
#include "yaml_scalar.h"

struct mxt_error;

#define MXT_YAML_MAX_BYTES   ((size_t)4 << 20)
#define MXT_YAML_MAX_DEPTH   64
#define MXT_YAML_MAX_NODES   100000 /* aliases counted as what they stand for */
#define MXT_YAML_MAX_ANCHORS 1000

struct mxt_yaml_node;

struct mxt_yaml_entry {
	const struct mxt_yaml_node *key; /* NULL in sequences */
	const struct mxt_yaml_node *value;
};

/* An alias is the node that it stands for: its place is the anchor's. */
struct mxt_yaml_node {
	struct mxt_yaml_value value;
	size_t line;       /* from 1 */
	size_t begin, end; /* bytes of the file: a scalar as it is written, the start of anything else */
	char *text;        /* scalars: owned, NUL-terminated, holds no NUL; else NULL */
	size_t len;
	bool quoted;                    /* scalars: in quotes, or a block text */
	struct mxt_yaml_entry *entries; /* owned: members, merged ones behind the map's own; elements */
	size_t count;
	size_t weight;              /* nodes below and including this one, aliases expanded */
	unsigned height;            /* levels of containers */
	struct mxt_yaml_node *next; /* all nodes of a tree */
};

struct mxt_yaml_tree;

/* `name`: for messages. `bytes` are not needed afterwards. Errors: MXT_E_YAML_SYNTAX, MXT_E_YAML_REFUSED. */
int mxt_yaml_tree_parse(const char *name, const char *bytes, size_t len, struct mxt_yaml_tree **ret_tree,
			struct mxt_error *err) MXT_WUR;
void mxt_yaml_tree_destroy(struct mxt_yaml_tree *tree);

const struct mxt_yaml_node *mxt_yaml_tree_root(const struct mxt_yaml_tree *tree);

/* The value of a text key; NULL when it is absent or `node` is no map. */
const struct mxt_yaml_node *mxt_yaml_get(const struct mxt_yaml_node *node, const char *key);

static inline void mxt_yaml_tree_cleanup_(struct mxt_yaml_tree **tree)
{
	mxt_yaml_tree_destroy(*tree);
}
#define MXT_CLEANUP_YAML MXT_CLEANUP(mxt_yaml_tree_cleanup_)

#endif
