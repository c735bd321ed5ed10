/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml_edit.h"

#include <errno.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "printable.h"
#include "yaml_changes.h"
#include "yaml_outline.h"
#include "yaml_same.h"
#include "yaml_splice.h"
#include "yaml_tree.h"

/* The text as it is after the changes so far, and what it means. */
struct edit {
	const char *name;
	struct mxt_buf text;
	struct mxt_yaml_tree *tree; /* owned */
	json_t *changes;            /* owned */
	struct mxt_error *err;
};

static void edit_finish(struct edit *e)
{
	mxt_buf_finish(&e->text);
	mxt_yaml_tree_destroy(e->tree);
	json_decref(e->changes);
}

static int refuse(const struct edit *e, size_t line, const char *key, const char *why)
{
	return mxt_error_set(e->err, -EINVAL, MXT_E_LAUNCH_YAML, "%s:%zu: '%s' %s", e->name, line, key, why);
}

/* ---- what to do ---- */

enum action {
	ACTION_NONE,
	ACTION_SET,
	ACTION_SET_LIST, /* an empty value becomes a list of one */
	ACTION_ADD_KEY,
	ACTION_ADD_LIST,    /* a key that is a list of one */
	ACTION_ADD_ELEMENT, /* to a list that is there */
	ACTION_REMOVE,
};

/* One change on its way: all borrowed. */
struct step {
	const struct mxt_yaml_change *change;
	const char *value;                  /* text to be written */
	const struct mxt_yaml_node *wanted; /* what it means */
	const struct mxt_yaml_node *node;   /* the key's value as it is; NULL: there is none */
	const struct mxt_yaml_item *item;   /* where it is; NULL: nowhere, or in a map that is merged */
	enum action action;
};

static bool is_off(const struct mxt_yaml_node *node)
{
	return node->value.kind == MXT_YAML_NULL || (node->value.kind == MXT_YAML_BOOL && !node->value.boolean);
}

static enum action action_of_list(const struct step *s)
{
	if (!s->node)
		return ACTION_ADD_LIST;
	if (s->node->value.kind == MXT_YAML_NULL)
		return ACTION_SET_LIST;
	return mxt_yaml_holds(s->node, s->wanted) ? ACTION_NONE : ACTION_ADD_ELEMENT;
}

static enum action action_of(const struct step *s)
{
	if (s->change->append && s->change->value)
		return action_of_list(s);
	if (s->change->value && !s->node)
		return ACTION_ADD_KEY;
	if (!s->node)
		return ACTION_NONE;
	if (s->change->value)
		return mxt_yaml_same(s->node, s->wanted) ? ACTION_NONE : ACTION_SET;
	if (!s->change->keep_false)
		return ACTION_REMOVE;
	return is_off(s->node) ? ACTION_NONE : ACTION_SET;
}

/* What would change more than the key, or cannot be written. */
static int check_step(const struct edit *e, const struct mxt_yaml_outline *o, const struct step *s)
{
	const char *key = s->change->key;
	if (!s->node)
		return 0;
	if (!s->item)
		return refuse(e, s->node->line, key,
			      "comes out of a map that << merges; set it at the top of the file");
	size_t line = mxt_yaml_text_line(&o->text, s->item->key_begin);
	if (s->item->alias_line)
		return mxt_error_set(e->err, -EINVAL, MXT_E_LAUNCH_YAML,
				     "%s:%zu: the value of '%s' is used again in line %zu, through an alias; write it "
				     "out there",
				     e->name, line, key, s->item->alias_line);
	if (s->action != ACTION_ADD_ELEMENT)
		return 0;
	if (s->item->form == MXT_YAML_FORM_ALIAS)
		return refuse(e, line, key, "is an alias of a list; write the list out");
	return s->node->value.kind == MXT_YAML_SEQUENCE ? 0 : refuse(e, line, key, "is not a list; make it one");
}

/* ---- the planned value ---- */

static int refuse_change(const struct edit *e, const struct step *s)
{
	char key[MXT_PRINTABLE_SIZE], value[MXT_PRINTABLE_SIZE];
	return mxt_error_set(e->err, -EINVAL, MXT_E_LAUNCH_YAML,
			     "%s: '%s: %s' cannot be set: it is not one key with one value on one line", e->name,
			     mxt_printable(s->change->key, key), mxt_printable(s->value, value));
}

