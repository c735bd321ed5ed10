/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings of single ranks into one: equal calls become one with the counts of each rank behind each other; the order
 * is that of the first.
 */
#include <errno.h>
#include <string.h>

#include "error.h"
#include "json.h"
#include "recording.h"
#include "recording_field.h"

static int check_alike(const json_t *first, const json_t *other, struct mxt_error *err)
{
	static const char *const keys[] = {"steps", "torch", "device"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(keys); i++)
		if (!json_equal(json_object_get(first, keys[i]), json_object_get(other, keys[i])))
			return mxt_error_set(err, -EINVAL, MXT_E_RECORDING,
					     "the ranks' recordings do not belong together: their %s differ", keys[i]);
	return 0;
}

static int append_zeros(json_t *counts, int64_t wanted)
{
	int rc = 0;
	while (rc == 0 && (int64_t)json_array_size(counts) < wanted)
		rc = json_array_append_new(counts, json_integer(0));
	return rc;
}

/* Adds to the numbers behind the first `before`. A document may describe one call twice. */
static int add_counts(json_t *counts, int64_t before, const json_t *more)
{
	int rc = append_zeros(counts, before + (int64_t)json_array_size(more));
	for (size_t i = 0; rc == 0 && i < json_array_size(more); i++) {
		size_t at = (size_t)before + i;
		json_int_t sum =
		    json_integer_value(json_array_get(counts, at)) + json_integer_value(json_array_get(more, i));
		rc = json_array_set_new(counts, at, json_integer(sum < UINT32_MAX ? sum : UINT32_MAX));
	}
	return rc;
}

/* The canonical text of a call without its counts. */
static int key_of(const json_t *call, struct mxt_buf *key, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *bare = json_copy((json_t *)call);
	mxt_buf_truncate(key, 0);
	if (!bare || json_object_del(bare, "counts") < 0)
		return mxt_error_oom(err);
	int rc = mxt_json_canonical(bare, key, err);
	return rc == 0 ? mxt_buf_status(key, err) : rc;
}

/* The merged call that equals `call`; a new one when there is none yet. Borrowed. */
static int find_call(const json_t *call, json_t *calls, json_t *index, json_t **ret_call, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf key = MXT_BUF_INIT;
	int rc = key_of(call, &key, err);
	if (rc < 0)
		return rc;
	json_t *known = json_object_get(index, mxt_buf_text(&key));
	if (!known) {
		known = json_copy((json_t *)call);
		if (!known || json_object_set_new(known, "counts", json_array()) < 0 ||
		    json_object_set(index, mxt_buf_text(&key), known) < 0 || json_array_append(calls, known) < 0) {
			json_decref(known);
			return mxt_error_oom(err);
		}
		json_decref(known); /* `calls` holds it */
	}
	*ret_call = known;
	return 0;
}

/* `before`: numbers that each of the merged counts has from the documents before. */
static int merge_calls(const json_t *document, int64_t before, json_t *calls, json_t *index, struct mxt_error *err)
{
	const json_t *list = json_object_get(document, "calls");
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
		const json_t *call = json_array_get(list, i);
		json_t *merged = NULL;
		rc = find_call(call, calls, index, &merged, err);
		if (rc < 0)
			break;
		if (add_counts(json_object_get(merged, "counts"), before, json_object_get(call, "counts")) < 0)
			rc = mxt_error_oom(err);
	}
	return rc;
}

/* The same limit was met by every rank: the largest count stands for all. */
static int merge_missed(const json_t *document, json_t *missed, struct mxt_error *err)
{
	const json_t *list = json_object_get(document, "not_seen");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *row = json_array_get(list, i);
		json_t *known = NULL;
		for (size_t j = 0; j < json_array_size(missed) && !known; j++)
			if (json_equal(json_object_get(json_array_get(missed, j), "what"),
				       json_object_get(row, "what")))
				known = json_array_get(missed, j);
		if (!known && json_array_append_new(missed, json_copy((json_t *)row)) < 0)
			return mxt_error_oom(err);
		if (known && mxt_json_integer(known, "count") < mxt_json_integer(row, "count") &&
		    json_object_set(known, "count", json_object_get(row, "count")) < 0)
			return mxt_error_oom(err);
	}
	return 0;
}

struct merger {
	json_t *calls, *index, *passes, *missed;
	int64_t ranks, length;
};

static void merger_finish(struct merger *merger)
{
	json_decref(merger->calls);
	json_decref(merger->index);
	json_decref(merger->passes);
	json_decref(merger->missed);
}

static int merge_one(struct merger *merger, const json_t *document, struct mxt_error *err)
{
	int64_t ranks = mxt_json_integer(document, "ranks"), steps = mxt_json_integer(document, "steps");
	int rc = merge_calls(document, merger->length, merger->calls, merger->index, err);
	if (rc == 0 && json_array_extend(merger->passes, json_object_get(document, "forward_passes")) < 0)
		rc = mxt_error_oom(err);
	if (rc == 0)
		rc = merge_missed(document, merger->missed, err);
	merger->ranks += ranks;
	merger->length += ranks * steps;
	return rc;
}

static int finish_counts(const struct merger *merger, struct mxt_error *err)
{
	for (size_t i = 0; i < json_array_size(merger->calls); i++)
		if (append_zeros(json_object_get(json_array_get(merger->calls, i), "counts"), merger->length) < 0)
			return mxt_error_oom(err);
	if (json_array_size(merger->calls) <= MXT_RECORDING_MAX_CALLS)
		return 0;
	return mxt_error_set(err, -EOVERFLOW, MXT_E_RECORDING,
			     "the ranks made more different calls than a recording holds; record fewer steps");
}

int mxt_recording_merge(json_t *const *documents, size_t count, json_t **ret_document, struct mxt_error *err)
{
	MXT_CLEANUP(merger_finish)
	struct merger merger = {json_array(), json_object(), json_array(), json_array(), 0, 0};
	if (!merger.calls || !merger.index || !merger.passes || !merger.missed)
		return mxt_error_oom(err);
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < count; i++) {
		rc = check_alike(documents[0], documents[i], err);
		if (rc == 0)
			rc = merge_one(&merger, documents[i], err);
	}
	if (rc == 0)
		rc = finish_counts(&merger, err);
	if (rc < 0)
		return rc;
	json_t *document = json_copy(documents[0]);
	int set = document ? json_object_set_new(document, "ranks", json_integer(merger.ranks)) : -1;
	if (set == 0)
		set = json_object_set(document, "calls", merger.calls);
	if (set == 0)
		set = json_object_set(document, "forward_passes", merger.passes);
	if (set == 0)
		set = json_object_set(document, "not_seen", merger.missed);
	if (set < 0) {
		json_decref(document);
		return mxt_error_oom(err);
	}
	*ret_document = document;
	return 0;
}
