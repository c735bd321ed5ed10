/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making plans: the other direction of plan.c.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cleanup.h"
#include "error.h"
#include "hash.h"
#include "json.h"
#include "plan.h"

static int compare_strings(const void *a, const void *b)
{
	const json_t *const *x = a, *const *y = b;
	return strcmp(json_string_value(*x), json_string_value(*y));
}

/* A sorted copy of an array of strings; anything else comes back as it is, for the reader to refuse. */
static json_t *sorted(json_t *list)
{
	size_t count = json_array_size(list);
	for (size_t i = 0; i < count; i++)
		if (!json_is_string(json_array_get(list, i)))
			return json_incref(list);
	MXT_CLEANUP_FREE json_t **items = calloc(count + 1, sizeof *items);
	json_t *copy = items ? json_array() : NULL;
	for (size_t i = 0; copy && i < count; i++)
		items[i] = json_array_get(list, i);
	if (copy)
		qsort(items, count, sizeof *items, compare_strings);
	for (size_t i = 0; copy && i < count; i++) {
		if (json_array_append(copy, items[i]) == 0)
			continue;
		json_decref(copy);
		copy = NULL;
	}
	return copy;
}

static bool is_empty(const json_t *value)
{
	return (json_is_object(value) && json_object_size(value) == 0) ||
	       (json_is_array(value) && json_array_size(value) == 0);
}

/* A copy of the decision as the format wants it: no empty env, unset or contract; unset sorted. */
static json_t *normal_decision(const json_t *decision)
{
	static const char *const emptiable[] = {"env", "unset", "contract"};
	json_t *copy = json_copy((json_t *)decision);
	if (json_object_size(copy) != json_object_size(decision)) { /* jansson leaves out what it has no memory for */
		json_decref(copy);
		return NULL;
	}
	for (size_t i = 0; copy && i < MXT_ARRAY_LEN(emptiable); i++)
		if (is_empty(json_object_get(copy, emptiable[i])))
			(void)json_object_del(copy, emptiable[i]);
	json_t *unset = json_object_get(copy, "unset");
	if (!json_is_array(unset) || json_object_set_new(copy, "unset", sorted(unset)) == 0)
		return copy;
	json_decref(copy);
	return NULL;
}

static int decision_id(const json_t *decision, char ret_id[MXT_HASH_HEX_SIZE], struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	int rc = mxt_json_canonical(decision, &buf, err);
	if (rc == 0)
		mxt_hash_hex(buf.data, buf.len, ret_id);
	return rc;
}

/* What was sealed must be readable: the reader itself says so. */
static int prove(const json_t *document, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	MXT_CLEANUP_PLAN struct mxt_plan *plan = NULL;
	int rc = mxt_json_canonical(document, &buf, err);
	return rc < 0 ? rc : mxt_plan_parse("the new plan", buf.data, buf.len, &plan, err);
}

int mxt_plan_seal(const json_t *decision, const json_t *evidence, json_t **ret_plan, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *normal = normal_decision(decision);
	if (!normal)
		return mxt_error_oom(err);
	char id[MXT_HASH_HEX_SIZE];
	int rc = decision_id(normal, id, err);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_JSON json_t *document = json_pack("{s:s, s:s, s:O, s:O}", "schema", MXT_PLAN_SCHEMA, "plan_id", id,
						      "decision", normal, "evidence", (json_t *)evidence);
	if (!document)
		return mxt_error_oom(err);
	rc = prove(document, err);
	if (rc == 0)
		*ret_plan = json_incref(document);
	return rc;
}
