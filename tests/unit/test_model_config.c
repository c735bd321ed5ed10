/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "json.h"
#include "model_config.h"
#include "model_preset.h"
#include "scratch.h"

static struct mxt_workload read_fixture(const char *name)
{
	const char *root = getenv("MXT_SOURCE_ROOT");
	struct mxt_buf path = MXT_BUF_INIT;
	mxt_buf_printf(&path, "%s/tests/fixtures/models/%s/config.json", root ? root : ".", name);
	struct mxt_workload workload = {.n_notes = 0};
	struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_model_config_read(mxt_buf_text(&path), &workload, &err) < 0)
		fail_msg("%s", mxt_error_text(&err));
	mxt_buf_finish(&path);
	return workload;
}

struct family_case {
	const char *fixture;
	struct mxt_model model;
	uint32_t excluded;
	size_t n_not_modelled;
	size_t n_notes;
};

/* layers, hidden, heads, kv_heads, head_dim, ffn, vocab */
static const struct family_case cases[] = {
    {"llama-3.1-8b", {32, 4096, 32, 8, 128, 14336, 128256, .gated_mlp = true}, 0, 0, 0},
    {"qwen3-8b", {36, 4096, 32, 8, 128, 12288, 151936, .gated_mlp = true}, 0, 0, 0},
    {"qwen3-32b", {64, 5120, 64, 8, 128, 25600, 151936, .gated_mlp = true}, 0, 0, 0},
    {"qwen2.5-7b", {28, 3584, 28, 4, 128, 18944, 152064, .gated_mlp = true, .attention_bias = true}, 0, 0, 0},
    {"mistral-7b-v0.1", {32, 4096, 32, 8, 128, 14336, 32000, .sliding_window = 4096, .gated_mlp = true}, 0, 0, 0},
    {"gemma-7b", {28, 3072, 16, 16, 256, 24576, 256000, .gated_mlp = true, .tied_embeddings = true}, 0, 0, 0},
    {"gemma-2-2b",
     {26, 2304, 8, 4, 256, 9216, 256000, .sliding_window = 4096, .gated_mlp = true, .tied_embeddings = true},
     MXT_PART_ATTENTION,
     1,
     0},
    {"gemma-3-4b-it",
     {34, 2560, 8, 4, 256, 10240, 262208, .sliding_window = 1024, .gated_mlp = true, .tied_embeddings = true},
     0,
     1,
     2},
    {"phi-3-mini-4k",
     {32, 3072, 32, 32, 96, 8192, 32064, .sliding_window = 2047, .gated_mlp = true, .fused_qkv = true,
      .fused_gate_up = true},
     0,
     0,
     0},
    {"olmo-7b", {32, 4096, 32, 32, 128, 11008, 50304, .gated_mlp = true}, 0, 0, 0},
    {"olmo-2-7b", {32, 4096, 32, 32, 128, 11008, 100352, .gated_mlp = true}, 0, 0, 0},
    {"instella-3b", {36, 2560, 32, 32, 80, 6912, 50304, .gated_mlp = true}, 0, 0, 0},
    {"qwen3-30b-a3b", {48, 2048, 32, 4, 128, 6144, 151936, .experts = 128, .gated_mlp = true}, 0, 0, 0},
    {"latent-attention",
     {61, 7168, 128, 128, 56, 18432, 129280, .experts = 256, .gated_mlp = true},
     MXT_PART_ATTENTION | MXT_PART_QKVO,
     2,
     0},
    {"hybrid", {8, 2048, 16, 4, 128, 8192, 64000, .attention_layers = 2, .gated_mlp = true}, 0, 2, 0},
    {"gpt2", {12, 768, 12, 12, 64, 3072, 50257, .gated_mlp = false}, 0, 1, 0},
    {"quantised-gptq", {32, 4096, 32, 8, 128, 14336, 128256, .gated_mlp = true}, MXT_PART_BASE, 1, 0},
};

#define MODEL_NUMBERS 15

