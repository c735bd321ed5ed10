/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mindxtrain manifest export: the manifest as a statement of in-toto or of model-signing, signed or not.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "command.h"
#include "error.h"
#include "export.h"
#include "file.h"
#include "hash_meter.h"
#include "input_file.h"
#include "json.h"
#include "list_scope.h"
#include "manifest_operand.h"
#include "manifest_verbs.h"
#include "print_json.h"
#include "sigstore_bundle.h"

typedef int (*export_fn)(const struct mxt_verify_request *where, json_t **ret_statement, struct mxt_error *err);

/* Reads all files again, with the meter on. */
static int make_statement(struct mxt_cli *cli, export_fn form, struct mxt_verify_request *where, json_t **ret_statement,
			  struct mxt_error *err)
{
	struct mxt_hash_meter meter;
	const struct mxt_hash_meter_request request = {stderr, cli->environment, NULL};
	int rc = mxt_hash_meter_start(&meter, &request, err);
	if (rc < 0)
		return rc;
	where->watch = meter.watch;
	rc = form(where, ret_statement, err);
	return mxt_hash_meter_end(&meter, rc, err);
}

static int write_out(struct mxt_cli *cli, const char *path, json_t *document, struct mxt_error *err)
{
	if (!path)
		return mxt_print_json(cli->out, json_incref(document), err);
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	int rc = mxt_json_canonical(document, &text, err);
	mxt_buf_putc(&text, '\n');
	if (rc == 0)
		rc = mxt_buf_status(&text, err);
	return rc < 0 ? rc : mxt_file_replace(path, text.data, text.len, err);
}

/* All but the manifest is looked at first: reading all files takes its time. */
static int check_arguments(const struct mxt_args *args, struct mxt_error *err)
{
	const char *out = mxt_args_get(args, "out"), *key = mxt_args_get(args, "key");
	if (mxt_args_has(args, "in-toto") == mxt_args_has(args, "model-signing"))
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				     "manifest export takes one of --in-toto and --model-signing");
	int rc = out ? mxt_file_check_writable(out, err) : 0;
	return rc == 0 && key ? mxt_input_refine(mxt_sigstore_check_key(key, err), err) : rc;
}

/* There it would be one file more than the list has, and mindxtrain verify would say so. */
static int refuse_listed(const struct mxt_verify_request *where, const char *folder, const char *out,
			 struct mxt_error *err)
{
	for (size_t i = 0; i < mxt_manifest_n_lists(where->manifest); i++) {
		MXT_CLEANUP_BUF struct mxt_buf place = MXT_BUF_INIT;
		mxt_verify_place(where, i, &place);
		MXT_CLEANUP_FREE char *root = place.failed ? NULL : realpath(mxt_buf_text(&place), NULL);
		if (!root || (strcmp(folder, root) != 0 && !mxt_list_below(root, folder)))
			continue;
		MXT_CLEANUP_BUF struct mxt_buf shown = MXT_BUF_INIT;
		mxt_entry_path_show(out, &shown);
		return mxt_error_set(err, -EINVAL, MXT_E_USAGE,
				     "%s would lie in a folder that the manifest lists (%s), where it is no part of "
				     "the record; write it elsewhere",
				     mxt_buf_text(&shown),
				     mxt_list_role_name(mxt_manifest_list(where->manifest, i)->role));
	}
	return 0;
}

static int check_out(const struct mxt_verify_request *where, const char *out, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf folder = MXT_BUF_INIT;
	(void)mxt_operand_folder(out, &folder);
	int rc = mxt_buf_status(&folder, err);
	if (rc < 0)
		return rc;
	MXT_CLEANUP_FREE char *absolute = realpath(folder.data, NULL);
	return absolute ? refuse_listed(where, absolute, out, err) : 0;
}

/* `where` holds the places; the manifest is read here. */
static int make_document(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_verify_request *where,
			 json_t **ret_document, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf path = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf folder = MXT_BUF_INIT;
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
	MXT_CLEANUP_JSON json_t *statement = NULL;
	const char *key = mxt_args_get(args, "key"), *out = mxt_args_get(args, "out");
	int rc = mxt_manifest_operand(args->operands[1], &path, &folder, err);
	if (rc == 0)
		rc = mxt_manifest_read(mxt_buf_text(&path), &manifest, err);
	if (rc < 0)
		return rc;
	where->manifest = manifest;
	where->run_folder = mxt_buf_text(&folder);
	rc = out ? check_out(where, out, err) : 0;
	if (rc < 0)
		return rc;
	rc = make_statement(cli, mxt_args_has(args, "in-toto") ? mxt_export_in_toto : mxt_export_model_signing, where,
			    &statement, err);
	if (rc == 0 && key)
		return mxt_sigstore_bundle(statement, key, ret_document, err);
	if (rc == 0)
		*ret_document = mxt_steal_ptr(&statement);
	return rc;
}

int mxt_manifest_export_verb(struct mxt_cli *cli, const struct mxt_args *args, struct mxt_error *err)
{
	MXT_CLEANUP_FREE char **datasets = NULL;
	MXT_CLEANUP_JSON json_t *document = NULL;
	int rc = check_arguments(args, err);
	if (rc == 0)
		rc = mxt_args_list(args, "dataset", &datasets, err);
	if (rc < 0)
		return rc;
	struct mxt_verify_request where = {.datasets = datasets, .checkpoint = mxt_args_get(args, "checkpoint")};
	rc = make_document(cli, args, &where, &document, err);
	return rc < 0 ? rc : write_out(cli, mxt_args_get(args, "out"), document, err);
}
