/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The manifest (mindxtrain.manifest/1, docs/manifest.md), for the program itself. Reading and most queries are the
 * installed interface (mindxtrain.h).
 *
 *   "schema"       "mindxtrain.manifest/1"
 *   "manifest_id"  BLAKE3-256 over the canonical bytes of all the rest
 *   "result_id"    see result.h; left out where something that it covers is unknown
 *   "result"       what result_id is the hash of, or {"unknown": [reasons]}
 *   "lists"        see file_list.h: the run's folder first, then datasets in their order, then the checkpoint
 *   and what is in manifest_fields.def, where each key has its meaning
 */
#ifndef MXT_MANIFEST_MANIFEST_H
#define MXT_MANIFEST_MANIFEST_H

#include <jansson.h>
#include <mindxtrain/mindxtrain.h>
#include <stddef.h>

#include "buf.h"
#include "compiler.h"
#include "file_list.h"
#include "json.h"

#define MXT_MANIFEST_SCHEMA    "mindxtrain.manifest/1"
#define MXT_MANIFEST_MAX_BYTES MXT_JSON_MAX_LARGE_BYTES

/*
 * Takes a document without manifest_id (which is set in it), holds it to what the reader demands, and is a manifest.
 */
int mxt_manifest_seal(json_t *document, struct mxt_manifest **ret_manifest, struct mxt_error *err) MXT_WUR;

/* Borrowed. The document of one that was read has no "lists": they are lists below. */
const json_t *mxt_manifest_document(const struct mxt_manifest *manifest);
size_t mxt_manifest_n_lists(const struct mxt_manifest *manifest);
const struct mxt_file_list *mxt_manifest_list(const struct mxt_manifest *manifest, size_t i);

/* Appends the file form: canonical bytes and a newline. */
int mxt_manifest_text(const struct mxt_manifest *manifest, struct mxt_buf *buf, struct mxt_error *err) MXT_WUR;

static inline void mxt_manifest_cleanup_(struct mxt_manifest **manifest)
{
	mxt_manifest_destroy(*manifest);
}
#define MXT_CLEANUP_MANIFEST MXT_CLEANUP(mxt_manifest_cleanup_)

#endif