/* A model as numbers, in the order of the names below. */
static void numbers_of(const struct mxt_model *m, int32_t numbers[MODEL_NUMBERS])
{
	const int32_t all[MODEL_NUMBERS] = {
	    m->layers,          m->hidden,
	    m->heads,           m->kv_heads,
	    m->head_dim,        m->ffn,
	    m->vocab,           m->experts,
	    m->gated_mlp,       m->attention_layers,
	    m->sliding_window,  m->fused_gate_up,
	    m->fused_qkv,       m->attention_bias,
	    m->tied_embeddings,
	};
	memcpy(numbers, all, sizeof all);
}

static bool same_model(const struct mxt_model *a, const struct mxt_model *b)
{
	int32_t of_a[MODEL_NUMBERS], of_b[MODEL_NUMBERS];
	numbers_of(a, of_a);
	numbers_of(b, of_b);
	return memcmp(of_a, of_b, sizeof of_a) == 0;
}

static void expect_model(const char *name, const struct mxt_model *got, const struct mxt_model *want)
{
	static const char *const names[MODEL_NUMBERS] = {
	    "layers",    "hidden",         "heads",           "kv_heads",         "head_dim",       "ffn",
	    "vocab",     "experts",        "gated_mlp",       "attention_layers", "sliding_window", "fused_gate_up",
	    "fused_qkv", "attention_bias", "tied_embeddings",
	};
	int32_t got_numbers[MODEL_NUMBERS], want_numbers[MODEL_NUMBERS];
	numbers_of(got, got_numbers);
	numbers_of(want, want_numbers);
	for (size_t i = 0; i < MODEL_NUMBERS; i++)
		if (got_numbers[i] != want_numbers[i])
			fail_msg("%s: %s is %d, not %d", name, names[i], got_numbers[i], want_numbers[i]);
}

static void families_are_read_by_their_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++) {
		struct mxt_workload w = read_fixture(cases[i].fixture);
		expect_model(cases[i].fixture, &w.model, &cases[i].model);
		if (w.excluded != cases[i].excluded || w.n_not_modelled != cases[i].n_not_modelled ||
		    w.n_notes != cases[i].n_notes)
			fail_msg("%s: excluded %x, %zu not modelled, %zu notes", cases[i].fixture, w.excluded,
				 w.n_not_modelled, w.n_notes);
		mxt_workload_finish(&w);
	}
}

/* Presets whose config.json is among the fixtures, under this name. */
static const char *const filed[][2] = {
    {"gemma-2-2b", "gemma-2-2b"},       {"gemma-3-4b", "gemma-3-4b-it"},    {"gemma-7b", "gemma-7b"},
    {"instella-3b", "instella-3b"},     {"llama-3.1-8b", "llama-3.1-8b"},   {"mistral-7b-v0.1", "mistral-7b-v0.1"},
    {"olmo-2-7b", "olmo-2-7b"},         {"phi-3-mini-4k", "phi-3-mini-4k"}, {"qwen2.5-7b", "qwen2.5-7b"},
    {"qwen3-30b-a3b", "qwen3-30b-a3b"}, {"qwen3-32b", "qwen3-32b"},         {"qwen3-8b", "qwen3-8b"},
};

static struct mxt_workload read_preset(const char *name)
{
	struct mxt_workload w = {.n_notes = 0};
	const struct mxt_model_preset *preset = mxt_model_preset_find(name);
	assert_non_null(preset);
	assert_int_equal(mxt_model_preset_read(preset, &w, NULL), 0);
	return w;
}

static void presets_are_what_their_files_are(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(filed); i++) {
		struct mxt_workload preset = read_preset(filed[i][0]), file = read_fixture(filed[i][1]);
		expect_model(filed[i][0], &preset.model, &file.model);
		assert_int_equal(preset.excluded, file.excluded);
		assert_int_equal(preset.n_not_modelled, file.n_not_modelled);
		for (size_t k = 0; k < preset.n_not_modelled; k++)
			assert_string_equal(preset.not_modelled[k], file.not_modelled[k]);
		mxt_workload_finish(&preset);
		mxt_workload_finish(&file);
	}
}

