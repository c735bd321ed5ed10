/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The manifest (mindxtrain.manifest/1, docs/manifest.md), for the program itself. Reading and most queries are the
 * installed interface (mindxtrain.h).
 *
 *   "schema"       "mindxtrain.manifest/1"
 *   "manifest_id"  BLAKE3-256 over the canonical bytes of all the rest
 *   "result_id"    see result.h; left out where something that it covers is unknown
 *   "result"       what result_id is the hash of, or {"unknown": [reasons]}
 *   "created"      seconds since the epoch; "tool": version of the program that made it
 *   "run"          {"name": of the folder, "command", "state", "started", "ended" (seconds), "ran_ns", "exit_status",
 *                  "end", "signal", "cause", "marks", "nodes", "remarks"}: of status.json, what is there; for a folder
 * of another launcher the name alone "plan"         {"plan_id", "blake3": of the file, "simulated": true}; left out
 * without a plan, like all below "config"       {"given": BLAKE3 of run.yaml, "run": of run.axolotl.yaml, "changes": of
 * status.json} "environment"  "changes" of env.json: what was set and removed "argv"         of argv.json "job"
 * {"stack", "platform", "git", "directory", ...}: job.json, or {"found": "when the manifest was made"} "proof"
 * {"witnesses", "coverage", "caches", "handoffs", "config_report", "artefacts", "ledger": BLAKE3} "not_listed"
 * [{"role", "name", "reason"}]: datasets and checkpoints whose files are in no list "lists"        see file_list.h: the
 * run's folder first, then datasets in their order, then the checkpoint
 */
#ifndef MXT_MANIFEST_MANIFEST_H
#define MXT_MANIFEST_MANIFEST_H

#include <jansson.h>
#include <mindxtrain/mindxtrain.h>
#include <stddef.h>

#include "buf.h"
#include "compiler.h"
#include "file_list.h"

#define MXT_MANIFEST_SCHEMA    "mindxtrain.manifest/1"
#define MXT_MANIFEST_MAX_BYTES ((size_t)256 << 20)

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
