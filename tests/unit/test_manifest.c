/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "json.h"
#include "manifest.h"
#include "manifest_example.h"

static struct mxt_manifest *sealed(json_t *document)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_manifest *manifest = NULL;
	if (mxt_manifest_seal(document, &manifest, &err) < 0)
		fail_msg("%s", mxt_error_text(&err));
	return manifest;
}

static int parse(const char *text, struct mxt_manifest **ret_manifest, struct mxt_error *err)
{
	return mxt_manifest_parse("m.json", text, strlen(text), ret_manifest, err);
}

static void expect_refused(const char *text, enum mxt_error_id id, const char *words)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
	assert_true(parse(text, &manifest, &err) < 0);
	assert_null(manifest);
	if (err.id != id || !strstr(mxt_error_text(&err), words))
		fail_msg("%d: %s", (int)err.id, mxt_error_text(&err));
}

/* The document with its id, as text: what somebody who knows how to make ids would hand in. */
static void resealed_text(json_t *document, struct mxt_buf *buf)
{
	MXT_CLEANUP_BUF struct mxt_buf body = MXT_BUF_INIT;
	char id[MXT_HASH_HEX_SIZE];
	(void)json_object_del(document, "manifest_id");
	assert_int_equal(mxt_json_canonical(document, &body, NULL), 0);
	mxt_hash_hex(body.data, body.len, id);
	assert_int_equal(json_object_set_new(document, "manifest_id", json_string(id)), 0);
	assert_int_equal(mxt_json_canonical(document, buf, NULL), 0);
}

static void expect_bad(json_t *document, enum mxt_error_id id, const char *words)
{
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = NULL;
	resealed_text(document, &text);
	expect_refused(mxt_buf_text(&text), id, words);
	(void)json_object_del(document, "manifest_id");
	assert_true(mxt_manifest_seal(document, &manifest, &err) < 0);
	assert_int_equal(err.id, id);
	assert_null(manifest);
}

/* The example with one member set to a JSON text, or removed (NULL): `path` has parts between dots. */
static void expect_bad_change(const char *path, const char *value, const char *words)
{
	MXT_CLEANUP_JSON json_t *document = manifest_example();
	manifest_example_set(document, path, value);
	expect_bad(document, MXT_E_MANIFEST_FIELD, words);
}

static void seals_what_it_reads(void **state)
{
	(void)state;
	MXT_CLEANUP_JSON json_t *document = manifest_example();
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = sealed(document);
	MXT_CLEANUP_MANIFEST struct mxt_manifest *again = NULL;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf repeated = MXT_BUF_INIT;
	assert_int_equal(mxt_manifest_text(manifest, &text, NULL), 0);
	assert_int_equal(parse(mxt_buf_text(&text), &again, NULL), 0);
	assert_int_equal(mxt_manifest_text(again, &repeated, NULL), 0);
	assert_string_equal(mxt_buf_text(&text), mxt_buf_text(&repeated));
	assert_string_equal(mxt_manifest_id(again), mxt_json_text(document, "manifest_id"));
	assert_string_equal(mxt_manifest_result_id(again), mxt_json_text(document, "result_id"));
	assert_string_equal(mxt_manifest_plan_id(again), MANIFEST_EXAMPLE_PLAN_ID);
	assert_int_equal(mxt_manifest_n_lists(again), 3);
	assert_int_equal(mxt_manifest_list(again, 1)->role, MXT_LIST_DATASET);
	assert_non_null(mxt_file_list_find(mxt_manifest_list(again, 0), "plan.json"));
	assert_null(json_object_get(mxt_manifest_document(again), "lists"));
	assert_non_null(json_object_get(document, "lists")); /* the caller's keeps them */
}

