/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "json.h"
#include "json_path.h"

/* Appends {"path", "left", "right"}. */
static int add(json_t *list, const struct mxt_json_path *path, json_t *left, json_t *right, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_json_path_text(path, &text);
	MXT_CLEANUP_JSON json_t *row = json_pack("{s:s}", "path", mxt_buf_text(&text));
	int rc = row && !text.failed ? 0 : -1;
	if (rc == 0 && left)
		rc = json_object_set(row, "left", left);
	if (rc == 0 && right)
		rc = json_object_set(row, "right", right);
	if (rc == 0)
		rc = json_array_append(list, row);
	return rc == 0 ? 0 : mxt_error_oom(err);
}

static int diff(json_t *list, const struct mxt_json_path *path, json_t *left, json_t *right, struct mxt_error *err);

static int compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Appends the keys of `object` that `other` lacks (or all, when it is NULL). */
static size_t collect_keys(json_t *object, const json_t *other, const char **keys)
{
	size_t n = 0;
	for (void *iter = json_object_iter(object); iter; iter = json_object_iter_next(object, iter))
		if (!json_object_get(other, json_object_iter_key(iter)))
			keys[n++] = json_object_iter_key(iter);
	return n;
}

static int diff_objects(json_t *list, const struct mxt_json_path *path, json_t *left, json_t *right,
			struct mxt_error *err)
{
	MXT_CLEANUP_FREE const char **keys = calloc(json_object_size(left) + json_object_size(right) + 1, sizeof *keys);
	if (!keys)
		return mxt_error_oom(err);
	size_t n = collect_keys(left, NULL, keys);
	n += collect_keys(right, left, keys + n);
	qsort(keys, n, sizeof *keys, compare_keys);
	for (size_t i = 0; i < n; i++) {
		const struct mxt_json_path at = {path, keys[i], 0};
		int rc = diff(list, &at, json_object_get(left, keys[i]), json_object_get(right, keys[i]), err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int diff(json_t *list, const struct mxt_json_path *path, json_t *left, json_t *right, struct mxt_error *err)
{
	if (json_is_object(left) && json_is_object(right))
		return diff_objects(list, path, left, right, err);
	if ((!left && !right) || json_equal(left, right))
		return 0;
	return add(list, path, left, right, err);
}

int mxt_plan_diff(const char *name, const json_t *left, const json_t *right, json_t **ret_differences,
		  struct mxt_error *err)
{
	const struct mxt_json_path root = MXT_JSON_ROOT, at = {&root, name, 0};
	MXT_CLEANUP_JSON json_t *list = json_array();
	if (!list)
		return mxt_error_oom(err);
	int rc = diff(list, &at, (json_t *)left, (json_t *)right, err);
	if (rc == 0)
		*ret_differences = json_incref(list);
	return rc;
}

static void append_value(const json_t *value, struct mxt_buf *buf)
{
	if (!value)
		mxt_buf_puts(buf, "nothing");
	else if (json_is_string(value))
		mxt_buf_puts(buf, json_string_value(value));
	else if (mxt_json_canonical(value, buf, NULL) < 0)
		mxt_buf_puts(buf, "?");
}

void mxt_plan_difference_text(const json_t *difference, const char *right_word, struct mxt_buf *buf)
{
	mxt_buf_printf(buf, "%s: ", json_string_value(json_object_get(difference, "path")));
	append_value(json_object_get(difference, "left"), buf);
	mxt_buf_printf(buf, ", %s ", right_word);
	append_value(json_object_get(difference, "right"), buf);
	const char *where = mxt_json_text(difference, "where");
	if (where[0])
		mxt_buf_printf(buf, " (%s)", where);
}

void mxt_plan_differences_text(const json_t *differences, const char *right_word, const char *glue, struct mxt_buf *buf)
{
	for (size_t i = 0; i < json_array_size(differences); i++) {
		mxt_buf_puts(buf, i > 0 ? glue : "");
		mxt_plan_difference_text(json_array_get(differences, i), right_word, buf);
	}
}

int mxt_plan_compare_part(const char *key, const json_t *planned, const json_t *here, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *differences = NULL;
	int rc = mxt_plan_diff(key, planned, here, &differences, err);
	if (rc < 0 || json_array_size(differences) == 0)
		return rc;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_plan_differences_text(differences, "here", "; ", &text);
	return mxt_error_set(err, -ENOTSUP, MXT_E_PLAN_MISMATCH,
			     "the plan was made for something else (%s); make a plan here", mxt_buf_text(&text));
}
