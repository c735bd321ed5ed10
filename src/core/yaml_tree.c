/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "error.h"
#include "printable.h"
#include "yaml_event.h"
#include "yaml_map.h"
#include "yaml_strict.h"
#include "yaml_text.h"

struct mxt_yaml_tree {
	struct mxt_yaml_node *all; /* owned, linked by next */
	const struct mxt_yaml_node *root;
};

struct anchor {
	char *name;                       /* owned */
	const struct mxt_yaml_node *node; /* NULL while its node is being read */
	size_t line;
};

struct loader {
	struct mxt_yaml_text text;
	yaml_parser_t parser;
	struct mxt_yaml_tree *tree;
	struct anchor anchors[MXT_YAML_MAX_ANCHORS];
	size_t n_anchors;
	struct mxt_yaml_span *spans; /* owned */
	size_t n_spans, max_spans;
	size_t n_nodes;
	unsigned depth, flow_depth;
	int status; /* negative once reading a node has failed */
	struct mxt_error *err;
};

/* ---- places and errors ---- */

static size_t offset_of(const struct loader *l, yaml_mark_t mark)
{
	return mxt_yaml_text_offset(&l->text, mark.index);
}

static size_t line_of(const struct loader *l, yaml_mark_t mark)
{
	return mxt_yaml_text_line(&l->text, offset_of(l, mark));
}

static int refuse(const struct loader *l, size_t line, const char *why)
{
	return mxt_error_set(l->err, -EINVAL, MXT_E_YAML_REFUSED, "%s:%zu: %s", l->text.name, line, why);
}

/* ---- nodes ----
 * What reads a node returns it, or NULL after a failure, which `status` keeps.
 */

static void *failed(struct loader *l, int status)
{
	l->status = status;
	return NULL;
}

static struct mxt_yaml_node *add_node(struct loader *l, yaml_mark_t start, yaml_mark_t end)
{
	if (l->n_nodes == MXT_YAML_MAX_NODES)
		return failed(l, refuse(l, line_of(l, start), "more than 100000 values; this is no trainer's config"));
	struct mxt_yaml_node *node = calloc(1, sizeof *node);
	if (!node)
		return failed(l, mxt_error_oom(l->err));
	node->begin = offset_of(l, start);
	node->end = offset_of(l, end);
	node->line = mxt_yaml_text_line(&l->text, node->begin);
	node->weight = 1;
	node->next = l->tree->all;
	l->tree->all = node;
	l->n_nodes++;
	return node;
}

static int add_span(struct loader *l, const struct mxt_yaml_node *node, enum mxt_yaml_style style)
{
	struct mxt_yaml_span *spans = mxt_array_reserve(l->spans, l->n_spans, &l->max_spans, sizeof *spans);
	if (!spans)
		return mxt_error_oom(l->err);
	l->spans = spans;
	spans[l->n_spans++] = (struct mxt_yaml_span){node->begin, node->end, style, l->flow_depth > 0};
	return 0;
}

/* ---- tags ---- */

#define TAG_PREFIX "tag:yaml.org,2002:"

struct tag_row {
	const char *name;
	enum mxt_yaml_kind kind;
};

static const struct tag_row tag_rows[] = {
    {"str", MXT_YAML_STRING}, {"int", MXT_YAML_INT},      {"float", MXT_YAML_FLOAT}, {"bool", MXT_YAML_BOOL},
    {"null", MXT_YAML_NULL},  {"seq", MXT_YAML_SEQUENCE}, {"map", MXT_YAML_MAPPING},
};

static const struct tag_row *find_tag(const char *tag)
{
	size_t len = strlen(TAG_PREFIX);
	if (strncmp(tag, TAG_PREFIX, len) != 0)
		return NULL;
	for (size_t i = 0; i < MXT_ARRAY_LEN(tag_rows); i++)
		if (strcmp(tag_rows[i].name, tag + len) == 0)
			return &tag_rows[i];
	return NULL;
}

