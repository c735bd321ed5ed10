/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `manifest create`: the record of a run, whoever launched it.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "clean_text.h"
#include "cleanup.h"
#include "command.h"
#include "error.h"
#include "figures.h"
#include "json.h"
#include "make_manifest.h"
#include "manifest.h"
#include "manifest_create.h"
#include "manifest_operand.h"
#include "manifest_verbs.h"
#include "print_json.h"
#include "run_files.h"
#include "signature.h"

/* What was made. */
struct made {
	const char *folder;
	const struct mxt_manifest *manifest;
	size_t left_out; /* files that the lists for b3sum cannot name */
	bool was_signed; /* the manifest that it replaced */
};

/* ---- for people ---- */

static void put_list(const struct mxt_file_list *list, struct mxt_buf *text)
{
	char bytes[MXT_FIGURE_SIZE];
	mxt_buf_printf(text, "%-12s %zu file%s, %s: ", mxt_list_role_name(list->role), list->count,
		       list->count == 1 ? "" : "s", mxt_figure_bytes(bytes, mxt_file_list_bytes(list)));
	mxt_entry_path_show(list->root, text);
	if (list->outside_links > 0)
		mxt_buf_printf(text, " (%zu link%s out of it, to what is not recorded)", list->outside_links,
			       list->outside_links == 1 ? " leads" : "s lead");
	mxt_buf_putc(text, '\n');
}

static void put_text(struct mxt_buf *text, const json_t *row, const char *key)
{
	const char *value = mxt_json_text(row, key);
	mxt_clean_text(text, value, strlen(value));
}

static void put_result(const json_t *document, const char *result_id, struct mxt_buf *text)
{
	const json_t *unknown = json_object_get(json_object_get(document, "result"), "unknown");
	mxt_buf_printf(text, "result_id    %s", result_id ? result_id : "not known");
	for (size_t i = 0; i < json_array_size(unknown); i++) {
		const char *reason = json_string_value(json_array_get(unknown, i));
		mxt_buf_puts(text, i == 0 ? ": " : "; ");
		mxt_clean_text(text, reason ? reason : "", reason ? strlen(reason) : 0);
	}
	mxt_buf_putc(text, '\n');
}

static int print_text(FILE *out, const struct made *made, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	const json_t *document = mxt_manifest_document(made->manifest);
	const json_t *omitted = json_object_get(document, "not_listed");
	mxt_buf_puts(&text, "manifest     ");
	mxt_entry_path_show(made->folder, &text);
	mxt_buf_printf(&text, "/" MXT_RUN_MANIFEST "\nmanifest_id  %s\n", mxt_manifest_id(made->manifest));
	put_result(document, mxt_manifest_result_id(made->manifest), &text);
	for (size_t i = 0; i < mxt_manifest_n_lists(made->manifest); i++)
		put_list(mxt_manifest_list(made->manifest, i), &text);
	for (size_t i = 0; i < json_array_size(omitted); i++) {
		const json_t *row = json_array_get(omitted, i);
		mxt_buf_printf(&text, "not listed   %s ", mxt_json_text(row, "role"));
		put_text(&text, row, "name");
		mxt_buf_puts(&text, ": ");
		put_text(&text, row, "reason");
		mxt_buf_putc(&text, '\n');
	}
	if (made->left_out > 0)
		mxt_buf_printf(&text, "note: the lists for b3sum leave out %zu file%s whose name b3sum cannot check\n",
			       made->left_out, made->left_out == 1 ? "" : "s");
	if (made->was_signed)
		mxt_buf_puts(&text, "note: the signature of the manifest that was here is gone; sign this one\n");
	return mxt_print_buf(out, &text, err);
}

/* ---- for programs ---- */

static json_t *list_json(const struct mxt_file_list *list)
{
	uint8_t hash[MXT_HASH_SIZE];
	mxt_file_list_hash(list, hash);
	return json_pack("{s:s, s:o, s:I, s:I, s:o}", "role", mxt_list_role_name(list->role), "root",
			 mxt_json_clean_text(list->root, MXT_JSON_MAX_BYTES), "count", (json_int_t)list->count, "bytes",
			 (json_int_t)mxt_file_list_bytes(list), "hash", mxt_json_hash(hash));
}

static int print_object(FILE *out, const struct made *made, struct mxt_error *err)
{
	const json_t *document = mxt_manifest_document(made->manifest);
	MXT_CLEANUP_JSON json_t *lists = json_array();
	int rc = lists ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < mxt_manifest_n_lists(made->manifest); i++)
		rc = json_array_append_new(lists, list_json(mxt_manifest_list(made->manifest, i)));
	if (rc < 0)
		return mxt_error_oom(err);
	return mxt_print_json(out,
			      json_pack("{s:s, s:i, s:s, s:s*, s:O, s:O*, s:I}", "event", "manifest", "v", 1,
					"manifest_id", mxt_manifest_id(made->manifest), "result_id",
					mxt_manifest_result_id(made->manifest), "lists", lists, "not_listed",
					json_object_get(document, "not_listed"), "unnamed", (json_int_t)made->left_out),
			      err);
}

/* The folder of the run, as people write it. */
static int find_folder(const char *operand, struct mxt_buf *folder, bool *ret_signed, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf signature = MXT_BUF_INIT;
	if (!mxt_operand_folder(operand, folder))
		return mxt_error_set(err, -ENOTDIR, MXT_E_INPUT_FILE,
				     "there is no folder %s: manifest create takes the folder of a run", operand);
	mxt_buf_printf(&signature, "%s/" MXT_RUN_MANIFEST MXT_SIGNATURE_SUFFIX, mxt_buf_text(folder));
	*ret_signed = access(mxt_buf_text(&signature), F_OK) == 0;
	int rc = mxt_buf_status(folder, err);
	return rc < 0 ? rc : mxt_buf_status(&signature, err);
}

int mxt_manifest_create_verb(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char **datasets = NULL;
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
	MXT_CLEANUP_BUF struct mxt_buf folder = MXT_BUF_INIT;
	struct made made = {.folder = NULL};
	int64_t threads = 0;
	int rc = find_folder(args->operands[1], &folder, &made.was_signed, err);
	if (rc == 0)
		rc = mxt_args_list(args, "dataset", &datasets, err);
	if (rc == 0)
		rc = mxt_args_int(args, "threads", 1, MXT_HASH_MAX_THREADS, &threads, err);
	if (rc < 0)
		return rc;
	made.folder = folder.data;
	struct mxt_manifest_request request = {.run_folder = made.folder,
					       .datasets = datasets,
					       .checkpoint = mxt_args_get(args, "checkpoint"),
					       .config = mxt_args_get(args, "config"),
					       .threads = (unsigned)threads};
	rc = mxt_make_manifest(cli, &request, &manifest, &made.left_out, err);
	made.manifest = manifest;
	if (rc < 0)
		return rc;
	return mxt_args_has(args, "json") ? print_object(cli->out, &made, err) : print_text(cli->out, &made, err);
}
