/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was read of a run, as parts of its manifest.
 */
#include "run_record.h"

#include <errno.h>
#include <string.h>

#include "error.h"
#include "hash.h"
#include "json.h"
#include "run_files.h"

int mxt_run_record_check(const struct mxt_run_record *record, const struct mxt_file_list *list, struct mxt_error *err)
{
	const char *name;
	json_t *hash;
	json_object_foreach(record->read, name, hash)
	{
		char hex[MXT_HASH_HEX_SIZE] = "";
		const struct mxt_file_entry *entry = mxt_file_list_find(list, name);
		if (entry && entry->kind == MXT_ENTRY_FILE)
			mxt_hash_to_hex(entry->hash, hex);
		if (strcmp(hex, json_string_value(hash)) != 0)
			return mxt_error_set(
			    err, -ESTALE, MXT_E_TREE_CHANGED,
			    "%s/%s changed while the manifest was made; try again when nothing writes there",
			    list->root, name);
	}
	return 0;
}

/* Copies what there is. 0 or -1. */
static int copy_keys(const json_t *from, const char *const *keys, json_t *to)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && keys[i]; i++) {
		json_t *value = json_object_get(from, keys[i]);
		if (value)
			rc = json_object_set(to, keys[i], value);
	}
	return rc;
}

static json_t *run_json(const struct mxt_run_record *record, const char *root)
{
	static const char *const keys[] = {"command", "state", "started", "ended", "ran_ns",  "exit_status", "end",
					   "signal",  "cause", "marks",   "nodes", "remarks", NULL};
	const char *slash = strrchr(root, '/');
	const char *name = slash ? slash + 1 : root;
	MXT_CLEANUP_JSON json_t *run = json_pack("{s:o}", "name", mxt_json_clean_text(name, MXT_JSON_MAX_BYTES));
	return run && copy_keys(record->status, keys, run) == 0 ? json_incref(run) : NULL;
}

/* 0 or -1. */
static int proof_json(const struct mxt_run_record *record, const struct mxt_file_list *list, json_t *proof)
{
	static const char *const keys[] = {"witnesses",     "coverage",  "caches", "handoffs",
					   "config_report", "artefacts", NULL};
	const struct mxt_file_entry *ledger = mxt_file_list_find(list, MXT_RUN_LEDGER);
	int rc = copy_keys(record->status, keys, proof);
	if (rc < 0 || !record->ours || !ledger || ledger->kind != MXT_ENTRY_FILE)
		return rc;
	return json_object_set_new(proof, "ledger", mxt_json_hash(ledger->hash));
}

/* Without what says which kind of file it was. */
static json_t *job_json(const struct mxt_run_record *record)
{
	json_t *job = json_copy(record->job);
	if (job) {
		(void)json_object_del(job, "schema");
		(void)json_object_del(job, "tool");
	}
	return job;
}

/*
 * A manifest is shown to others. PYTHONPATH holds, behind what the launch puts there, folders of the caller's own: that
 * it was set is told, its value stays in env.json. NULL: memory ran out.
 */
static json_t *environment_json(const struct mxt_run_record *record)
{
	const json_t *changes = json_object_get(record->env, "changes");
	MXT_CLEANUP_JSON json_t *told = changes ? json_copy((json_t *)changes) : json_object();
	MXT_CLEANUP_JSON json_t *path = json_copy(json_object_get(changes, "PYTHONPATH"));
	if (path)
		(void)json_object_del(path, "to");
	return told && (!path || json_object_set(told, "PYTHONPATH", path) == 0) ? json_incref(told) : NULL;
}

int mxt_run_record_describe(const struct mxt_run_record *record, const struct mxt_file_list *list, json_t *document,
			    struct mxt_error *err)
{
	MXT_CLEANUP_JSON json_t *proof = json_object();
	MXT_CLEANUP_JSON json_t *environment = environment_json(record);
	if (!proof || !environment || proof_json(record, list, proof) < 0)
		return mxt_error_oom(err);
	MXT_CLEANUP_JSON json_t *parts =
	    json_pack("{s:o, s:O*, s:O*, s:O*, s:O*, s:o, s:O*}", "run", run_json(record, list->root), "plan",
		      record->plan, "config", record->config, "environment", record->env ? environment : NULL, "argv",
		      record->argv, "job", job_json(record), "proof", json_object_size(proof) > 0 ? proof : NULL);
	return parts && json_object_update(document, parts) == 0 ? 0 : mxt_error_oom(err);
}
