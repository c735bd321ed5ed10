/* SPDX-License-Identifier: Apache-2.0 */
#include "manifest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "file.h"
#include "hash.h"
#include "input_file.h"
#include "json.h"
#include "manifest_field.h"
#include "manifest_rules.h"

struct mxt_manifest {
	json_t *document; /* without "lists" */
	struct mxt_list_set set;
	struct mxt_buf body; /* canonical bytes of all but manifest_id */
	size_t id_at;        /* of these stand before manifest_id */
	char id[MXT_HASH_HEX_SIZE];
};

void mxt_manifest_destroy(struct mxt_manifest *manifest)
{
	if (!manifest)
		return;
	json_decref(manifest->document);
	mxt_list_set_finish(&manifest->set);
	mxt_buf_finish(&manifest->body);
	free(manifest);
}

/* First of all, so that any other JSON file is told what it is not, and a newer manifest what it needs. */
static int check_schema(const json_t *document, struct mxt_error *err)
{
	const char *schema = mxt_json_text(document, "schema");
	if (strcmp(schema, MXT_MANIFEST_SCHEMA) == 0)
		return 0;
	if (strncmp(schema, "mindxtrain.manifest/", 20) == 0)
		return mxt_error_set(err, -EINVAL, MXT_E_MANIFEST_SCHEMA,
				     "schema: the manifest is of another version than %s, which this mindxtrain reads; "
				     "use the mindxtrain that made it",
				     MXT_MANIFEST_SCHEMA);
	return mxt_error_set(err, -EINVAL, MXT_E_MANIFEST_SCHEMA,
			     "schema: this is no manifest: \"schema\": \"%s\" is expected; manifests are made by "
			     "`mindxtrain train` and `mindxtrain manifest create`",
			     MXT_MANIFEST_SCHEMA);
}

/* What is to be hashed, and its hash. */
static int make_id(struct mxt_manifest *manifest, const json_t *document, struct mxt_error *err)
{
	int rc = mxt_json_canonical_without(document, "manifest_id", &manifest->body, &manifest->id_at, err);
	if (rc == 0)
		mxt_hash_hex(manifest->body.data, manifest->body.len, manifest->id);
	return rc;
}

static int check_id(const struct mxt_manifest *manifest, const json_t *document, struct mxt_error *err)
{
	if (strcmp(mxt_json_text(document, "manifest_id"), manifest->id) == 0)
		return 0;
	return mxt_error_set(
	    err, -EINVAL, MXT_E_MANIFEST_ID,
	    "manifest_id: the manifest was changed after it was made, or damaged: its id is %s; get the "
	    "original file",
	    manifest->id);
}

/* Moves the lists from the document, whose memory is many times theirs, into what they are read to. */
static int take_lists(struct mxt_manifest *manifest, struct mxt_error *err)
{
	const json_t *lists = json_object_get(manifest->document, "lists");
	int rc = mxt_manifest_lists_read(&manifest->set, lists, err);
	if (rc == 0)
		(void)json_object_del(manifest->document, "lists");
	return rc;
}

/* `manifest` has its document and its id. */
static int check(struct mxt_manifest *manifest, struct mxt_error *err)
{
	int rc = mxt_manifest_fields_check(manifest->document, err);
	if (rc == 0)
		rc = take_lists(manifest, err);
	if (rc == 0)
		rc = mxt_manifest_rules_check(manifest->document, &manifest->set, err);
	return rc;
}

/* Takes over `document`, also on failure. */
static int create_from(json_t *document, struct mxt_manifest **ret_manifest, struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *owned = document;
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = calloc(1, sizeof *manifest);
	if (!manifest)
		return mxt_error_oom(err);
	int rc = check_schema(document, err);
	if (rc == 0)
		rc = make_id(manifest, document, err);
	if (rc == 0)
		rc = check_id(manifest, document, err);
	if (rc < 0)
		return rc;
	manifest->document = mxt_steal_ptr(&owned);
	rc = check(manifest, err);
	if (rc == 0)
		*ret_manifest = mxt_steal_ptr(&manifest);
	return rc;
}

