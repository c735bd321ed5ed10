/* SPDX-License-Identifier: Apache-2.0 */
/* Configs that mean the same to the trainer become the same value, and others do not. */
#include "result_config.h"

#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "error.h"
#include "json.h"

static json_t *config_of(const char *text, const json_t *overrides)
{
	json_t *config = NULL;
	struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_result_config("run.yaml", text, strlen(text), overrides, &config, &err) < 0)
		fail_msg("%s", mxt_error_text(&err));
	return config;
}

/* Compares canonical bytes, so that all values belong to the restricted set, too. */
static void expect(const char *text, const json_t *overrides, const char *canonical)
{
	json_t *config = config_of(text, overrides);
	struct mxt_buf buf = MXT_BUF_INIT;
	assert_int_equal(mxt_json_canonical(config, &buf, NULL), 0);
	assert_string_equal(mxt_buf_text(&buf), canonical);
	mxt_buf_finish(&buf);
	json_decref(config);
}

static void test_scalars(void **state)
{
	(void)state;
	expect("b: yes\na: 0x10\nc: 'yes'\nd: 2024-01-02\n", NULL,
	       "{\"a\":16,\"b\":true,\"c\":\"yes\",\"d\":\"2024-01-02\"}");
	expect("lr: 1e-4\nepochs: 2.0\nbig: 99999999999999999999\ninf: .inf\n", NULL,
	       "{\"big\":\"99999999999999999999e0\",\"epochs\":2,\"inf\":\".inf\",\"lr\":\"1e-4\"}");
	expect("gone: null\nempty:\nlist: [~, 1]\nmap: {a: null, b: 1}\n", NULL,
	       "{\"list\":[{\"none\":true},1],\"map\":{\"b\":1}}");
	expect("1: a\n\xc3\xa9%: b\nno: c\n", NULL, "{\"%C3%A9%25\":\"b\",\"1\":\"a\",\"no\":\"c\"}");
}

static void test_long_texts_and_places(void **state)
{
	(void)state;
	expect("t: \"a\\nb\"\n", NULL,
	       "{\"t\":{\"blake3\":\"e1220d74c5179666f88b611a728a8b846863d0f5782760124b44f51b8c76a347\"}}");
	expect("base_model: /models/x\nx: ./y\nz: ../y\nw: ~/y\nv: a/b\n", NULL,
	       "{\"base_model\":{\"place\":true},\"v\":\"a/b\",\"w\":{\"place\":true},\"x\":{\"place\":true},"
	       "\"z\":{\"place\":true}}");
}

static void test_same_meaning(void **state)
{
	(void)state;
	static const char *const same[] = {
	    "learning_rate: 0.0002\nadapter: lora\nlora_target_modules: [q, v]\n",
	    "# a comment\nadapter: 'lora'\nlora_target_modules:\n  - q\n  - \"v\"\nlearning_rate: 2e-4\n",
	    "output_dir: /a\nwandb_project: p\nuse_wandb: true\nhf_mlflow_log_artifacts: 1\nlogging_steps: 3\n"
	    "push_dataset_to_hub: x\nlearning_rate: '0.0002'\nlora_target_modules: [q, v]\nadapter: "
	    "lora\nhub_model_id: a/b\n",
	};
	json_t *first = config_of(same[0], NULL);
	for (size_t i = 1; i < MXT_ARRAY_LEN(same); i++) {
		json_t *other = config_of(same[i], NULL);
		assert_true(json_equal(first, other));
		json_decref(other);
	}
	json_decref(first);
}

static void test_keys_below_others(void **state)
{
	(void)state;
	expect("datasets:\n  - path: /data/a\n    type: alpaca\n  - {path: org/b, split: train}\npath: kept\n"
	       "model: {output_dir: kept}\n",
	       NULL,
	       "{\"datasets\":[{\"type\":\"alpaca\"},{\"split\":\"train\"}],\"model\":{\"output_dir\":\"kept\"},"
	       "\"path\":\"kept\"}");
}

static void test_arguments(void **state)
{
	(void)state;
	json_t *overrides = json_pack("[s,s,s,s,s,s,s]", "--seed=7", "--trl__beta", "0.5", "--nobf16",
				      "--sample-packing", "stray", "--gone=null");
	expect("seed: 1\ntrl: {beta: 1, max: 2}\nbf16: true\ngone: 1\n", overrides,
	       "{\"bf16\":false,\"sample_packing\":\"stray\",\"seed\":7,\"trl\":{\"beta\":\"5e-1\",\"max\":2}}");
	json_decref(overrides);
	overrides = json_pack("[s,i,s]", "--trl__beta=1", 3, "--output-dir=/x");
	expect("seed: 1\n", overrides, "{\"seed\":1,\"trl\":{\"beta\":1}}");
	json_decref(overrides);
}

static void test_refused(void **state)
{
	(void)state;
	static const char *const texts[] = {"- a\n", "a: 1\na: 2\n", "", "a: [\n"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(texts); i++) {
		json_t *config = NULL;
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		assert_true(mxt_result_config("run.yaml", texts[i], strlen(texts[i]), NULL, &config, &err) < 0);
		assert_true(err.id == MXT_E_YAML_REFUSED || err.id == MXT_E_YAML_SYNTAX);
		assert_null(config);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_scalars),      cmocka_unit_test(test_long_texts_and_places),
	    cmocka_unit_test(test_same_meaning), cmocka_unit_test(test_keys_below_others),
	    cmocka_unit_test(test_arguments),    cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
