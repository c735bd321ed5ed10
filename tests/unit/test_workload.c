/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "json.h"
#include "print_workload.h"
#include "scratch.h"
#include "workload.h"

/* The canonical bytes of decision.workload; the caller frees. */
static char *canonical(const struct mxt_workload *workload)
{
	json_t *json = mxt_workload_json(workload);
	struct mxt_buf buf = MXT_BUF_INIT;
	assert_non_null(json);
	assert_int_equal(mxt_json_canonical(json, &buf, NULL), 0);
	json_decref(json);
	char *text = mxt_buf_steal(&buf);
	assert_non_null(text);
	return text;
}

static char *load_canonical(const struct mxt_workload_source *source)
{
	struct mxt_workload workload;
	struct mxt_error err = MXT_ERROR_INIT;
	if (mxt_workload_load(source, &workload, &err) < 0)
		fail_msg("%s", mxt_error_text(&err));
	char *text = canonical(&workload);
	mxt_workload_finish(&workload);
	return text;
}

static struct mxt_workload_source with_flags(const char *yaml, const char *model)
{
	struct mxt_workload_source source = MXT_WORKLOAD_SOURCE_INIT;
	source.config_yaml = yaml;
	source.model = model;
	source.seq_len = 4096;
	source.micro_batch = 8;
	source.lora_rank = 16;
	source.checkpointing = 1;
	source.packing = 0;
	return source;
}

static const char qwen3_config[] =
    "{\"model_type\":\"qwen3\",\"head_dim\":128,\"hidden_size\":4096,\"intermediate_size\":12288,"
    "\"num_attention_heads\":32,\"num_hidden_layers\":36,\"num_key_value_heads\":8,\"vocab_size\":151936,"
    "\"use_sliding_window\":false,\"sliding_window\":null,\"torch_dtype\":\"bfloat16\"}";

static const char qwen3_yaml[] = "base_model: Qwen/Qwen3-8B\nsequence_len: 4096\nmicro_batch_size: 8\n"
				 "gradient_accumulation_steps: 2\nadapter: lora\nlora_r: 16\nlora_alpha: 32\n"
				 "lora_target_linear: true\nbf16: auto\ngradient_checkpointing: true\n"
				 "lora_mlp_kernel: false\n";

static const char expected[] =
    "{\"model\":{\"ffn\":12288,\"heads\":32,\"hidden\":4096,\"kv_heads\":8,\"layers\":36,\"vocab\":151936},"
    "\"training\":{\"adapter\":\"lora\",\"checkpointing\":true,\"lora_rank\":16,\"micro_batch\":8,\"seq_len\":4096}}";

/* One model given as preset, YAML, config.json, folder or Hub id is one workload, byte for byte. */
static void every_source_gives_the_same_bytes(void **state)
{
	const char *folder = *state;
	char *config = mxt_scratch_write(folder, "config.json", qwen3_config);
	char *yaml = mxt_scratch_write(folder, "run.yaml", qwen3_yaml);
	struct mxt_buf local = MXT_BUF_INIT;
	mxt_buf_printf(&local, "base_model: %s\n%s", folder, strchr(qwen3_yaml, '\n') + 1);
	char *yaml_local = mxt_scratch_write(folder, "local.yaml", mxt_buf_text(&local));
	struct mxt_workload_source plain = MXT_WORKLOAD_SOURCE_INIT, plain_local = MXT_WORKLOAD_SOURCE_INIT;
	plain.config_yaml = yaml;
	plain_local.config_yaml = yaml_local;
	const struct mxt_workload_source sources[] = {
	    with_flags(NULL, "qwen3-8b"),
	    with_flags(NULL, config),
	    with_flags(NULL, folder),
	    with_flags(NULL, "Qwen/Qwen3-8B"),
	    plain,
	    plain_local,
	    with_flags(yaml, NULL),
	    with_flags(yaml, config),
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(sources); i++) {
		char *text = load_canonical(&sources[i]);
		assert_string_equal(text, expected);
		free(text);
	}
	mxt_buf_finish(&local);
	free(config);
	free(yaml);
	free(yaml_local);
}

static void flags_override_files(void **state)
{
	const char *folder = *state;
	char *yaml = mxt_scratch_write(folder, "run.yaml", qwen3_yaml);
	struct mxt_workload_source source = MXT_WORKLOAD_SOURCE_INIT;
	source.config_yaml = yaml;
	source.model = "instella-3b";
	source.seq_len = 1024;
	source.micro_batch = 2;
	source.lora_rank = 0;
	source.gpus = 8;
	source.nodes = 2;
	source.checkpointing = 0;
	source.packing = 1;
	char *text = load_canonical(&source);
	assert_string_equal(text,
			    "{\"model\":{\"ffn\":6912,\"heads\":32,\"hidden\":2560,\"layers\":36,\"vocab\":50304},"
			    "\"training\":{\"gpus\":8,\"lengths\":\"packed\",\"micro_batch\":2,\"nodes\":2,"
			    "\"seq_len\":1024,\"strategy\":\"ddp\"}}");
	free(text);
	free(yaml);
}

