/* SPDX-License-Identifier: Apache-2.0 */
#include "same_result.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "affix.h"
#include "cleanup.h"
#include "error.h"
#include "hash_files.h"
#include "json.h"
#include "json_difference.h"
#include "result.h"
#include "tensor_difference.h"
#include "tree.h"
#include "verify.h"

struct pair {
	const struct mxt_same_side *sides[2];
	const char *names[2];
	const json_t *results[2]; /* "result" of each */
	struct mxt_buf *text;     /* what differs; empty while nothing does */
	struct mxt_error *err;
};

/* Two lists of one role and number, and the entry that differs: NULL where a side has none. */
struct place {
	const struct mxt_file_list *lists[2];
	const struct mxt_file_entry *entries[2];
};

static const char *result_id(const struct mxt_same_side *side)
{
	return mxt_json_text(mxt_manifest_document(side->manifest), "result_id");
}

static int refuse_unknown(const struct mxt_same_side *side, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf reasons = MXT_BUF_INIT;
	const json_t *unknown =
	    json_object_get(json_object_get(mxt_manifest_document(side->manifest), "result"), "unknown");
	size_t i;
	const json_t *reason;
	json_array_foreach(unknown, i, reason)
	{
		const char *text = json_string_value(reason);
		mxt_buf_printf(&reasons, "%s%.400s", i > 0 ? "; " : "", text ? text : "");
	}
	if (mxt_buf_status(&reasons, err) < 0)
		return -ENOMEM;
	return mxt_error_set(err, -EINVAL, MXT_E_RESULT_UNKNOWN, "%s has no result_id to compare%s%s", side->name,
			     reasons.len > 0 ? ": " : "", mxt_buf_text(&reasons));
}

