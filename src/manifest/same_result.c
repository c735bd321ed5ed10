/* SPDX-License-Identifier: Apache-2.0 */
#include "same_result.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "affix.h"
#include "compiler.h"
#include "error.h"
#include "json.h"
#include "json_difference.h"
#include "result.h"
#include "same_tensors.h"

struct pair {
	const struct mxt_same_side *sides[2];
	const char *names[2];
	const json_t *results[2]; /* "result" of each */
	struct mxt_buf *text;     /* what differs; empty while nothing does */
	struct mxt_buf *compared; /* names of the parts that both know */
	struct mxt_error *err;
};

static const json_t *result_of(const struct mxt_same_side *side)
{
	return json_object_get(mxt_manifest_document(side->manifest), "result");
}

static const struct mxt_file_list *list_of(const struct mxt_same_side *side, enum mxt_list_role role, size_t number)
{
	for (size_t i = 0; i < mxt_manifest_n_lists(side->manifest); i++) {
		const struct mxt_file_list *list = mxt_manifest_list(side->manifest, i);
		if (list->role == role && number-- == 0)
			return list;
	}
	return NULL;
}

static const struct mxt_file_entry *entry_at(const struct mxt_file_list *list, size_t i)
{
	return list && i < list->count ? &list->entries[i] : NULL;
}

static bool same_entry(const struct mxt_file_entry *a, const struct mxt_file_entry *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == MXT_ENTRY_LINK)
		return strcmp(a->target, b->target) == 0;
	return a->size == b->size && memcmp(a->hash, b->hash, sizeof a->hash) == 0;
}

/* What a link leads to may be anything. */
static bool is_of_result(const struct mxt_file_entry *entry)
{
	return !entry || (entry->kind == MXT_ENTRY_FILE && mxt_result_takes_file(entry->path));
}

/* The first difference of two sorted lists; of checkpoints, of what results are made of. False: there is none. */
static bool find_place(struct mxt_same_place *place, bool is_checkpoint)
{
	size_t i = 0, j = 0;
	for (;;) {
		const struct mxt_file_entry *a = entry_at(place->lists[0], i), *b = entry_at(place->lists[1], j);
		if (!a && !b)
			return false;
		int order = !a ? 1 : !b ? -1 : strcmp(a->path, b->path);
		i += order <= 0;
		j += order >= 0;
		place->entries[0] = order <= 0 ? a : NULL;
		place->entries[1] = order >= 0 ? b : NULL;
		if (is_checkpoint && !(is_of_result(place->entries[0]) && is_of_result(place->entries[1])))
			continue;
		if (order != 0 || !same_entry(a, b))
			return true;
	}
}

/* "train.jsonl differs", "x is only in A". A single file's name counts for nothing. */
static void append_place(const struct pair *pair, const struct mxt_same_place *place)
{
	const struct mxt_file_entry *a = place->entries[0], *b = place->entries[1];
	if (a && b)
		mxt_buf_printf(pair->text, "%s differs", a->path);
	else
		mxt_buf_printf(pair->text, "%s is only in %s", a ? a->path : b->path, pair->names[a ? 0 : 1]);
	if (a && b && a->size != b->size)
		mxt_buf_printf(pair->text, ": it has %lld bytes in %s and %lld in %s", (long long)a->size,
			       pair->names[0], (long long)b->size, pair->names[1]);
}

static bool same_dataset(const struct mxt_same_place *place)
{
	uint8_t hashes[2][MXT_HASH_SIZE];
	for (size_t side = 0; side < 2; side++)
		mxt_result_dataset_hash(place->lists[side], hashes[side]);
	return memcmp(hashes[0], hashes[1], MXT_HASH_SIZE) == 0;
}

static int compare_datasets(const struct pair *pair)
{
	struct mxt_same_place place = {.sides = {pair->sides[0], pair->sides[1]}};
	size_t i = 0;
	do {
		place.lists[0] = list_of(pair->sides[0], MXT_LIST_DATASET, i);
		place.lists[1] = list_of(pair->sides[1], MXT_LIST_DATASET, i);
		i++;
	} while (place.lists[0] && place.lists[1] && same_dataset(&place));
	if (!place.lists[0] && !place.lists[1])
		return 0;
	mxt_buf_printf(pair->text, "dataset %zu", i);
	if (!place.lists[0] || !place.lists[1]) {
		mxt_buf_printf(pair->text, " is only in %s", pair->names[place.lists[0] ? 0 : 1]);
		return 0;
	}
	mxt_buf_puts(pair->text, ": ");
	if (mxt_result_is_one_file(place.lists[0]) && mxt_result_is_one_file(place.lists[1])) {
		place.entries[0] = entry_at(place.lists[0], 0);
		place.entries[1] = entry_at(place.lists[1], 0);
	} else {
		(void)find_place(&place, false);
	}
	append_place(pair, &place);
	return 0;
}

/* The file, and of a safetensors file the tensor; where that cannot be said, why. */
static int compare_checkpoints(const struct pair *pair)
{
	struct mxt_same_place place = {.sides = {pair->sides[0], pair->sides[1]}};
	for (size_t side = 0; side < 2; side++)
		place.lists[side] = list_of(pair->sides[side], MXT_LIST_CHECKPOINT, 0);
	if (!find_place(&place, true))
		return 0;
	append_place(pair, &place);
	if (!place.entries[0] || !place.entries[1] || !mxt_has_suffix(place.entries[0]->path, ".safetensors"))
		return 0;
	MXT_CLEANUP_ERROR struct mxt_error cause = MXT_ERROR_INIT;
	int rc = mxt_same_tensors(&place, pair->text, &cause);
	if (rc == -ENOMEM || rc == -ECANCELED) {
		mxt_error_move(pair->err, &cause);
		return rc;
	}
	if (rc < 0)
		mxt_buf_printf(pair->text, "; in which tensor cannot be said: %s", mxt_error_text(&cause));
	return 0;
}

