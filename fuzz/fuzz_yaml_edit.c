/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of a config: whatever text there is, what comes out can be read, has the planned keys, and needs no edit of the
 * same kind any more. Where nothing changes, not a byte does.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "json.h"
#include "yaml_edit.h"
#include "yaml_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct mxt_yaml_change plan[] = {
    {"a", "false", false, false}, {"b", "[x, {y: 'z'}]", false, false}, {"c", NULL, true, false},
    {"d", NULL, false, false},    {"plugins", "m.P", false, true},
};

static void check_refusal(const struct mxt_error *err)
{
	assert(err->id == MXT_E_YAML_SYNTAX || err->id == MXT_E_YAML_REFUSED || err->id == MXT_E_TOO_LARGE ||
	       err->id == MXT_E_LAUNCH_YAML);
	assert(mxt_json_is_text(mxt_error_text(err)));
}

static void check_keys(const struct mxt_buf *text)
{
	MXT_CLEANUP_YAML struct mxt_yaml_tree *tree = NULL;
	int rc = mxt_yaml_tree_parse("out", mxt_buf_text(text), text->len, &tree, NULL);
	assert(rc == 0);
	const struct mxt_yaml_node *root = mxt_yaml_tree_root(tree);
	const struct mxt_yaml_node *a = mxt_yaml_get(root, "a"), *b = mxt_yaml_get(root, "b");
	const struct mxt_yaml_node *c = mxt_yaml_get(root, "c"), *plugins = mxt_yaml_get(root, "plugins");
	assert(a && a->value.kind == MXT_YAML_BOOL && !a->value.boolean);
	assert(b && b->value.kind == MXT_YAML_SEQUENCE && b->count == 2);
	assert(!c || c->value.kind == MXT_YAML_NULL || (c->value.kind == MXT_YAML_BOOL && !c->value.boolean));
	assert(!mxt_yaml_get(root, "d"));
	assert(plugins && plugins->value.kind == MXT_YAML_SEQUENCE && plugins->count > 0);
}

static void check_single(const struct mxt_buf *text, const struct mxt_yaml_change *change)
{
	MXT_CLEANUP_BUF struct mxt_buf out = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf shown = MXT_BUF_INIT;
	MXT_CLEANUP_JSON json_t *made = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_yaml_edit("fuzz", text, change, 1, &out, &made, &err) < 0) {
		check_refusal(&err);
		return;
	}
	mxt_yaml_changes_text(made, &shown);
	assert(json_array_size(made) <= 1 && (shown.len > 0) == (json_array_size(made) == 1));
	if (json_array_size(made) == 0)
		assert(out.len == text->len && memcmp(out.data, text->data, text->len) == 0);
}

static void check_again(const struct mxt_buf *text)
{
	MXT_CLEANUP_BUF struct mxt_buf again = MXT_BUF_INIT;
	MXT_CLEANUP_JSON json_t *made = NULL;
	int rc = mxt_yaml_edit("again", text, plan, MXT_ARRAY_LEN(plan), &again, &made, NULL);
	assert(rc == 0 && json_array_size(made) == 0);
	assert(again.len == text->len && memcmp(again.data, text->data, text->len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf out = MXT_BUF_INIT;
	MXT_CLEANUP_JSON json_t *made = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	mxt_buf_append(&text, data, size);
	for (size_t i = 0; i < MXT_ARRAY_LEN(plan); i++)
		check_single(&text, &plan[i]);
	if (mxt_yaml_edit("fuzz", &text, plan, MXT_ARRAY_LEN(plan), &out, &made, &err) < 0) {
		check_refusal(&err);
		return 0;
	}
	check_keys(&out);
	check_again(&out);
	return 0;
}