static void what_is_left_out_is_written(void **state)
{
	const char *folder = *state;
	char *yaml =
	    mxt_scratch_write(folder, "run.yaml",
			      "base_model: qwen3-8b\nsequence_len: 64\nmicro_batch_size: 1\nbatch_size: 1\n"
			      "adapter: lora\nlora_r: 4\nlora_target_modules: [v_proj, q_proj]\nload_in_8bit: true\n"
			      "cut_cross_entropy: true\nbf16: false\n");
	struct mxt_workload_source source = MXT_WORKLOAD_SOURCE_INIT;
	source.config_yaml = yaml;
	char *text = load_canonical(&source);
	assert_string_equal(text,
			    "{\"excluded\":[\"base\",\"lm_head\"],"
			    "\"model\":{\"ffn\":12288,\"heads\":32,\"hidden\":4096,\"kv_heads\":8,\"layers\":36,"
			    "\"vocab\":151936},"
			    "\"training\":{\"adapter\":\"lora\",\"autocast\":false,\"dtype\":\"float32\","
			    "\"fused_cross_entropy\":true,\"load_bits\":8,\"lora_rank\":4,"
			    "\"lora_targets\":[\"q\",\"v\"],\"micro_batch\":1,\"pads_alone\":true,\"seq_len\":64}}");
	free(text);
	free(yaml);
}

struct refusal {
	struct mxt_workload_source source;
	enum mxt_error_id id;
	const char *says;
};

static void bad_sources_are_refused(void **state)
{
	const char *folder = *state;
	char *nameless = mxt_scratch_write(folder, "nameless.yaml", "sequence_len: 64\n");
	char *unknown = mxt_scratch_write(folder, "unknown.yaml", "base_model: nobody/nothing\n");
	struct refusal rows[] = {
	    {MXT_WORKLOAD_SOURCE_INIT, MXT_E_WORKLOAD_SOURCE, "--config FILE.yaml or --model NAME"},
	    {MXT_WORKLOAD_SOURCE_INIT, MXT_E_YAML_VALUE, "base_model is missing"},
	    {MXT_WORKLOAD_SOURCE_INIT, MXT_E_MODEL_NOT_FOUND, "unknown.yaml: base_model: model 'nobody/nothing'"},
	    {MXT_WORKLOAD_SOURCE_INIT, MXT_E_WORKLOAD, "--seq-len is 0; it can be from 1"},
	    {MXT_WORKLOAD_SOURCE_INIT, MXT_E_WORKLOAD, "--lora-rank is 99999"},
	    {MXT_WORKLOAD_SOURCE_INIT, MXT_E_WORKLOAD, "--micro-batch is -5"},
	};
	rows[1].source.config_yaml = nameless;
	rows[2].source.config_yaml = unknown;
	for (size_t i = 3; i < MXT_ARRAY_LEN(rows); i++)
		rows[i].source.model = "qwen3-8b";
	rows[3].source.seq_len = 0;
	rows[4].source.lora_rank = 99999;
	rows[5].source.micro_batch = -5;
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		struct mxt_workload w;
		struct mxt_error err = MXT_ERROR_INIT;
		int rc = mxt_workload_load(&rows[i].source, &w, &err);
		if (rc >= 0 || err.id != rows[i].id || !strstr(mxt_error_text(&err), rows[i].says))
			fail_msg("%zu: %d %s", i, rc, mxt_error_text(&err));
		mxt_error_clear(&err);
	}
	free(nameless);
	free(unknown);
}

static void print_to(struct mxt_buf *buf, const struct mxt_workload *w, const struct mxt_problem_set *set)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	assert_non_null(out);
	assert_int_equal(mxt_print_workload(out, w, NULL, set, NULL), 0);
	assert_int_equal(fclose(out), 0);
	mxt_buf_append(buf, text, len);
	free(text);
}

/* Sum of the first column. */
static double sum_of_shares(const char *text)
{
	double sum = 0;
	for (const char *at = text; (at = strstr(at, " % ")); at++) {
		const char *start = at;
		while (start > text && strchr("0123456789.", start[-1]))
			start--;
		sum += strtod(start, NULL);
		at = strchr(at, '\n');
	}
	return sum;
}

static void the_report_names_shares_scale_and_gaps(void **state)
{
	(void)state;
	struct mxt_workload_source source = with_flags(NULL, "qwen3-8b");
	source.gpus = 2;
	struct mxt_workload w;
	struct mxt_problem_set set;
	struct mxt_scale scale = mxt_scale_for_host(2, UINT64_C(24) << 30);
	assert_int_equal(mxt_workload_load(&source, &w, NULL), 0);
	w.training.padding = true;
	assert_int_equal(mxt_workload_problems(&w, &scale, MXT_DTYPE_F32, &set, NULL), 0);
	struct mxt_buf buf = MXT_BUF_INIT;
	print_to(&buf, &w, &set);
	static const char *const parts[] = {
	    "model: 36 layers, hidden 4096, 32 heads of 128 (8 for keys and values), FFN 12288, vocabulary 151936",
	    "training: micro-batch 8 of 4096 tokens (padded), LoRA of rank 16, bfloat16, with checkpointing",
	    "gemm nt 128x4096x4096 float32",
	    "(for comparison)",
	    "tokens in a matrix product: at most 128",
	    "not modelled, and not tuned:\n  the exchange of gradients",
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(parts); i++)
		if (!strstr(mxt_buf_text(&buf), parts[i]))
			fail_msg("no '%s' in:\n%s", parts[i], mxt_buf_text(&buf));
	double sum = sum_of_shares(mxt_buf_text(&buf));
	assert_true(sum > 99 && sum < 101);
	mxt_buf_finish(&buf);
	mxt_problem_set_finish(&set);
	mxt_workload_finish(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(every_source_gives_the_same_bytes, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(flags_override_files, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(what_is_left_out_is_written, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test_setup_teardown(bad_sources_are_refused, mxt_scratch_setup, mxt_scratch_teardown),
	    cmocka_unit_test(the_report_names_shares_scale_and_gaps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