/* One scalar, or one list or map in brackets, that fills its line. */
static int check_line(const struct edit *e, const struct step *s, const struct mxt_buf *line)
{
	MXT_CLEANUP_YAML_OUTLINE struct mxt_yaml_outline o = {.count = 0};
	int rc = mxt_yaml_outline_init(&o, "", line->data, line->len, e->err);
	if (rc < 0)
		return rc;
	const struct mxt_yaml_item *item = o.count == 1 ? &o.items[0] : NULL;
	bool known = item && (item->form == MXT_YAML_FORM_SCALAR || item->form == MXT_YAML_FORM_FLOW_LIST ||
			      item->form == MXT_YAML_FORM_FLOW_MAP);
	return known && item->value_end == line->len && !strpbrk(line->data, "\r\n") ? 0 : refuse_change(e, s);
}

/* Reads the planned value as a file that holds nothing else. */
static int parse_wanted(const struct edit *e, struct step *s, struct mxt_yaml_tree **ret_tree)
{
	MXT_CLEANUP_BUF struct mxt_buf line = MXT_BUF_INIT;
	mxt_buf_printf(&line, "%s: %s", s->change->key, s->value);
	int rc = mxt_buf_status(&line, e->err);
	if (rc == 0)
		rc = mxt_yaml_tree_parse("", line.data, line.len, ret_tree, NULL);
	if (rc == -ENOMEM)
		return mxt_error_oom(e->err);
	if (rc < 0)
		return refuse_change(e, s);
	s->wanted = mxt_yaml_get(mxt_yaml_tree_root(*ret_tree), s->change->key);
	return s->wanted ? check_line(e, s, &line) : refuse_change(e, s);
}

/* ---- doing it ---- */

static bool splice(const struct mxt_yaml_outline *o, const struct step *s, struct mxt_buf *out)
{
	MXT_CLEANUP_BUF struct mxt_buf list = MXT_BUF_INIT;
	switch (s->action) {
	case ACTION_SET:
		return mxt_yaml_splice_value(o, s->item, s->value, out);
	case ACTION_SET_LIST:
		mxt_buf_printf(&list, "[%s]", s->value);
		out->failed |= list.failed;
		return mxt_yaml_splice_value(o, s->item, mxt_buf_text(&list), out);
	case ACTION_ADD_ELEMENT:
		mxt_yaml_splice_element(o, s->item, s->value, out);
		return true;
	case ACTION_REMOVE:
		mxt_yaml_splice_out(o, s->item, out);
		return true;
	default:
		mxt_yaml_splice_key(o, s->change->key, s->value, s->action == ACTION_ADD_LIST, out);
		return true;
	}
}

/* The changed text means what it should: this key as planned, all else as before. */
static bool came_true(const struct edit *e, const struct step *s, const struct mxt_yaml_node *root)
{
	const struct mxt_yaml_node *node = mxt_yaml_get(root, s->change->key);
	const struct mxt_yaml_node nothing = {.value.kind = MXT_YAML_SEQUENCE};
	if (root->value.kind != MXT_YAML_MAPPING ||
	    !mxt_yaml_same_but_key(mxt_yaml_tree_root(e->tree), root, s->change->key))
		return false;
	if (s->action == ACTION_REMOVE || !node)
		return s->action == ACTION_REMOVE && !node;
	if (s->action == ACTION_SET || s->action == ACTION_ADD_KEY)
		return mxt_yaml_same(node, s->wanted);
	return mxt_yaml_same_but_last(s->action == ACTION_ADD_ELEMENT ? s->node : &nothing, node, s->wanted);
}

/* Reads the changed text again. */
static int accept(const struct edit *e, const struct step *s, size_t line, const struct mxt_buf *text,
		  struct mxt_yaml_tree **ret_tree)
{
	static const char safely[] = "cannot be edited here without changing more; set it by hand";
	MXT_CLEANUP_YAML struct mxt_yaml_tree *tree = NULL;
	int rc = mxt_buf_status(text, e->err);
	if (rc < 0)
		return rc;
	rc = mxt_yaml_tree_parse(e->name, mxt_buf_text(text), text->len, &tree, NULL);
	if (rc == -ENOMEM)
		return mxt_error_oom(e->err);
	if (rc < 0 || !came_true(e, s, mxt_yaml_tree_root(tree)))
		return refuse(e, line, s->change->key, safely);
	*ret_tree = tree;
	tree = NULL;
	return 0;
}

static int record(const struct edit *e, const struct mxt_yaml_outline *o, const struct step *s, size_t line)
{
	const struct mxt_yaml_item *old = s->action == ACTION_ADD_ELEMENT ? NULL : s->item;
	const struct mxt_yaml_changed changed = {
	    .key = s->change->key,
	    .line = line,
	    .from = old ? o->text.bytes + old->value_begin : NULL,
	    .from_len = old ? old->value_end - old->value_begin : 0,
	    .to = s->action == ACTION_REMOVE ? NULL : s->value,
	    .element = s->action == ACTION_ADD_LIST || s->action == ACTION_ADD_ELEMENT || s->action == ACTION_SET_LIST,
	};
	return mxt_yaml_changes_add(e->changes, &changed, e->err);
}

