/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml_changes.h"

#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "json.h"
#include "printable.h"
#include "yaml_outline.h"

/* Before the text of an element that was appended. */
static const char dash[] = "- ";

static int set_text(json_t *object, const char *name, const char *text, size_t len)
{
	return json_object_set_new(object, name, json_stringn(text, len));
}

int mxt_yaml_changes_add(json_t *changes, const struct mxt_yaml_changed *changed, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf to = MXT_BUF_INIT;
	if (changed->to)
		mxt_buf_printf(&to, "%s%s", changed->element ? dash : "", changed->to);
	MXT_CLEANUP_JSON json_t *object =
	    json_pack("{s:s, s:I}", "key", changed->key, "line", (json_int_t)changed->line);
	int rc = object && !to.failed ? 0 : -1;
	if (rc == 0 && changed->from)
		rc = set_text(object, "from", changed->from, changed->from_len);
	if (rc == 0 && changed->to)
		rc = set_text(object, "to", to.data, to.len);
	if (rc == 0)
		rc = json_array_append(changes, object);
	return rc < 0 ? mxt_error_oom(err) : 0;
}

int mxt_yaml_changes_number(json_t *changes, const struct mxt_yaml_outline *outline, struct mxt_error *err)
{
	size_t i = 0;
	json_t *change = NULL;
	json_array_foreach(changes, i, change)
	{
		const struct mxt_yaml_item *item = mxt_yaml_outline_find(outline, mxt_json_text(change, "key"));
		if (!item)
			continue;
		bool element = strncmp(mxt_json_text(change, "to"), dash, strlen(dash)) == 0;
		size_t line = mxt_yaml_text_line(&outline->text, element ? item->element_end : item->key_begin);
		if (json_object_set_new(change, "line", json_integer((json_int_t)line)) < 0)
			return mxt_error_oom(err);
	}
	return 0;
}

static void put_side(struct mxt_buf *buf, const json_t *change, char sign, const char *side)
{
	const json_t *value = json_object_get(change, side);
	if (!value)
		return;
	char key[MXT_PRINTABLE_SIZE], shown[MXT_PRINTABLE_SIZE];
	const char *text = json_string_value(value);
	size_t len = strcspn(text, "\r\n");
	MXT_CLEANUP_BUF struct mxt_buf first = MXT_BUF_INIT;
	mxt_buf_append(&first, text, len);
	mxt_buf_printf(buf, "%" PRId64 "  %c %s:%s%s%s\n", mxt_json_integer(change, "line"), sign,
		       mxt_printable(mxt_json_text(change, "key"), key), len > 0 ? " " : "",
		       mxt_printable(mxt_buf_text(&first), shown), text[len] ? " ..." : "");
	buf->failed |= first.failed;
}

void mxt_yaml_changes_text(const json_t *changes, struct mxt_buf *buf)
{
	size_t i = 0;
	const json_t *change = NULL;
	json_array_foreach(changes, i, change)
	{
		put_side(buf, change, '-', "from");
		put_side(buf, change, '+', "to");
	}
}