static void expect_sound(const char *name, const struct mxt_model *m)
{
	bool sound = m->layers > 0 && m->hidden % 64 == 0 && m->ffn % 64 == 0 && m->heads % m->kv_heads == 0 &&
		     m->head_dim % 4 == 0 && m->attention_layers < m->layers && m->vocab >= 32000;
	/* Heads that do not make up the hidden size exist, but not by much. */
	int64_t wide = (int64_t)m->heads * m->head_dim;
	if (!sound || wide < m->hidden / 2 || wide > INT64_C(2) * m->hidden)
		fail_msg("%s: no model has such dimensions", name);
}

static void presets_are_sound_sorted_and_told_apart(void **state)
{
	(void)state;
	struct mxt_model seen[256];
	size_t count = 0;
	for (const char *const *name = mxt_model_presets(); *name; name++, count++) {
		struct mxt_workload w = read_preset(*name);
		assert_true(count < MXT_ARRAY_LEN(seen));
		expect_sound(*name, &w.model);
		for (size_t i = 0; i < w.n_not_modelled; i++)
			if (strstr(w.not_modelled[i], "table of families"))
				fail_msg("%s: its family is not in the table", *name);
		assert_int_equal(w.n_notes, 0); /* every dimension is given */
		for (size_t i = 0; i < count; i++)
			if (same_model(&seen[i], &w.model))
				fail_msg("%s is a preset under another name, too", *name);
		assert_true(count == 0 || strcmp(name[-1], *name) < 0);
		seen[count] = w.model;
		mxt_workload_finish(&w);
	}
}

static void aliases_name_presets_once(void **state)
{
	(void)state;
	static const char *const aliases[][2] = {
#define MXT_PRESET_ALIAS(alias, name) {alias, name},
#include "model_presets.def"
#undef MXT_PRESET_ALIAS
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(aliases); i++) {
		assert_null(mxt_model_preset_find(aliases[i][0]));
		assert_non_null(mxt_model_preset_find(aliases[i][1]));
		assert_ptr_equal(mxt_model_preset_of_alias(aliases[i][0]), mxt_model_preset_find(aliases[i][1]));
		if (i > 0 && strcmp(aliases[i][1], aliases[i - 1][1]) <= 0)
			assert_int_equal(strcmp(aliases[i][1], aliases[i - 1][1]), 0);
	}
	assert_null(mxt_model_preset_of_alias("Qwen/Qwen3-8B-Thinking"));
}