static int read_tag(const struct loader *l, const yaml_char_t *tag, size_t line, const struct tag_row **ret_row)
{
	*ret_row = tag ? find_tag((const char *)tag) : NULL;
	if (!tag || *ret_row)
		return 0;
	char shown[MXT_PRINTABLE_SIZE];
	return mxt_error_set(l->err, -EINVAL, MXT_E_YAML_REFUSED,
			     "%s:%zu: tag %s; only !!str, !!int, !!float, !!bool, !!null, !!seq and !!map can be read",
			     l->text.name, line, mxt_printable((const char *)tag, shown));
}

static int refuse_tagged(const struct loader *l, const struct tag_row *tag, size_t line)
{
	return mxt_error_set(l->err, -EINVAL, MXT_E_YAML_SYNTAX,
			     "%s:%zu: the value does not have the type that its tag "
			     "!!%s says",
			     l->text.name, line, tag->name);
}

/* ---- scalars ---- */

static enum mxt_yaml_style style_of(const yaml_event_t *event)
{
	if (mxt_yaml_event_is_block_text(event))
		return MXT_YAML_BLOCK;
	return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? MXT_YAML_PLAIN : MXT_YAML_QUOTED;
}

/* What a tag makes of a text that would be `value` without it. */
static int apply_tag(const struct loader *l, const struct tag_row *tag, struct mxt_yaml_node *node)
{
	if (tag->kind == MXT_YAML_STRING) {
		node->value = (struct mxt_yaml_value){.kind = MXT_YAML_STRING};
		return 0;
	}
	int rc = tag->kind == MXT_YAML_FLOAT ? mxt_yaml_scalar_float(node->text, node->len, &node->value)
					     : mxt_yaml_scalar_resolve(node->text, node->len, &node->value);
	if (rc == -ENOMEM)
		return mxt_error_oom(l->err);
	return rc < 0 || node->value.kind != tag->kind ? refuse_tagged(l, tag, node->line) : 0;
}

static int resolve(const struct loader *l, const struct tag_row *tag, enum mxt_yaml_style style,
		   struct mxt_yaml_node *node)
{
	if (tag)
		return apply_tag(l, tag, node);
	if (style != MXT_YAML_PLAIN) {
		node->value = (struct mxt_yaml_value){.kind = MXT_YAML_STRING};
		return 0;
	}
	int rc = mxt_yaml_scalar_resolve(node->text, node->len, &node->value);
	if (rc == -ENOMEM)
		return mxt_error_oom(l->err);
	if (rc == 0)
		return 0;
	char shown[MXT_PRINTABLE_SIZE];
	return mxt_error_set(l->err, -EINVAL, MXT_E_YAML_SYNTAX,
			     "%s:%zu: %s has the form of a number or a date and is none; quote it if it is text",
			     l->text.name, node->line, mxt_printable(node->text, shown));
}

static int copy_text(const struct loader *l, const yaml_event_t *event, struct mxt_yaml_node *node)
{
	node->len = event->data.scalar.length;
	if (memchr(event->data.scalar.value, '\0', node->len))
		return refuse(l, node->line, "a NUL character in a text");
	node->text = malloc(node->len + 1);
	if (!node->text)
		return mxt_error_oom(l->err);
	memcpy(node->text, event->data.scalar.value, node->len + 1);
	return 0;
}

static int fill_scalar(struct loader *l, const yaml_event_t *event, struct mxt_yaml_node *node)
{
	const struct tag_row *tag = NULL;
	int rc = read_tag(l, event->data.scalar.tag, node->line, &tag);
	if (rc < 0)
		return rc;
	if (event->data.scalar.tag || event->data.scalar.anchor)
		node->begin = mxt_yaml_strict_skip_properties(&l->text, node->begin, node->end);
	node->line = mxt_yaml_text_line(&l->text, node->begin);
	enum mxt_yaml_style style = style_of(event);
	node->quoted = style != MXT_YAML_PLAIN;
	rc = copy_text(l, event, node);
	if (rc == 0)
		rc = resolve(l, tag, style, node);
	return rc < 0 ? rc : add_span(l, node, style);
}

static struct mxt_yaml_node *compose_scalar(struct loader *l, const yaml_event_t *event)
{
	struct mxt_yaml_node *node = add_node(l, event->start_mark, event->end_mark);
	int rc = node ? fill_scalar(l, event, node) : l->status;
	return rc < 0 ? failed(l, rc) : node;
}

