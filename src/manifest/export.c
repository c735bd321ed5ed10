/* SPDX-License-Identifier: Apache-2.0 */
#include "export.h"

#include <errno.h>

#include "buf.h"
#include "error.h"
#include "export_lists.h"
#include "json.h"
#include "manifest.h"

/* What the predicate takes over from the manifest; manifest_id stands for the rest. */
static const char *const predicate_members[] = {
    "schema", "manifest_id", "result_id", "created", "tool", "run", "plan",
};

/* "run/", "dataset-1/", "checkpoint/": what a subject's name begins with. */
static void prefix(const struct mxt_export_list *item, struct mxt_buf *buf)
{
	mxt_buf_puts(buf, mxt_list_role_name(item->list->role));
	if (item->list->role == MXT_LIST_DATASET)
		mxt_buf_printf(buf, "-%zu", item->number);
	mxt_buf_putc(buf, '/');
}

static json_t *subject(const struct mxt_export_list *item, size_t i)
{
	const struct mxt_file_entry *entry = &item->list->entries[i];
	MXT_CLEANUP_BUF struct mxt_buf name = MXT_BUF_INIT;
	prefix(item, &name);
	mxt_buf_puts(&name, entry->path);
	if (name.failed)
		return NULL;
	return json_pack("{s:s, s:{s:o, s:o}}", "name", mxt_buf_text(&name), "digest", "blake3",
			 mxt_json_hash(entry->hash), "sha256", mxt_json_hash(item->sha256[i]));
}

/* -1: memory ran out. */
static int add_subjects(json_t *subjects, const struct mxt_export_list *item)
{
	for (size_t i = 0; i < item->list->count; i++)
		if (item->list->entries[i].kind == MXT_ENTRY_FILE &&
		    json_array_append_new(subjects, subject(item, i)) < 0)
			return -1;
	return 0;
}

static json_t *list_summary(const struct mxt_export_list *item)
{
	uint8_t hash[MXT_HASH_SIZE];
	mxt_file_list_hash(item->list, hash);
	MXT_CLEANUP_BUF struct mxt_buf name = MXT_BUF_INIT;
	prefix(item, &name);
	if (name.failed)
		return NULL;
	return json_pack("{s:s, s:o, s:I, s:I}", "prefix", mxt_buf_text(&name), "hash", mxt_json_hash(hash), "entries",
			 (json_int_t)item->list->count, "bytes", (json_int_t)mxt_file_list_bytes(item->list));
}

static json_t *in_toto_predicate(const struct mxt_export_lists *lists, const json_t *document)
{
	MXT_CLEANUP_JSON json_t *predicate = json_object();
	MXT_CLEANUP_JSON json_t *summaries = json_array();
	for (size_t i = 0; i < MXT_ARRAY_LEN(predicate_members); i++) {
		json_t *member = json_object_get(document, predicate_members[i]);
		if (member && json_object_set(predicate, predicate_members[i], member) < 0)
			return NULL;
	}
	for (size_t i = 0; i < lists->count; i++)
		if (json_array_append_new(summaries, list_summary(&lists->items[i])) < 0)
			return NULL;
	if (json_object_set(predicate, "lists", summaries) < 0)
		return NULL;
	return json_incref(predicate);
}

/* Takes over both references, NULL where memory ran out. */
static int finish_statement(json_t *subjects, const char *predicate_type, json_t *predicate, json_t **ret_statement,
			    struct mxt_error *err)
{
	json_t *statement = json_pack("{s:s, s:o, s:s, s:o}", "_type", MXT_IN_TOTO_STATEMENT, "subject", subjects,
				      "predicateType", predicate_type, "predicate", predicate);
	if (!statement)
		return mxt_error_oom(err);
	*ret_statement = statement;
	return 0;
}

int mxt_export_in_toto(const struct mxt_verify_request *where, json_t **ret_statement, struct mxt_error *err)
{
	MXT_CLEANUP_EXPORT_LISTS struct mxt_export_lists lists = MXT_EXPORT_LISTS_INIT;
	int rc = mxt_export_lists_read(where, false, &lists, err);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_JSON json_t *subjects = json_array();
	for (size_t i = 0; i < lists.count; i++)
		if (add_subjects(subjects, &lists.items[i]) < 0)
			return mxt_error_oom(err);
	if (json_array_size(subjects) == 0)
		return mxt_error_set(err, -EINVAL, MXT_E_EXPORT,
				     "the manifest lists no file, and a statement of in-toto is about files");
	return finish_statement(json_incref(subjects), MXT_EXPORT_PREDICATE,
				in_toto_predicate(&lists, mxt_manifest_document(where->manifest)), ret_statement, err);
}