static void unknown_names_make_one_think_of_a_preset(void **state)
{
	(void)state;
	static const char *const named[][2] = {
	    {"shisa-ai/161-qwen3-8b-v2.1-sft", "qwen3-8b"},
	    {"/data/outputs/168-llama3.3-70b-v2.1-sft", "llama-3.1-70b"},
	    {"./179-llama3.1-8b-v2.1-sft", "llama-3.1-8b"},
	    {"someone/Phi-3.5-mini-instruct-tuned", "phi-3-mini-128k"},
	    {"qwem3-8b", "qwen3-8b"},
	    {"meta-lama/Llama-3.2-1B", "llama-3.2-1b"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(named); i++) {
		const char *guess = mxt_model_preset_guess(named[i][0]);
		assert_non_null(guess);
		assert_string_equal(guess, named[i][1]);
	}
	assert_null(mxt_model_preset_guess("org/nothing-that-is-known"));
	assert_null(mxt_model_preset_guess("qwen3-9b")); /* another digit is another model */
	assert_null(mxt_model_preset_guess("google/gemma-4-12B-it"));
	assert_null(mxt_model_preset_guess(""));
}

/* ---- values that are refused ---- */

static const char good[] = "{\"model_type\":\"llama\",\"hidden_size\":4096,\"intermediate_size\":14336,"
			   "\"num_attention_heads\":32,\"num_hidden_layers\":32,\"num_key_value_heads\":8,"
			   "\"vocab_size\":128256}";

/* Parses `good` with one member replaced by `value` (JSON text), or taken away (NULL). */
static int parse_with(const char *key, const char *value, struct mxt_workload *workload, struct mxt_error *err)
{
	json_t *root = json_loads(good, 0, NULL);
	assert_non_null(root);
	if (value)
		assert_int_equal(json_object_set_new(root, key, json_loads(value, JSON_DECODE_ANY, NULL)), 0);
	else
		assert_int_equal(json_object_del(root, key), 0);
	int rc = mxt_model_config_parse("config.json", root, workload, err);
	json_decref(root);
	return rc;
}

struct refusal {
	const char *key, *value;
	const char *says; /* part of the message */
};

static const struct refusal refusals[] = {
    {"num_hidden_layers", "0", "num_hidden_layers is 0; it must be from 1 to 1024"},
    {"num_hidden_layers", "-32", "num_hidden_layers is -32; it must be from 1 to 1024"},
    {"num_hidden_layers", "1e3", "a number with a fraction; it must be a whole number"},
    {"num_hidden_layers", "9007199254740993", "it must be from 1 to 1024"},
    {"num_hidden_layers", "9223372036854775807", "it must be from 1 to 1024"},
    {"hidden_size", "\"4096\"", "hidden_size is a string"},
    {"hidden_size", "true", "hidden_size is true"},
    {"hidden_size", "[4096]", "hidden_size is an array"},
    {"hidden_size", "4097", "no multiple of the 32 attention heads"},
    {"hidden_size", "2147483648", "it must be from 1 to"},
    {"hidden_size", NULL, "hidden_size is missing"},
    {"hidden_size", "null", "hidden_size is missing"},
    {"num_attention_heads", NULL, "num_attention_heads is missing"},
    {"num_attention_heads", "4097", "it must be from 1 to 4096"},
    {"num_key_value_heads", "5", "no multiple of the 5 key and value heads"},
    {"num_key_value_heads", "64", "no multiple of the 64 key and value heads"},
    {"num_key_value_heads", "0", "it must be from 1"},
    {"head_dim", "-1", "head_dim is -1"},
    {"head_dim", "5000", "it must be from 1 to 4096"},
    {"intermediate_size", NULL, "intermediate_size is missing"},
    {"intermediate_size", "1048577", "it must be from 1 to 1048576"},
    {"vocab_size", NULL, "vocab_size is missing"},
    {"model_type", NULL, "model_type is missing"},
    {"model_type", "7", "model_type is missing or not a string"},
    {"layer_types", "[\"full_attention\"]", "layer_types has 1 entries for 32 layers"},
    {"layer_types", "7", "layer_types is a whole number; it must be an array"},
    {"is_encoder_decoder", "true", "only decoder-only"},
    {"attention_bias", "\"yes\"", "attention_bias is a string; it must be true or false"},
    {"tie_word_embeddings", "1", "tie_word_embeddings is a whole number; it must be true or false"},
    {"use_sliding_window", "[]", "use_sliding_window is an array; it must be true or false"},
};

static void bad_values_are_refused_with_their_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(refusals); i++) {
		struct mxt_workload w = {.n_notes = 0};
		struct mxt_error err = MXT_ERROR_INIT;
		int rc = parse_with(refusals[i].key, refusals[i].value, &w, &err);
		if (rc >= 0 || err.id != MXT_E_MODEL_CONFIG || !strstr(mxt_error_text(&err), refusals[i].says) ||
		    !strstr(mxt_error_text(&err), "config.json"))
			fail_msg("%s = %s: %d, %s", refusals[i].key, refusals[i].value ? refusals[i].value : "absent",
				 rc, mxt_error_text(&err));
		assert_int_equal(w.model.layers, 0);
		mxt_error_clear(&err);
		mxt_workload_finish(&w);
	}
}

static void sentences_hold_no_control_characters(void **state)
{
	(void)state;
	struct mxt_workload w = {.n_notes = 0};
	assert_int_equal(parse_with("model_type", "\"ev\\u001b[2Jil\\n\"", &w, NULL), 0);
	assert_int_equal(w.n_not_modelled, 1);
	assert_null(strpbrk(w.not_modelled[0], "\x1b\n"));
	mxt_workload_finish(&w);
}

struct text_case {
	const char *text;
	enum mxt_error_id id;
};

