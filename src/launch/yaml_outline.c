/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml_outline.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "error.h"
#include "yaml_event.h"

#define NO_ITEM SIZE_MAX

struct anchor {
	char *name;  /* owned */
	size_t item; /* index, or NO_ITEM for the top level's own */
};

struct walk {
	struct mxt_yaml_outline *outline;
	yaml_parser_t parser;
	struct anchor *anchors; /* owned */
	size_t n_anchors, max_anchors, max_items;
	unsigned depth; /* open containers */
	unsigned flow;  /* depth at which brackets or braces began; 0 outside of them */
	bool on_value;  /* at the top: the next node is a value */
	struct mxt_error *err;
};

/* ---- places ---- */

static size_t offset_of(const struct walk *w, yaml_mark_t mark)
{
	return mxt_yaml_text_offset(&w->outline->text, mark.index);
}

static struct mxt_yaml_item *last_item(const struct walk *w)
{
	return w->outline->count > 0 ? &w->outline->items[w->outline->count - 1] : NULL;
}

/* Back over the blank lines that a text block took in. */
static size_t trim(const struct walk *w, size_t begin, size_t end)
{
	while (end > begin && memchr(" \t\r\n", w->outline->text.bytes[end - 1], 4))
		end--;
	return end;
}

/* ---- anchors ---- */

static int add_anchor(struct walk *w, const char *name)
{
	if (!name)
		return 0;
	struct anchor *anchors = mxt_array_reserve(w->anchors, w->n_anchors, &w->max_anchors, sizeof *anchors);
	if (!anchors)
		return mxt_error_oom(w->err);
	w->anchors = anchors;
	size_t item = w->outline->count > 0 ? w->outline->count - 1 : NO_ITEM;
	w->anchors[w->n_anchors] = (struct anchor){strdup(name), item};
	if (!w->anchors[w->n_anchors].name)
		return mxt_error_oom(w->err);
	w->n_anchors++;
	return 0;
}

static void note_alias(struct walk *w, const yaml_event_t *event)
{
	size_t here = w->outline->count - 1;
	for (size_t i = 0; i < w->n_anchors; i++) {
		const struct anchor *anchor = &w->anchors[i];
		if (strcmp(anchor->name, (const char *)event->data.alias.anchor) != 0 || anchor->item == NO_ITEM)
			continue;
		struct mxt_yaml_item *item = &w->outline->items[anchor->item];
		if (anchor->item != here && item->alias_line == 0)
			item->alias_line = mxt_yaml_text_line(&w->outline->text, offset_of(w, event->start_mark));
	}
}

/* ---- nodes ---- */

static enum mxt_yaml_form form_of(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_ALIAS_EVENT:
		return MXT_YAML_FORM_ALIAS;
	case YAML_SEQUENCE_START_EVENT:
		return mxt_yaml_event_is_flow(event) ? MXT_YAML_FORM_FLOW_LIST : MXT_YAML_FORM_BLOCK_LIST;
	case YAML_MAPPING_START_EVENT:
		return mxt_yaml_event_is_flow(event) ? MXT_YAML_FORM_FLOW_MAP : MXT_YAML_FORM_BLOCK_MAP;
	default:
		break;
	}
	bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	if (plain && event->data.scalar.length == 0)
		return MXT_YAML_FORM_EMPTY;
	return mxt_yaml_event_is_block_text(event) ? MXT_YAML_FORM_TEXT : MXT_YAML_FORM_SCALAR;
}

static int start_item(struct walk *w, const yaml_event_t *event)
{
	struct mxt_yaml_outline *o = w->outline;
	struct mxt_yaml_item *items = mxt_array_reserve(o->items, o->count, &w->max_items, sizeof *items);
	if (!items)
		return mxt_error_oom(w->err);
	o->items = items;
	char *key = NULL;
	if (event->type == YAML_SCALAR_EVENT && !(key = strdup((const char *)event->data.scalar.value)))
		return mxt_error_oom(w->err);
	if (o->count == 0)
		o->column = event->start_mark.column;
	o->items[o->count++] = (struct mxt_yaml_item){
	    .key = key,
	    .key_begin = offset_of(w, event->start_mark),
	    .key_end = offset_of(w, event->end_mark),
	};
	return 0;
}

static void start_value(struct walk *w, const yaml_event_t *event)
{
	struct mxt_yaml_item *item = last_item(w);
	item->form = form_of(event);
	item->value_begin = offset_of(w, event->start_mark);
	item->value_end = item->content_end = item->value_begin;
}

static void start_root(struct walk *w, const yaml_event_t *event)
{
	struct mxt_yaml_outline *o = w->outline;
	o->map = event->type == YAML_MAPPING_START_EVENT;
	o->block = o->map && !mxt_yaml_event_is_flow(event);
	o->root_begin = offset_of(w, event->start_mark);
}

