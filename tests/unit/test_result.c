/* SPDX-License-Identifier: Apache-2.0 */
/* What result_id is made of, and what it does not depend on. */
#include "result.h"

#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "json.h"

static void test_files(void **state)
{
	(void)state;
	static const char *const taken[] = {
	    "model.safetensors",
	    "model-00001-of-00002.safetensors",
	    "adapter_model.safetensors",
	    "adapter_model.bin",
	    "pytorch_model.bin",
	    "pytorch_model-00001-of-00002.bin",
	    "tokenizer.json",
	    "tokenizer.model",
	    "tokenizer_config.json",
	    "chat_template.jinja",
	};
	static const char *const omitted[] = {
	    "model.safetensors.index.json",
	    "trainer_state.json",
	    "training_args.bin",
	    "optimizer.pt",
	    "README.md",
	    "config.json",
	    "adapter_config.json",
	    "a b.safetensors",
	    "checkpoint-2/model.safetensors",
	    "checkpoint-2/tokenizer.json",
	    "tokenizer.json.tmp",
	    "x.safetensors.tmp",
	    "model",
	    "",
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(taken); i++)
		if (!mxt_result_takes_file(taken[i]))
			fail_msg("%s takes no part", taken[i]);
	for (size_t i = 0; i < MXT_ARRAY_LEN(omitted); i++)
		if (mxt_result_takes_file(omitted[i]))
			fail_msg("%s takes part", omitted[i]);
}

/* Two lists: a dataset of one file, and a checkpoint. Paths are not written to. */
struct run {
	char data_name[16], model_name[24], state_name[24], tokenizer_name[24];
	struct mxt_file_entry data[1], files[3];
	struct mxt_file_list lists[2];
	json_t *config, *not_listed;
	struct mxt_result_request request;
};

static void run_init(struct run *run)
{
	*run = (struct run){.data_name = "train.jsonl",
			    .model_name = "model.safetensors",
			    .state_name = "trainer_state.json",
			    .tokenizer_name = "tokenizer.json"};
	run->data[0] = (struct mxt_file_entry){.path = run->data_name, .size = 1, .hash = {1}};
	run->files[0] = (struct mxt_file_entry){.path = run->model_name, .size = 2, .hash = {2}};
	run->files[1] = (struct mxt_file_entry){.path = run->tokenizer_name, .size = 3, .hash = {3}};
	run->files[2] = (struct mxt_file_entry){.path = run->state_name, .size = 4, .hash = {4}};
	run->lists[0] =
	    (struct mxt_file_list){.role = MXT_LIST_DATASET, .single = true, .entries = run->data, .count = 1};
	run->lists[1] = (struct mxt_file_list){.role = MXT_LIST_CHECKPOINT, .entries = run->files, .count = 3};
	run->config = json_pack("{s:i}", "seed", 1);
	run->request =
	    (struct mxt_result_request){.plan_id = "00", .config = run->config, .lists = run->lists, .n_lists = 2};
}

static void id_of(struct run *run, char ret_id[MXT_HASH_HEX_SIZE])
{
	json_t *result;
	assert_int_equal(mxt_result_make(&run->request, &result, ret_id, NULL), 0);
	assert_int_equal(json_object_get(result, "unknown") != NULL, ret_id[0] == '\0');
	json_decref(result);
}

static void expect(struct run *run, const char *id, bool same)
{
	char other[MXT_HASH_HEX_SIZE];
	id_of(run, other);
	assert_int_equal(strlen(other), 64);
	assert_int_equal(strcmp(id, other) == 0, same);
}

static void test_what_the_id_depends_on(void **state)
{
	(void)state;
	struct run run;
	char id[MXT_HASH_HEX_SIZE];
	run_init(&run);
	id_of(&run, id);
	run.files[2].hash[0]++; /* trainer_state.json */
	strcpy(run.data_name, "other.jsonl");
	run.lists[0].single = false; /* its folder */
	expect(&run, id, true);
	run.data[0].hash[5]++;
	expect(&run, id, false);
	run.data[0].hash[5]--;
	run.files[0].hash[31]++;
	expect(&run, id, false);
	run.files[0].hash[31]--;
	run.files[1].hash[0]++;
	expect(&run, id, false);
	run.files[1].hash[0]--;
	run.request.plan_id = "01";
	expect(&run, id, false);
	run.request.plan_id = "00";
	json_object_set_new(run.config, "seed", json_integer(2));
	expect(&run, id, false);
	json_object_set_new(run.config, "seed", json_integer(1));
	expect(&run, id, true);
	json_decref(run.config);
}