static const struct text_case texts[] = {
    {"", MXT_E_JSON_TEXT},
    {"{\"model_type\": \"llama\", \"hidden", MXT_E_JSON_TEXT},
    {"{\"model_type\": \"llama\", \"vocab_size\": nan}", MXT_E_JSON_TEXT},
    {"{\"model_type\": \"llama\", \"vocab_size\": 1e400}", MXT_E_JSON_TEXT},
    {"{\"model_type\": \"llama\", \"vocab_size\": 1, \"vocab_size\": 2}", MXT_E_JSON_TEXT},
    {"{\"model_type\": \"\xff\xfe\"}", MXT_E_JSON_TEXT},
    {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", MXT_E_JSON_DEPTH},
    {"[1, 2]", MXT_E_MODEL_CONFIG},
};

static void bad_files_are_bad_input(void **state)
{
	const char *folder = *state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(texts); i++) {
		char *path = mxt_scratch_write(folder, "config.json", texts[i].text);
		struct mxt_workload w = {.n_notes = 0};
		struct mxt_error err = MXT_ERROR_INIT;
		assert_true(mxt_model_config_read(path, &w, &err) < 0);
		if (err.id != texts[i].id || mxt_error_class_of(err.id) != MXT_CLASS_INPUT)
			fail_msg("%s: %s", texts[i].text, mxt_error_text(&err));
		mxt_error_clear(&err);
		mxt_workload_finish(&w);
		free(path);
	}
}

static void missing_and_irregular_files_are_bad_input(void **state)
{
	const char *folder = *state;
	char *missing = mxt_scratch_path(folder, "nothing.json");
	const char *paths[] = {missing, folder, "/dev/null", "/proc/self/mem/x"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(paths); i++) {
		struct mxt_workload w = {.n_notes = 0};
		struct mxt_error err = MXT_ERROR_INIT;
		assert_true(mxt_model_config_read(paths[i], &w, &err) < 0);
		assert_int_equal(err.id, MXT_E_INPUT_FILE);
		mxt_error_clear(&err);
	}
	free(missing);
}

static void huge_files_are_bad_input(void **state)
{
	const char *folder = *state;
	char *path = mxt_scratch_path(folder, "huge.json");
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fseek(file, 5 << 20, SEEK_SET), 0);
	assert_int_equal(fputc('}', file), '}');
	assert_int_equal(fclose(file), 0);
	struct mxt_workload w = {.n_notes = 0};
	struct mxt_error err = MXT_ERROR_INIT;
	assert_true(mxt_model_config_read(path, &w, &err) < 0);
	assert_int_equal(err.id, MXT_E_TOO_LARGE);
	mxt_error_clear(&err);
	free(path);
}

static void a_number_may_be_listed_for_each_layer(void **state)
{
	(void)state;
	struct mxt_workload w = {.n_notes = 0};
	struct mxt_error err = MXT_ERROR_INIT;
	assert_int_equal(parse_with("intermediate_size", "[8192, 8192, 8192]", &w, &err), 0);
	assert_int_equal(w.model.ffn, 8192);
	static const char *const bad[] = {"[]", "[8192, 4096]", "[[8192]]", "[\"a\", \"a\"]"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(bad); i++) {
		assert_true(parse_with("intermediate_size", bad[i], &w, &err) < 0);
		assert_non_null(strstr(mxt_error_text(&err), "intermediate_size is an array"));
		mxt_error_clear(&err);
	}
	mxt_workload_finish(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(families_are_read_by_their_rules),
	    cmocka_unit_test(presets_are_what_their_files_are),
	    cmocka_unit_test(presets_are_sound_sorted_and_told_apart),
	    cmocka_unit_test(aliases_name_presets_once),
	    cmocka_unit_test(unknown_names_make_one_think_of_a_preset),
	    cmocka_unit_test(bad_values_are_refused_with_their_place),
	    cmocka_unit_test(a_number_may_be_listed_for_each_layer),
	    cmocka_unit_test(sentences_hold_no_control_characters),
	    cmocka_unit_test_setup_teardown(bad_files_are_bad_input, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(missing_and_irregular_files_are_bad_input, mxt_scratch_setup,
					    mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(huge_files_are_bad_input, mxt_scratch_setup, mxt_scratch_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