/* ---- anchors and aliases ---- */

static struct anchor *find_anchor(struct loader *l, const char *name)
{
	for (size_t i = 0; i < l->n_anchors; i++)
		if (strcmp(l->anchors[i].name, name) == 0)
			return &l->anchors[i];
	return NULL;
}

/* Names the node that is about to be read; *ret_anchor is NULL when it has no name. */
static int open_anchor(struct loader *l, const char *name, yaml_mark_t mark, struct anchor **ret_anchor)
{
	*ret_anchor = NULL;
	if (!name)
		return 0;
	if (find_anchor(l, name))
		return refuse(l, line_of(l, mark), "an anchor with the name of an earlier one; rename one of them");
	if (l->n_anchors == MXT_YAML_MAX_ANCHORS)
		return refuse(l, line_of(l, mark), "more than 1000 anchors; this is no trainer's config");
	struct anchor *anchor = &l->anchors[l->n_anchors];
	anchor->name = strdup(name);
	if (!anchor->name)
		return mxt_error_oom(l->err);
	l->n_anchors++;
	*ret_anchor = anchor;
	return 0;
}

static const struct mxt_yaml_node *compose_alias(struct loader *l, const yaml_event_t *event)
{
	const struct anchor *anchor = find_anchor(l, (const char *)event->data.alias.anchor);
	size_t line = line_of(l, event->start_mark);
	if (!anchor)
		return failed(l, mxt_error_set(l->err, -EINVAL, MXT_E_YAML_SYNTAX,
					       "%s:%zu: an alias to an anchor that is not there", l->text.name, line));
	if (!anchor->node)
		return failed(l, refuse(l, line, "an alias inside of what it stands for"));
	if (l->depth + anchor->node->height > MXT_YAML_MAX_DEPTH)
		return failed(l, refuse(l, line, "nested deeper than 64 levels"));
	return anchor->node;
}

/* ---- containers ---- */

struct entries {
	struct mxt_yaml_entry *items;
	size_t count, max;
};

static void entries_finish(struct entries *entries)
{
	free(entries->items);
}

static int entries_add(const struct loader *l, struct entries *entries, struct mxt_yaml_entry entry)
{
	struct mxt_yaml_entry *items = mxt_array_reserve(entries->items, entries->count, &entries->max, sizeof *items);
	if (!items)
		return mxt_error_oom(l->err);
	entries->items = items;
	items[entries->count++] = entry;
	return 0;
}

static const struct mxt_yaml_node *compose(struct loader *l, const yaml_event_t *event);

/* The node that the next event starts; NULL without a failure when the event is `end` instead. */
static const struct mxt_yaml_node *compose_next(struct loader *l, yaml_event_type_t end)
{
	MXT_CLEANUP(yaml_event_delete) yaml_event_t event;
	memset(&event, 0, sizeof event);
	int rc = mxt_yaml_parser_next(&l->parser, &l->text, &event, l->err);
	if (rc < 0)
		return failed(l, rc);
	return event.type == end ? NULL : compose(l, &event);
}

static int check_value(const struct loader *l, const struct mxt_yaml_node *value)
{
	if (value->value.kind == MXT_YAML_MERGE || value->value.kind == MXT_YAML_VALUE)
		return mxt_error_set(l->err, -EINVAL, MXT_E_YAML_SYNTAX,
				     "%s:%zu: %s stands for a value, which the trainer's reader refuses; quote it",
				     l->text.name, value->line, value->text);
	return 0;
}

static int check_key(const struct loader *l, const struct mxt_yaml_node *key)
{
	if (key->value.kind == MXT_YAML_SEQUENCE || key->value.kind == MXT_YAML_MAPPING)
		return refuse(l, key->line, "a list or a map as a key");
	return 0;
}

static int read_sequence(struct loader *l, struct entries *entries)
{
	for (;;) {
		struct mxt_yaml_entry entry = {NULL, compose_next(l, YAML_SEQUENCE_END_EVENT)};
		if (!entry.value)
			return l->status;
		int rc = check_value(l, entry.value);
		if (rc == 0)
			rc = entries_add(l, entries, entry);
		if (rc < 0)
			return rc;
	}
}

