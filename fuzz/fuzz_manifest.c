/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manifests. A mutated one never has the right ids, so what is JSON is also sealed anew: the checks behind the ids see
 * it too. What can be sealed is read back as the same.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "hash.h"
#include "json.h"
#include "manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_twice(const struct mxt_manifest *manifest)
{
	MXT_CLEANUP_MANIFEST struct mxt_manifest *again = NULL;
	MXT_CLEANUP_BUF struct mxt_buf first = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf second = MXT_BUF_INIT;
	int rc = mxt_manifest_text(manifest, &first, NULL);
	assert(rc == 0);
	rc = mxt_manifest_parse("again", first.data, first.len, &again, NULL);
	assert(rc == 0 && strcmp(mxt_manifest_id(manifest), mxt_manifest_id(again)) == 0);
	rc = mxt_manifest_text(again, &second, NULL);
	assert(rc == 0 && first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
	assert(mxt_manifest_n_lists(again) == mxt_manifest_n_lists(manifest) && mxt_manifest_n_lists(again) > 0);
}

static void read_manifest(const char *text, size_t size)
{
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_manifest_parse("fuzz", text, size, &manifest, &err) == 0)
		write_twice(manifest);
	else
		assert(err.id != MXT_E_NONE && err.status < 0 && mxt_json_is_text(mxt_error_text(&err)));
}

/* Gives the result its id, where it has to have one. */
static void name_result(json_t *document)
{
	const json_t *result = json_object_get(document, "result");
	MXT_CLEANUP_BUF struct mxt_buf buf = MXT_BUF_INIT;
	char id[MXT_HASH_HEX_SIZE];
	if (!json_is_object(result) || mxt_json_canonical(result, &buf, NULL) < 0)
		return;
	mxt_hash_hex(buf.data, buf.len, id);
	if (json_object_get(document, "result_id"))
		(void)json_object_set_new(document, "result_id", json_string(id));
}

static void seal_anew(json_t *document)
{
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	name_result(document);
	(void)json_object_del(document, "manifest_id");
	if (mxt_manifest_seal(document, &manifest, &err) == 0)
		write_twice(manifest);
	else
		assert(mxt_json_is_text(mxt_error_text(&err)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = size ? (const char *)data : "";
	MXT_CLEANUP_JSON json_t *document = NULL;
	if (mxt_json_parse("fuzz", text, size, MXT_JSON_LARGE, &document, NULL) == 0)
		seal_anew(document);
	read_manifest(text, size);
	return 0;
}
