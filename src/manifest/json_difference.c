/* SPDX-License-Identifier: Apache-2.0 */
#include "json_difference.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "json_path.h"

static bool equal(const json_t *left, const json_t *right)
{
	return (!left && !right) || (left && right && json_equal(left, right));
}

/* The first of one side's keys, by its bytes, whose value differs, if it comes before `first`. */
static const char *first_key(const json_t *mine, const json_t *other, const char *first)
{
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)mine, key, value) /* jansson's iterators take no const; nothing is changed */
	{
		if (!equal(value, json_object_get(other, key)) && (!first || strcmp(key, first) < 0))
			first = key;
	}
	return first;
}

static size_t first_index(const json_t *left, const json_t *right)
{
	size_t i = 0;
	while (json_array_get(left, i) && equal(json_array_get(left, i), json_array_get(right, i)))
		i++;
	return i;
}

static void append_value(const json_t *value, const char *name, struct mxt_buf *text)
{
	MXT_CLEANUP_FREE char *form = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	const char *plain = value ? json_string_value(value) : "absent";
	const char *shown = plain ? plain : form;
	if (!shown)
		text->failed = true;
	else
		mxt_buf_printf(text, "%.120s%s in %s", shown, strlen(shown) > 120 ? "..." : "", name);
}

static void append_difference(const struct mxt_json_path *path, const json_t *left, const json_t *right,
			      const char *const names[2], struct mxt_buf *text)
{
	if (json_is_object(left) && json_is_object(right)) {
		const char *key = first_key(right, left, first_key(left, right, NULL));
		struct mxt_json_path below = {.parent = path, .key = key};
		append_difference(&below, json_object_get(left, key), json_object_get(right, key), names, text);
	} else if (json_is_array(left) && json_is_array(right)) {
		size_t i = first_index(left, right);
		struct mxt_json_path below = {.parent = path, .index = i};
		append_difference(&below, json_array_get(left, i), json_array_get(right, i), names, text);
	} else {
		mxt_json_path_text(path, text);
		mxt_buf_puts(text, " is ");
		append_value(left, names[0], text);
		mxt_buf_puts(text, " and ");
		append_value(right, names[1], text);
	}
}

bool mxt_json_difference(const json_t *left, const json_t *right, const char *const names[2], struct mxt_buf *text)
{
	struct mxt_json_path root = MXT_JSON_ROOT;
	if (equal(left, right))
		return false;
	append_difference(&root, left, right, names, text);
	return true;
}