static int read_mapping(struct loader *l, struct entries *entries)
{
	for (;;) {
		struct mxt_yaml_entry entry = {compose_next(l, YAML_MAPPING_END_EVENT), NULL};
		if (!entry.key)
			return l->status;
		int rc = check_key(l, entry.key);
		if (rc < 0)
			return rc;
		entry.value = compose_next(l, YAML_NO_EVENT);
		if (!entry.value)
			return l->status;
		rc = check_value(l, entry.value);
		if (rc == 0)
			rc = entries_add(l, entries, entry);
		if (rc < 0)
			return rc;
	}
}

/* Takes the entries over and sums up what is below. */
static int close_container(const struct loader *l, struct mxt_yaml_node *node, struct entries *entries)
{
	for (size_t i = 0; i < entries->count; i++) {
		const struct mxt_yaml_entry *e = &entries->items[i];
		node->weight += e->value->weight + (e->key ? e->key->weight : 0);
		if (e->value->height > node->height)
			node->height = e->value->height;
		if (node->weight > MXT_YAML_MAX_NODES)
			return refuse(l, node->line, "aliases that stand for more than 100000 values");
	}
	node->height++;
	node->entries = entries->items;
	node->count = entries->count;
	*entries = (struct entries){NULL, 0, 0};
	return node->value.kind == MXT_YAML_MAPPING ? mxt_yaml_map_finish(l->text.name, node, l->err) : 0;
}

static int fill_container(struct loader *l, const yaml_event_t *event, struct mxt_yaml_node *node)
{
	bool sequence = node->value.kind == MXT_YAML_SEQUENCE;
	const struct tag_row *tag = NULL;
	if (l->depth == MXT_YAML_MAX_DEPTH)
		return refuse(l, node->line, "nested deeper than 64 levels");
	int rc =
	    read_tag(l, sequence ? event->data.sequence_start.tag : event->data.mapping_start.tag, node->line, &tag);
	if (rc == 0 && tag && tag->kind != node->value.kind)
		rc = refuse_tagged(l, tag, node->line);
	if (rc < 0)
		return rc;
	l->depth++;
	l->flow_depth += mxt_yaml_event_is_flow(event) ? 1 : 0;
	MXT_CLEANUP(entries_finish) struct entries entries = {NULL, 0, 0};
	rc = sequence ? read_sequence(l, &entries) : read_mapping(l, &entries);
	l->flow_depth -= mxt_yaml_event_is_flow(event) ? 1 : 0;
	l->depth--;
	return rc < 0 ? rc : close_container(l, node, &entries);
}

static struct mxt_yaml_node *compose_container(struct loader *l, const yaml_event_t *event, enum mxt_yaml_kind kind)
{
	struct mxt_yaml_node *node = add_node(l, event->start_mark, event->start_mark);
	if (!node)
		return NULL;
	node->value.kind = kind;
	int rc = fill_container(l, event, node);
	return rc < 0 ? failed(l, rc) : node;
}

static struct mxt_yaml_node *compose_kind(struct loader *l, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return compose_scalar(l, event);
	case YAML_SEQUENCE_START_EVENT:
		return compose_container(l, event, MXT_YAML_SEQUENCE);
	case YAML_MAPPING_START_EVENT:
		return compose_container(l, event, MXT_YAML_MAPPING);
	default:
		return failed(l, refuse(l, line_of(l, event->start_mark), "neither a value nor a list nor a map"));
	}
}

static const struct mxt_yaml_node *compose(struct loader *l, const yaml_event_t *event)
{
	if (event->type == YAML_ALIAS_EVENT)
		return compose_alias(l, event);
	struct anchor *anchor = NULL;
	int rc = open_anchor(l, mxt_yaml_event_anchor(event), event->start_mark, &anchor);
	if (rc < 0)
		return failed(l, rc);
	struct mxt_yaml_node *node = compose_kind(l, event);
	if (anchor)
		anchor->node = node;
	return node;
}

/* ---- the document ---- */