/* What stands in the file ends: a scalar, an alias, brackets or braces. Block lists and maps end with their last. */
static void end_content(struct walk *w, const yaml_event_t *event)
{
	struct mxt_yaml_item *item = last_item(w);
	if (!item || !(w->on_value || w->depth > 1))
		return;
	item->content_end = offset_of(w, event->end_mark);
	item->value_end =
	    mxt_yaml_event_is_block_text(event) ? trim(w, item->value_begin, item->content_end) : item->content_end;
	if (w->depth > 1)
		item->element_end = item->content_end;
	w->outline->text_at_end = mxt_yaml_event_is_block_text(event);
}

/* A key or a value at the top is complete. */
static void end_node(struct walk *w)
{
	if (w->depth == 1)
		w->on_value = !w->on_value;
}

static int start_node(struct walk *w, const yaml_event_t *event)
{
	int rc = 0;
	if (w->depth == 0)
		start_root(w, event);
	else if (!w->outline->block)
		return 0;
	else if (w->depth == 1 && w->on_value)
		start_value(w, event);
	else if (w->depth == 1)
		rc = start_item(w, event);
	else if (w->depth == 2)
		last_item(w)->n_elements++;
	return rc < 0 ? rc : add_anchor(w, mxt_yaml_event_anchor(event));
}

static int take_leaf(struct walk *w, const yaml_event_t *event)
{
	int rc = start_node(w, event);
	if (rc < 0 || !w->outline->block)
		return rc;
	if (event->type == YAML_ALIAS_EVENT)
		note_alias(w, event);
	end_content(w, event);
	end_node(w);
	return 0;
}

static int open_container(struct walk *w, const yaml_event_t *event)
{
	int rc = start_node(w, event);
	w->depth++;
	if (w->flow == 0 && mxt_yaml_event_is_flow(event))
		w->flow = w->depth;
	return rc;
}

static void close_container(struct walk *w, const yaml_event_t *event)
{
	bool flow = w->flow > 0;
	if (w->flow == w->depth)
		w->flow = 0;
	w->depth--;
	if (w->depth == 0 || !w->outline->block)
		return;
	if (flow)
		end_content(w, event);
	end_node(w);
}

/* ---- the walk ---- */

static int take_event(struct walk *w, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
	case YAML_ALIAS_EVENT:
		return take_leaf(w, event);
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return open_container(w, event);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		close_container(w, event);
		return 0;
	case YAML_DOCUMENT_END_EVENT:
		if (!event->data.document_end.implicit)
			w->outline->end = offset_of(w, event->start_mark);
		return 0;
	default:
		return 0;
	}
}

static int walk_events(struct walk *w)
{
	for (bool done = false; !done;) {
		MXT_CLEANUP(yaml_event_delete) yaml_event_t event;
		memset(&event, 0, sizeof event);
		int rc = mxt_yaml_parser_next(&w->parser, &w->outline->text, &event, w->err);
		if (rc == 0)
			rc = take_event(w, &event);
		if (rc < 0)
			return rc;
		done = event.type == YAML_STREAM_END_EVENT || event.type == YAML_NO_EVENT;
	}
	return 0;
}

static void walk_finish(struct walk *w)
{
	yaml_parser_delete(&w->parser);
	for (size_t i = 0; i < w->n_anchors; i++)
		free(w->anchors[i].name);
	free(w->anchors);
}

static int walk_text(struct mxt_yaml_outline *outline, struct mxt_error *err)
{
	MXT_CLEANUP(walk_finish) struct walk w = {.outline = outline, .err = err};
	int rc = mxt_yaml_parser_open(&w.parser, &outline->text, err);
	return rc < 0 ? rc : walk_events(&w);
}

int mxt_yaml_outline_init(struct mxt_yaml_outline *outline, const char *name, const char *bytes, size_t len,
			  struct mxt_error *err)
{
	*outline = (struct mxt_yaml_outline){.end = len};
	int rc = mxt_yaml_text_init(&outline->text, name, bytes, len, err);
	if (rc < 0)
		return rc;
	rc = walk_text(outline, err);
	if (rc < 0)
		mxt_yaml_outline_finish(outline);
	return rc;
}

void mxt_yaml_outline_finish(struct mxt_yaml_outline *outline)
{
	for (size_t i = 0; i < outline->count; i++)
		free(outline->items[i].key);
	free(outline->items);
	mxt_yaml_text_finish(&outline->text);
	*outline = (struct mxt_yaml_outline){.count = 0};
}

const struct mxt_yaml_item *mxt_yaml_outline_find(const struct mxt_yaml_outline *outline, const char *key)
{
	for (size_t i = 0; i < outline->count; i++)
		if (outline->items[i].key && strcmp(outline->items[i].key, key) == 0)
			return &outline->items[i];
	return NULL;
}