/* What to do about faults that only say what is expected: a value mended by hand would only make the id wrong. */
static int add_remedy(int status, struct mxt_error *err)
{
	static const enum mxt_error_id ids[] = {MXT_E_JSON_TEXT,      MXT_E_JSON_VALUE, MXT_E_JSON_DEPTH,
						MXT_E_MANIFEST_FIELD, MXT_E_LIST_PATH,  MXT_E_LIST_FORM};
	for (size_t i = 0; err && i < MXT_ARRAY_LEN(ids); i++)
		if (err->id == ids[i])
			return mxt_error_set(err, status, err->id,
					     "%s; manifests are not edited by hand: get the original, or make it anew "
					     "with mindxtrain manifest create",
					     mxt_error_text(err));
	return status;
}

int mxt_manifest_parse(const char *name, const char *text, size_t len, struct mxt_manifest **ret_manifest,
		       struct mxt_error *err)
{
	json_t *document = NULL;
	int rc = mxt_json_parse(name, text, len, MXT_JSON_LARGE, &document, err);
	if (rc < 0)
		return add_remedy(rc, err);
	rc = create_from(document, ret_manifest, err);
	return rc == 0 ? 0 : add_remedy(mxt_error_wrap(err, rc, "%s", name), err);
}

int mxt_manifest_read(const char *path, struct mxt_manifest **ret_manifest, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	int rc = mxt_input_refine(mxt_file_read(path, MXT_MANIFEST_MAX_BYTES, &buf, err), err);
	if (rc < 0)
		return rc;
	const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
	return mxt_manifest_parse(name, mxt_buf_text(&buf), buf.len, ret_manifest, err);
}

int mxt_manifest_seal(json_t *document, struct mxt_manifest **ret_manifest, struct mxt_error *err)
{
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = calloc(1, sizeof *manifest);
	if (!manifest)
		return mxt_error_oom(err);
	int rc = check_schema(document, err);
	if (rc == 0)
		rc = mxt_json_check(document, err);
	if (rc == 0)
		rc = make_id(manifest, document, err);
	if (rc == 0 && json_object_set_new(document, "manifest_id", json_string(manifest->id)) < 0)
		rc = mxt_error_oom(err);
	if (rc < 0)
		return rc;
	manifest->document = json_copy(document);                               /* the caller's keeps its lists */
	if (json_object_size(manifest->document) != json_object_size(document)) /* what had no memory is left out */
		return mxt_error_oom(err);
	rc = check(manifest, err);
	if (rc == 0)
		*ret_manifest = mxt_steal_ptr(&manifest);
	return rc;
}

int mxt_manifest_text(const struct mxt_manifest *manifest, struct mxt_buf *buf, struct mxt_error *err)
{
	const struct mxt_buf *body = &manifest->body;
	mxt_buf_append(buf, body->data, manifest->id_at);
	mxt_buf_printf(buf, ",\"manifest_id\":\"%s\"", manifest->id); /* "created" is before it */
	mxt_buf_append(buf, body->data + manifest->id_at, body->len - manifest->id_at);
	mxt_buf_putc(buf, '\n');
	return mxt_buf_status(buf, err);
}

const char *mxt_manifest_id(const struct mxt_manifest *manifest)
{
	return manifest->id;
}

const char *mxt_manifest_result_id(const struct mxt_manifest *manifest)
{
	return json_string_value(json_object_get(manifest->document, "result_id"));
}

const char *mxt_manifest_plan_id(const struct mxt_manifest *manifest)
{
	return json_string_value(json_object_get(json_object_get(manifest->document, "plan"), "plan_id"));
}

const json_t *mxt_manifest_document(const struct mxt_manifest *manifest)
{
	return manifest->document;
}

size_t mxt_manifest_n_lists(const struct mxt_manifest *manifest)
{
	return manifest->set.count;
}

const struct mxt_file_list *mxt_manifest_list(const struct mxt_manifest *manifest, size_t i)
{
	return &manifest->set.lists[i];
}