/* ---- all of them ---- */

static int do_step(struct edit *e, const struct mxt_yaml_outline *o, const struct step *s)
{
	MXT_CLEANUP_YAML struct mxt_yaml_tree *tree = NULL;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	size_t line = s->item ? mxt_yaml_text_line(&o->text, s->item->key_begin) : 1;
	int rc = check_step(e, o, s);
	if (rc < 0)
		return rc;
	if (!splice(o, s, &text))
		return refuse(e, line, s->change->key, "has an anchor or a tag before its lines; remove it");
	rc = accept(e, s, line, &text, &tree);
	if (rc == 0)
		rc = record(e, o, s, line);
	if (rc < 0)
		return rc;
	struct mxt_buf old_text = e->text;
	struct mxt_yaml_tree *old_tree = e->tree;
	e->text = text;
	e->tree = tree;
	text = old_text;
	tree = old_tree;
	return 0;
}

static int apply(struct edit *e, const struct mxt_yaml_change *change)
{
	MXT_CLEANUP_YAML struct mxt_yaml_tree *wanted = NULL;
	MXT_CLEANUP_YAML_OUTLINE struct mxt_yaml_outline o = {.count = 0};
	struct step s = {.change = change, .value = change->value ? change->value : "false"};
	int rc = parse_wanted(e, &s, &wanted);
	if (rc == 0)
		rc = mxt_yaml_outline_init(&o, e->name, e->text.data, e->text.len, e->err);
	if (rc < 0)
		return rc;
	s.node = mxt_yaml_get(mxt_yaml_tree_root(e->tree), change->key);
	s.item = mxt_yaml_outline_find(&o, change->key);
	s.action = action_of(&s);
	return s.action == ACTION_NONE ? 0 : do_step(e, &o, &s);
}

/* What goes, goes last, so that the text is never without any key. */
static int apply_all(struct edit *e, const struct mxt_yaml_change *changes, size_t n_changes)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < n_changes; i++)
		if (changes[i].value)
			rc = apply(e, &changes[i]);
	for (size_t i = 0; rc == 0 && i < n_changes; i++)
		if (!changes[i].value)
			rc = apply(e, &changes[i]);
	return rc;
}

static int number_lines(const struct edit *e)
{
	MXT_CLEANUP_YAML_OUTLINE struct mxt_yaml_outline o = {.count = 0};
	int rc = mxt_yaml_outline_init(&o, e->name, e->text.data, e->text.len, e->err);
	return rc < 0 ? rc : mxt_yaml_changes_number(e->changes, &o, e->err);
}

static int check_top(const struct edit *e)
{
	MXT_CLEANUP_YAML_OUTLINE struct mxt_yaml_outline o = {.count = 0};
	int rc = mxt_yaml_outline_init(&o, e->name, e->text.data, e->text.len, e->err);
	if (rc < 0 || o.block)
		return rc;
	const char *why = o.map
			      ? "the config is a map in braces, which cannot be edited; write it as lines `key: value`"
			      : "the config is no map of keys and values";
	return mxt_error_set(e->err, -EINVAL, MXT_E_LAUNCH_YAML, "%s:%zu: %s", e->name,
			     mxt_yaml_text_line(&o.text, o.root_begin), why);
}

static int edit_open(struct edit *e, const char *bytes, size_t len)
{
	int rc = mxt_yaml_tree_parse(e->name, bytes, len, &e->tree, e->err);
	if (rc < 0)
		return rc;
	e->changes = json_array();
	mxt_buf_append(&e->text, bytes, len);
	rc = e->changes ? mxt_buf_status(&e->text, e->err) : mxt_error_oom(e->err);
	return rc < 0 ? rc : check_top(e);
}

int mxt_yaml_edit(const char *name, const struct mxt_buf *text, const struct mxt_yaml_change *changes, size_t n_changes,
		  struct mxt_buf *out, json_t **ret_changes, struct mxt_error *err)
{
	MXT_CLEANUP(edit_finish) struct edit e = {.name = name, .text = MXT_BUF_INIT, .err = err};
	int rc = edit_open(&e, mxt_buf_text(text), text->len);
	if (rc == 0)
		rc = apply_all(&e, changes, n_changes);
	if (rc == 0)
		rc = number_lines(&e);
	if (rc < 0)
		return rc;
	mxt_buf_append(out, e.text.data, e.text.len);
	rc = mxt_buf_status(out, err);
	if (rc < 0)
		return rc;
	*ret_changes = e.changes;
	e.changes = NULL;
	return 0;
}