static int expect_event(struct loader *l, yaml_event_type_t type, const char *otherwise)
{
	MXT_CLEANUP(yaml_event_delete) yaml_event_t event;
	memset(&event, 0, sizeof event);
	int rc = mxt_yaml_parser_next(&l->parser, &l->text, &event, l->err);
	if (rc < 0)
		return rc;
	if (event.type != type)
		return refuse(l, line_of(l, event.start_mark), otherwise);
	if (type == YAML_DOCUMENT_START_EVENT &&
	    event.data.document_start.tag_directives.start != event.data.document_start.tag_directives.end)
		return refuse(l, line_of(l, event.start_mark), "a %TAG directive");
	return 0;
}

static int load_document(struct loader *l)
{
	int rc = expect_event(l, YAML_STREAM_START_EVENT, "no YAML");
	if (rc == 0)
		rc = expect_event(l, YAML_DOCUMENT_START_EVENT, "nothing but comments; a map of keys is expected");
	if (rc < 0)
		return rc;
	l->tree->root = compose_next(l, YAML_NO_EVENT);
	if (!l->tree->root)
		return l->status;
	rc = check_value(l, l->tree->root);
	if (rc == 0)
		rc = expect_event(l, YAML_DOCUMENT_END_EVENT, "more than one value");
	if (rc == 0)
		rc = expect_event(l, YAML_STREAM_END_EVENT, "a second document; one file holds one config");
	return rc < 0 ? rc : mxt_yaml_strict_check(&l->text, l->spans, l->n_spans, l->err);
}

static void loader_destroy(struct loader *l)
{
	if (!l)
		return;
	yaml_parser_delete(&l->parser);
	mxt_yaml_text_finish(&l->text);
	for (size_t i = 0; i < l->n_anchors; i++)
		free(l->anchors[i].name);
	free(l->spans);
	mxt_yaml_tree_destroy(l->tree);
	free(l);
}

static void loader_cleanup(struct loader **l)
{
	loader_destroy(*l);
}

/* `l` is zeroed memory. */
static int loader_open(struct loader *l, const char *name, const char *bytes, size_t len, struct mxt_error *err)
{
	l->err = err;
	l->tree = calloc(1, sizeof *l->tree);
	if (!l->tree)
		return mxt_error_oom(err);
	int rc = mxt_yaml_text_init(&l->text, name, bytes, len, err);
	return rc < 0 ? rc : mxt_yaml_parser_open(&l->parser, &l->text, err);
}

int mxt_yaml_tree_parse(const char *name, const char *bytes, size_t len, struct mxt_yaml_tree **ret_tree,
			struct mxt_error *err)
{
	if (len > MXT_YAML_MAX_BYTES)
		return mxt_error_set(err, -EFBIG, MXT_E_TOO_LARGE, "%s is larger than %zu bytes", name,
				     MXT_YAML_MAX_BYTES);
	MXT_CLEANUP(loader_cleanup) struct loader *l = calloc(1, sizeof *l);
	if (!l)
		return mxt_error_oom(err);
	int rc = loader_open(l, name, bytes, len, err);
	if (rc == 0)
		rc = load_document(l);
	if (rc < 0)
		return rc;
	*ret_tree = l->tree;
	l->tree = NULL;
	return 0;
}

void mxt_yaml_tree_destroy(struct mxt_yaml_tree *tree)
{
	if (!tree)
		return;
	for (struct mxt_yaml_node *node = tree->all, *next = NULL; node; node = next) {
		next = node->next;
		free(node->text);
		free(node->entries);
		free(node);
	}
	free(tree);
}

const struct mxt_yaml_node *mxt_yaml_tree_root(const struct mxt_yaml_tree *tree)
{
	return tree->root;
}

const struct mxt_yaml_node *mxt_yaml_get(const struct mxt_yaml_node *node, const char *key)
{
	for (size_t i = 0; i < node->count; i++) {
		const struct mxt_yaml_node *k = node->entries[i].key;
		if (k && k->value.kind == MXT_YAML_STRING && strcmp(k->text, key) == 0)
			return node->entries[i].value;
	}
	return NULL;
}
