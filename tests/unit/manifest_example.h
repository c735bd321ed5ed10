/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A manifest of a run of `train` with a dataset and a checkpoint, for tests: they change it in one place and look at
 * what the reader says.
 */
#ifndef MXT_TESTS_MANIFEST_EXAMPLE_H
#define MXT_TESTS_MANIFEST_EXAMPLE_H

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cmocka_all.h"
#include "file_list.h"
#include "hash.h"
#include "json.h"
#include "plan_example.h"

#define MANIFEST_EXAMPLE_PLAN_ID "2222222222222222222222222222222222222222222222222222222222222222"

static const char manifest_example_text[] =
    "{\"schema\":\"mindxtrain.manifest/1\",\"created\":1796000000,\"tool\":\"0.1.0\","
    "\"run\":{\"name\":\"20261130-172241-3fa8b2c1\",\"command\":\"train\",\"state\":\"ended\",\"started\":1795990000,"
    "\"ended\":1795999000,\"ran_ns\":8999000000000,\"exit_status\":0,\"end\":{\"how\":\"exited\",\"status\":0},"
    "\"marks\":[\"allow-simulated\"],\"nodes\":{\"count\":1,\"rank\":0,\"found_by\":\"\"},\"remarks\":[]},"
    "\"plan\":{\"plan_id\":\"" MANIFEST_EXAMPLE_PLAN_ID "\",\"simulated\":true},"
    "\"config\":{\"changes\":[{\"line\":3}]},"
    "\"environment\":{\"OMP_NUM_THREADS\":{\"by\":\"plan\",\"to\":\"8\"}},"
    "\"argv\":[\"python3\",\"-m\",\"axolotl.cli.train\",\"run.axolotl.yaml\"],"
    "\"job\":{\"directory\":\"/home/me/\xc3\xbc\",\"platform\":{\"arch\":\"gfx942\"}},"
    "\"proof\":{\"config_report\":\"confirmed\",\"witnesses\":[],\"coverage\":{\"all_ppm\":931000}},"
    "\"result\":{\"version\":1,\"plan_id\":\"" MANIFEST_EXAMPLE_PLAN_ID "\",\"config\":{\"seed\":1}},"
    "\"not_listed\":[{\"role\":\"checkpoint\",\"name\":\"org/model\",\"reason\":\"not in the local cache\"}]}";

/* The "file" of the example holds its own name. */
static inline void manifest_example_hex(const char *name, char ret_hex[MXT_HASH_HEX_SIZE])
{
	mxt_hash_hex(name, strlen(name), ret_hex);
}

/* A list of these files (NULL-ended), as JSON. */
static inline json_t *manifest_example_list(enum mxt_list_role role, const char *root, const char *const *names)
{
	MXT_CLEANUP_FILE_LIST struct mxt_file_list list = MXT_FILE_LIST_INIT;
	json_t *json = NULL;
	list.role = role;
	list.root = strdup(root);
	for (size_t i = 0; names[i]; i++) {
		struct mxt_file_entry entry = {
		    .path = strdup(names[i]), .kind = MXT_ENTRY_FILE, .size = (int64_t)strlen(names[i])};
		mxt_hash_bytes(names[i], strlen(names[i]), entry.hash);
		assert_int_equal(mxt_file_list_add(&list, &entry, NULL), 0);
	}
	assert_int_equal(mxt_file_list_sort(&list, NULL), 0);
	assert_int_equal(mxt_file_list_json(&list, &json, NULL), 0);
	return json;
}

/* New reference; everything but the id. */
static inline json_t *manifest_example(void)
{
	static const char *const run[] = {"plan.json", "run.yaml", "run.axolotl.yaml", "ledger.json", "ranks/0", NULL};
	static const char *const dataset[] = {"a.parquet", "\xc3\xa4.parquet", "\xff.parquet", NULL};
	static const char *const checkpoint[] = {"adapter_model.safetensors", NULL};
	static const struct {
		const char *object, *key, *file;
	} hashes[] = {{"plan", "blake3", "plan.json"},
		      {"config", "given", "run.yaml"},
		      {"config", "run", "run.axolotl.yaml"},
		      {"proof", "ledger", "ledger.json"}};
	MXT_CLEANUP_BUF struct mxt_buf result = MXT_BUF_INIT;
	char hex[MXT_HASH_HEX_SIZE];
	json_t *document = json_loads(manifest_example_text, 0, NULL);
	assert_non_null(document);
	for (size_t i = 0; i < MXT_ARRAY_LEN(hashes); i++) {
		manifest_example_hex(hashes[i].file, hex);
		json_t *object = json_object_get(document, hashes[i].object);
		assert_int_equal(json_object_set_new(object, hashes[i].key, json_string(hex)), 0);
	}
	json_t *lists =
	    json_pack("[o, o, o]", manifest_example_list(MXT_LIST_RUN, "/runs/20261130-172241-3fa8b2c1", run),
		      manifest_example_list(MXT_LIST_DATASET, "/data/set", dataset),
		      manifest_example_list(MXT_LIST_CHECKPOINT, "/out", checkpoint));
	assert_int_equal(json_object_set_new(document, "lists", lists), 0);
	manifest_example_hex(checkpoint[0], hex);
	json_t *made = json_pack("{s:[s], s:[{s:s, s:s}]}", "datasets", mxt_json_text(json_array_get(lists, 1), "hash"),
				 "checkpoint", "path", checkpoint[0], "blake3", hex);
	assert_int_equal(json_object_update_new(json_object_get(document, "result"), made), 0);
	assert_int_equal(mxt_json_canonical(json_object_get(document, "result"), &result, NULL), 0);
	mxt_hash_hex(result.data, result.len, hex);
	assert_int_equal(json_object_set_new(document, "result_id", json_string(hex)), 0);
	return document;
}

/* Puts `value` (JSON text; NULL: removes) at a path of members, such as "run.name". */
static inline void manifest_example_set(json_t *document, const char *path, const char *value)
{
	assert_int_equal(plan_example_set(document, path, value), 0);
}

#endif