/* The file form is canonical, and ids do not depend on how a text is laid out. */
static void keeps_to_the_canonical_form(void **state)
{
	(void)state;
	MXT_CLEANUP_JSON json_t *document = manifest_example();
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = sealed(document);
	MXT_CLEANUP_MANIFEST struct mxt_manifest *loose = NULL;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	MXT_CLEANUP_BUF struct mxt_buf canonical = MXT_BUF_INIT;
	assert_int_equal(mxt_manifest_text(manifest, &text, NULL), 0);
	assert_int_equal(mxt_json_canonical(document, &canonical, NULL), 0);
	mxt_buf_putc(&canonical, '\n');
	assert_string_equal(mxt_buf_text(&text), mxt_buf_text(&canonical));
	char *indented = json_dumps(document, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	assert_non_null(indented);
	assert_int_equal(parse(indented, &loose, NULL), 0);
	assert_string_equal(mxt_manifest_id(loose), mxt_manifest_id(manifest));
	free(indented);
}

static void needs_no_plan(void **state)
{
	(void)state;
	MXT_CLEANUP_JSON json_t *document = manifest_example();
	static const char *const parts[] = {"plan", "config", "environment", "argv", "proof", "result_id"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(parts); i++)
		(void)json_object_del(document, parts[i]);
	manifest_example_set(document, "result", "{\"unknown\": [\"the plan is not known\"]}");
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = sealed(document);
	assert_null(mxt_manifest_plan_id(manifest));
	assert_null(mxt_manifest_result_id(manifest));
}

static void refuses_other_files(void **state)
{
	(void)state;
	expect_refused("", MXT_E_JSON_TEXT, "m.json is empty");
	expect_refused("{\"schema\": \"mindxtrain.manifest/1\", \"schema\": 1}", MXT_E_JSON_TEXT, "get the original");
	expect_refused("[]", MXT_E_MANIFEST_SCHEMA, "no manifest");
	expect_refused("{}", MXT_E_MANIFEST_SCHEMA, "no manifest");
	expect_refused("{\"schema\": \"mindxtrain.plan/1\"}", MXT_E_MANIFEST_SCHEMA, "no manifest");
	expect_refused("{\"schema\": \"mindxtrain.manifest/2\"}", MXT_E_MANIFEST_SCHEMA, "another version");
	expect_refused("{\"schema\": \"mindxtrain.manifest/1\"}", MXT_E_MANIFEST_ID, "its id is");
}

/* Whatever is changed, the id is looked at first. */
static void sees_every_change(void **state)
{
	(void)state;
	static const char *const changes[][2] = {
	    {"created", "1"},          {"tool", "\"0.2\""},  {"run.name", "\"b\""}, {"lists", "[]"},
	    {"surprise", "1"},         {"run", NULL},        {"result_id", NULL},   {"created", "\"never\""},
	    {"manifest_id", "\"00\""}, {"manifest_id", "7"}, {"manifest_id", NULL},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(changes); i++) {
		MXT_CLEANUP_JSON json_t *document = manifest_example();
		mxt_manifest_destroy(sealed(document)); /* the id is set */
		MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
		manifest_example_set(document, changes[i][0], changes[i][1]);
		assert_int_equal(mxt_json_canonical(document, &text, NULL), 0);
		expect_refused(mxt_buf_text(&text), MXT_E_MANIFEST_ID, "manifest_id: ");
	}
}

static void checks_fields(void **state)
{
	(void)state;
	expect_bad_change("surprise", "1", "surprise: unknown key");
	expect_bad_change("creatd", "1", "did you mean 'created'");
	expect_bad_change("created", "-1", "created: -1 is not allowed");
	expect_bad_change("created", NULL, "created: the key is missing");
	expect_bad_change("tool", "\"\"", "tool: ");
	expect_bad_change("run", "[]", "run: ");
	expect_bad_change("run.exit_status", "256", "run.exit_status: ");
	expect_bad_change("run.surprise", "1", "run.surprise: ");
	expect_bad_change("plan.plan_id", "\"\"", "plan.plan_id: ");
	expect_bad_change("plan.simulated", "false", "plan.simulated: ");
	expect_bad_change("argv", "[1]", "argv: ");
	expect_bad_change("not_listed", "[{\"role\": \"run\", \"name\": \"x\", \"reason\": \"y\"}]",
			  "not_listed[0].role");
	expect_bad_change("proof.ledger", "\"x\"", "proof.ledger: ");
	expect_bad_change("lists", NULL, "lists: ");
	expect_bad_change("lists", "{}", "lists: ");
	expect_bad_change("lists", "[]", "must come first");
}

static void checks_what_is_told_twice(void **state)
{
	(void)state;
	static const char other[] = "\"1111111111111111111111111111111111111111111111111111111111111111\"";
	expect_bad_change("plan.blake3", other, "plan.blake3: ");
	expect_bad_change("config.given", other, "config.given: ");
	expect_bad_change("config.run", other, "config.run: ");
	expect_bad_change("proof.ledger", other, "proof.ledger: ");
	expect_bad_change("result_id", other, "result_id: ");
	expect_bad_change("result_id", NULL, "result_id: ");
	expect_bad_change("result", "{\"unknown\": []}", "result_id: ");
}

/* Swaps, repeats or cuts the example's lists. */
static void checks_the_order_of_lists(void **state)
{
	(void)state;
	static const size_t orders[][4] = {{1, 0, 2, 9}, {0, 2, 1, 9}, {0, 0, 9}, {0, 1, 2, 2}, {1, 9}};
	for (size_t i = 0; i < MXT_ARRAY_LEN(orders); i++) {
		MXT_CLEANUP_JSON json_t *document = manifest_example();
		const json_t *lists = json_object_get(document, "lists");
		json_t *changed = json_array();
		for (size_t k = 0; k < 4 && orders[i][k] != 9; k++)
			assert_int_equal(json_array_append(changed, json_array_get(lists, orders[i][k])), 0);
		assert_int_equal(json_object_set_new(document, "lists", changed), 0);
		expect_bad(document, MXT_E_MANIFEST_FIELD, "lists");
	}
	MXT_CLEANUP_JSON json_t *document = manifest_example();
	json_t *lists = json_object_get(document, "lists");
	assert_int_equal(json_array_insert(lists, 1, json_array_get(lists, 1)), 0);
	expect_bad(document, MXT_E_RESULT_FORM, "result"); /* it knows of one dataset */
	manifest_example_set(document, "result", "{\"unknown\": [\"a test\"]}");
	manifest_example_set(document, "result_id", NULL);
	(void)json_object_del(document, "manifest_id");
	MXT_CLEANUP_MANIFEST struct mxt_manifest *manifest = sealed(document);
	assert_int_equal(mxt_manifest_n_lists(manifest), 4);
}

static void names_the_list_that_is_wrong(void **state)
{
	(void)state;
	MXT_CLEANUP_JSON json_t *document = manifest_example();
	json_t *list = json_array_get(json_object_get(document, "lists"), 1);
	assert_int_equal(json_object_set_new(list, "bytes", json_integer(7)), 0);
	expect_bad(document, MXT_E_LIST_FORM, "lists[1]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(seals_what_it_reads),
	    cmocka_unit_test(keeps_to_the_canonical_form),
	    cmocka_unit_test(needs_no_plan),
	    cmocka_unit_test(refuses_other_files),
	    cmocka_unit_test(sees_every_change),
	    cmocka_unit_test(checks_fields),
	    cmocka_unit_test(checks_what_is_told_twice),
	    cmocka_unit_test(checks_the_order_of_lists),
	    cmocka_unit_test(names_the_list_that_is_wrong),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