/* "plan_id is X in A and Y in B", for one part of the results. */
static void compare_part(const struct pair *pair, const char *key, const char *lead)
{
	MXT_CLEANUP_BUF struct mxt_buf found = MXT_BUF_INIT;
	if (mxt_json_difference(json_object_get(pair->results[0], key), json_object_get(pair->results[1], key),
				pair->names, &found))
		mxt_buf_printf(pair->text, "%s%s", lead, mxt_buf_text(&found));
	pair->text->failed = pair->text->failed || found.failed;
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

/* The first difference of two sorted lists among the entries that `takes` wants. False: there is none. */
static bool find_place(struct place *place, bool (*takes)(const char *path))
{
	size_t i = 0, j = 0;
	for (;;) {
		const struct mxt_file_entry *a = entry_at(place->lists[0], i), *b = entry_at(place->lists[1], j);
		if (!a && !b)
			return false;
		int order = !a ? 1 : !b ? -1 : strcmp(a->path, b->path);
		i += order <= 0;
		j += order >= 0;
		if ((takes && !takes(order <= 0 ? a->path : b->path)) || (order == 0 && same_entry(a, b)))
			continue;
		place->entries[0] = order <= 0 ? a : NULL;
		place->entries[1] = order >= 0 ? b : NULL;
		return true;
	}
}

/* "train.jsonl differs", "x is only in A". A single file's name counts for nothing. */
static void append_place(const struct pair *pair, const struct place *place)
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

static void compare_datasets(const struct pair *pair)
{
	const json_t *a = json_object_get(pair->results[0], "datasets"),
		     *b = json_object_get(pair->results[1], "datasets");
	size_t i = 0;
	while (json_array_get(a, i) && json_array_get(b, i) && json_equal(json_array_get(a, i), json_array_get(b, i)))
		i++;
	if (i == json_array_size(a) && i == json_array_size(b))
		return;
	struct place place = {
	    {list_of(pair->sides[0], MXT_LIST_DATASET, i), list_of(pair->sides[1], MXT_LIST_DATASET, i)}, {NULL, NULL}};
	mxt_buf_printf(pair->text, "dataset %zu", i + 1);
	if (!place.lists[0] || !place.lists[1]) {
		mxt_buf_printf(pair->text, " is only in %s", pair->names[place.lists[0] ? 0 : 1]);
		return;
	}
	mxt_buf_puts(pair->text, ": ");
	if (place.lists[0]->single && place.lists[1]->single) {
		place.entries[0] = entry_at(place.lists[0], 0);
		place.entries[1] = entry_at(place.lists[1], 0);
	} else if (!find_place(&place, NULL)) {
		mxt_buf_puts(pair->text, "one is a file, the other a folder");
		return;
	}
	append_place(pair, &place);
}

struct opened {
	int root_fd, fd;
	char path[512]; /* for messages; cut where it is longer */
};

static void opened_finish(struct opened *opened)
{
	mxt_cleanup_close_(&opened->fd);
	mxt_cleanup_close_(&opened->root_fd);
}

/* Where a list of one side lies. */
static void append_root(const struct mxt_same_side *side, const struct mxt_file_list *list, struct mxt_buf *root)
{
	const struct mxt_verify_request where = {
	    .manifest = side->manifest, .run_folder = side->run_folder, .checkpoint = side->checkpoint};
	for (size_t i = 0; i < mxt_manifest_n_lists(side->manifest); i++)
		if (mxt_manifest_list(side->manifest, i) == list)
			mxt_verify_place(&where, i, root);
}

/* Opens one side's file, which must still be the one of its manifest. */
static int open_side(const struct pair *pair, const struct place *place, size_t side, struct opened *opened,
		     struct mxt_error *err)
{
	const struct mxt_file_entry *entry = place->entries[side];
	MXT_CLEANUP_BUF struct mxt_buf root = MXT_BUF_INIT;
	append_root(pair->sides[side], place->lists[side], &root);
	(void)snprintf(opened->path, sizeof opened->path, "%s of %s", entry->path, pair->names[side]);
	int rc = mxt_buf_status(&root, err);
	if (rc == 0)
		rc = mxt_tree_open_root(mxt_buf_text(&root), &opened->root_fd, err);
	if (rc < 0)
		return rc;
	struct mxt_hash_request request = {.root_fd = opened->root_fd, .entries = entry, .count = 1};
	struct mxt_hash_outcome outcome;
	rc = mxt_hash_files(&request, &outcome, err);
	if (rc < 0)
		return rc;
	if (outcome.status == 0 && memcmp(outcome.hash, entry->hash, sizeof outcome.hash) != 0)
		return mxt_error_set(err, -ESTALE, MXT_E_TREE_CHANGED, "%s has changed since its manifest was made",
				     opened->path);
	rc = outcome.status < 0 ? outcome.status : mxt_tree_open(opened->root_fd, entry->path, &opened->fd);
	return rc < 0 ? mxt_error_errno(err, -rc, "cannot read %s/%s", mxt_buf_text(&root), entry->path) : 0;
}

static int compare_tensors(const struct pair *pair, const struct place *place, struct mxt_error *err)
{
	struct opened opened[2] = {{.root_fd = -1, .fd = -1}, {.root_fd = -1, .fd = -1}};
	MXT_CLEANUP_BUF struct mxt_buf found = MXT_BUF_INIT;
	int rc = open_side(pair, place, 0, &opened[0], err);
	if (rc == 0)
		rc = open_side(pair, place, 1, &opened[1], err);
	if (rc == 0) {
		struct mxt_tensor_side sides[2] = {{opened[0].fd, opened[0].path}, {opened[1].fd, opened[1].path}};
		rc = mxt_tensor_difference(sides, &found, err);
	}
	if (rc == 0)
		mxt_buf_printf(pair->text, ": %s", mxt_buf_text(&found));
	opened_finish(&opened[0]);
	opened_finish(&opened[1]);
	return rc;
}

/* The file, and of a safetensors file the tensor; where that cannot be said, why. */
static int compare_checkpoints(const struct pair *pair)
{
	struct place place = {
	    {list_of(pair->sides[0], MXT_LIST_CHECKPOINT, 0), list_of(pair->sides[1], MXT_LIST_CHECKPOINT, 0)},
	    {NULL, NULL}};
	if (!find_place(&place, mxt_result_takes_file))
		return 0;
	append_place(pair, &place);
	if (!place.entries[0] || !place.entries[1] || !mxt_has_suffix(place.entries[0]->path, ".safetensors"))
		return 0;
	MXT_CLEANUP_ERROR struct mxt_error cause = MXT_ERROR_INIT;
	int rc = compare_tensors(pair, &place, &cause);
	if (rc == -ENOMEM || rc == -ECANCELED) {
		mxt_error_move(pair->err, &cause);
		return rc;
	}
	if (rc < 0)
		mxt_buf_printf(pair->text, "; in which tensor cannot be said: %s", mxt_error_text(&cause));
	return 0;
}

static int compare(const struct pair *pair)
{
	compare_part(pair, "plan_id", "the plans differ: ");
	if (pair->text->len == 0)
		compare_part(pair, "config", "the configs differ: ");
	if (pair->text->len == 0)
		compare_datasets(pair);
	int rc = pair->text->len == 0 ? compare_checkpoints(pair) : 0;
	if (rc == 0 && pair->text->len == 0)
		mxt_json_difference(pair->results[0], pair->results[1], pair->names, pair->text);
	return rc < 0 ? rc : mxt_buf_status(pair->text, pair->err);
}

int mxt_same_result(const struct mxt_same_side *a, const struct mxt_same_side *b, struct mxt_error *err)
{
	const char *ids[2] = {result_id(a), result_id(b)};
	if (ids[0][0] == '\0' || ids[1][0] == '\0')
		return refuse_unknown(ids[0][0] == '\0' ? a : b, err);
	if (strcmp(ids[0], ids[1]) == 0)
		return 0;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	struct pair pair = {.sides = {a, b},
			    .names = {a->name, b->name},
			    .results = {json_object_get(mxt_manifest_document(a->manifest), "result"),
					json_object_get(mxt_manifest_document(b->manifest), "result")},
			    .text = &text,
			    .err = err};
	int rc = compare(&pair);
	if (rc < 0)
		return rc;
	return mxt_error_set(err, -EINVAL, MXT_E_RESULT_DIFFERS, "%s and %s did not come to the same result: %s",
			     a->name, b->name, mxt_buf_text(&text));
}