static void test_the_document(void **state)
{
	(void)state;
	struct run run;
	char id[MXT_HASH_HEX_SIZE], hex[MXT_HASH_HEX_SIZE];
	json_t *result;
	run_init(&run);
	assert_int_equal(mxt_result_make(&run.request, &result, id, NULL), 0);
	struct mxt_buf buf = MXT_BUF_INIT;
	assert_int_equal(mxt_json_canonical(result, &buf, NULL), 0);
	mxt_hash_hex(buf.data, buf.len, hex);
	assert_string_equal(hex, id);
	assert_string_equal(
	    mxt_buf_text(&buf),
	    "{\"checkpoint\":[{\"blake3\":\"0200000000000000000000000000000000000000000000000000000000000000\","
	    "\"path\":\"model.safetensors\"},"
	    "{\"blake3\":\"0300000000000000000000000000000000000000000000000000000000000000\","
	    "\"path\":\"tokenizer.json\"}],\"config\":{\"seed\":1},"
	    "\"datasets\":[\"0100000000000000000000000000000000000000000000000000000000000000\"],"
	    "\"plan_id\":\"00\",\"version\":1}");
	mxt_buf_finish(&buf);
	json_decref(result);
	json_decref(run.config);
}

static enum mxt_error_id check(const struct run *run, const json_t *document)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	int rc = mxt_result_check(document, run->lists, 2, &err);
	assert_int_equal(rc < 0, err.id != MXT_E_NONE);
	return err.id;
}

/* A result that was taken from another run is none of this one. */
static void test_a_result_belongs_to_its_lists(void **state)
{
	(void)state;
	struct run run;
	char id[MXT_HASH_HEX_SIZE];
	json_t *result;
	run_init(&run);
	assert_int_equal(mxt_result_make(&run.request, &result, id, NULL), 0);
	json_t *document = json_pack("{s:o, s:{s:s}}", "result", result, "plan", "plan_id", "00");
	assert_int_equal(check(&run, document), MXT_E_NONE);
	run.files[2].hash[0]++; /* takes no part */
	assert_int_equal(check(&run, document), MXT_E_NONE);
	run.files[0].hash[0]++;
	assert_int_equal(check(&run, document), MXT_E_RESULT_FORM);
	run.files[0].hash[0]--;
	run.data[0].hash[0]++;
	assert_int_equal(check(&run, document), MXT_E_RESULT_FORM);
	json_object_set_new(result, "version", json_integer(2));
	assert_int_equal(check(&run, document), MXT_E_NONE);
	json_object_set_new(result, "version", json_integer(1));
	run.data[0].hash[0]--;
	json_object_set_new(document, "not_listed", json_pack("[{s:s}]", "role", "checkpoint"));
	assert_int_equal(check(&run, document), MXT_E_NONE);
	json_object_set_new(document, "not_listed", json_pack("[{s:s}]", "role", "dataset"));
	assert_int_equal(check(&run, document), MXT_E_RESULT_FORM);
	json_object_del(document, "not_listed");
	json_object_del(document, "plan");
	assert_int_equal(check(&run, document), MXT_E_RESULT_FORM);
	json_object_set_new(document, "result", json_pack("{s:[s]}", "unknown", "the plan is not known"));
	assert_int_equal(check(&run, document), MXT_E_NONE);
	json_decref(document);
	json_decref(run.config);
}

static void expect_unknown(struct run *run, const char *words)
{
	char id[MXT_HASH_HEX_SIZE];
	json_t *result;
	assert_int_equal(mxt_result_make(&run->request, &result, id, NULL), 0);
	assert_string_equal(id, "");
	const char *reason = json_string_value(json_array_get(json_object_get(result, "unknown"), 0));
	assert_non_null(reason);
	if (!strstr(reason, words))
		fail_msg("\"%s\" does not say \"%s\"", reason, words);
	json_decref(result);
}

static void test_what_is_unknown(void **state)
{
	(void)state;
	struct run run;
	run_init(&run);
	run.request.plan_id = NULL;
	expect_unknown(&run, "plan");
	run.request.plan_id = "00";
	run.request.config = NULL;
	expect_unknown(&run, "config");
	run.request.config = run.config;
	run.request.not_listed = json_pack("[s]", "org/\x01name");
	expect_unknown(&run, "dataset org/ name");
	json_decref((json_t *)run.request.not_listed);
	run.request.not_listed = NULL;
	run.lists[0].role = MXT_LIST_RUN;
	expect_unknown(&run, "no dataset");
	run.lists[0].role = MXT_LIST_DATASET;
	run.request.n_lists = 1;
	expect_unknown(&run, "no checkpoint");
	run.request.n_lists = 2;
	run.lists[1].entries = run.files + 1; /* a tokenizer only */
	run.lists[1].count = 1;
	expect_unknown(&run, "no checkpoint");
	run.lists[1].entries = run.files;
	run.lists[1].count = 3;
	run.files[0].kind = MXT_ENTRY_LINK;
	expect_unknown(&run, "link in the place of model.safetensors");
	json_decref(run.config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_files),
	    cmocka_unit_test(test_what_the_id_depends_on),
	    cmocka_unit_test(test_the_document),
	    cmocka_unit_test(test_what_is_unknown),
	    cmocka_unit_test(test_a_result_belongs_to_its_lists),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