static int compare_plans(const struct pair *pair)
{
	const char *a = mxt_manifest_plan_id(pair->sides[0]->manifest),
		   *b = mxt_manifest_plan_id(pair->sides[1]->manifest);
	if (strcmp(a, b) != 0)
		mxt_buf_printf(pair->text, "the plans differ: %s in %s and %s in %s", a, pair->names[0], b,
			       pair->names[1]);
	return 0;
}

static int compare_configs(const struct pair *pair)
{
	MXT_CLEANUP_BUF struct mxt_buf found = MXT_BUF_INIT;
	if (mxt_json_difference(json_object_get(pair->results[0], "config"),
				json_object_get(pair->results[1], "config"), pair->names, &found))
		mxt_buf_printf(pair->text, "the configs differ: %s", mxt_buf_text(&found));
	pair->text->failed = pair->text->failed || found.failed;
	return 0;
}

static bool has_plan(const struct mxt_same_side *side)
{
	return mxt_manifest_plan_id(side->manifest) != NULL;
}

static bool has_config(const struct mxt_same_side *side)
{
	return json_object_get(result_of(side), "config") != NULL;
}

/* All of them: without one, the numbers of the others say nothing. */
static bool has_datasets(const struct mxt_same_side *side)
{
	return list_of(side, MXT_LIST_DATASET, 0) && !mxt_result_lacks_dataset(mxt_manifest_document(side->manifest));
}

static bool has_checkpoint(const struct mxt_same_side *side)
{
	return list_of(side, MXT_LIST_CHECKPOINT, 0) != NULL;
}

/* What a result is made of, in the order in which it is compared. */
static const struct {
	const char *name;
	bool (*is_known)(const struct mxt_same_side *side);
	int (*compare)(const struct pair *pair);
} parts[] = {
    {"plan", has_plan, compare_plans},
    {"config", has_config, compare_configs},
    {"datasets", has_datasets, compare_datasets},
    {"checkpoint", has_checkpoint, compare_checkpoints},
};

static int compare(const struct pair *pair)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && pair->text->len == 0 && i < MXT_ARRAY_LEN(parts); i++) {
		if (!parts[i].is_known(pair->sides[0]) || !parts[i].is_known(pair->sides[1]))
			continue;
		mxt_buf_printf(pair->compared, "%s%s", pair->compared->len > 0 ? ", " : "", parts[i].name);
		rc = parts[i].compare(pair);
	}
	return rc;
}

/* "; A has no result_id: the config is not known". Nothing where it has one. */
static void append_unknown(const struct mxt_same_side *side, struct mxt_buf *text)
{
	size_t i;
	const json_t *reason;
	if (mxt_manifest_result_id(side->manifest))
		return;
	mxt_buf_printf(text, "; %s has no result_id", side->name);
	json_array_foreach(json_object_get(result_of(side), "unknown"), i, reason)
	{
		const char *words = json_string_value(reason);
		mxt_buf_printf(text, "%s%.400s", i > 0 ? ", " : ": ", words ? words : "");
	}
}

static int tell_unknown(const struct pair *pair)
{
	for (size_t i = 0; i < 2; i++)
		append_unknown(pair->sides[i], pair->text);
	if (pair->text->failed || pair->compared->failed)
		return mxt_error_oom(pair->err);
	return mxt_error_set(pair->err, -EINVAL, MXT_E_RESULT_UNKNOWN,
			     "whether %s and %s came to the same is not known: %s%s%s", pair->names[0], pair->names[1],
			     pair->compared->len > 0 ? "no difference in "
						     : "they have nothing in common that can be compared",
			     mxt_buf_text(pair->compared), mxt_buf_text(pair->text));
}

int mxt_same_result(const struct mxt_same_side *a, const struct mxt_same_side *b, struct mxt_error *err)
{
	const char *ids[2] = {mxt_manifest_result_id(a->manifest), mxt_manifest_result_id(b->manifest)};
	if (ids[0] && ids[1] && strcmp(ids[0], ids[1]) == 0)
		return mxt_result_is_known(result_of(a))
			   ? 0
			   : mxt_error_set(err, -EINVAL, MXT_E_RESULT_UNKNOWN,
					   "whether %s and %s came to the same is not known: their results are of a "
					   "later version than this program can check",
					   a->name, b->name);
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf compared = MXT_BUF_INIT;
	const struct pair pair = {.sides = {a, b},
				  .names = {a->name, b->name},
				  .results = {result_of(a), result_of(b)},
				  .text = &text,
				  .compared = &compared,
				  .err = err};
	int rc = compare(&pair);
	if (rc == 0 && text.len == 0 && (!ids[0] || !ids[1]))
		return tell_unknown(&pair);
	if (rc == 0 && text.len == 0)
		(void)mxt_json_difference(pair.results[0], pair.results[1], pair.names, &text);
	if (rc == 0)
		rc = mxt_buf_status(&text, err);
	if (rc < 0)
		return rc;
	return mxt_error_set(err, -EINVAL, MXT_E_RESULT_DIFFERS, "%s and %s did not come to the same result: %s",
			     a->name, b->name, mxt_buf_text(&text));
}
