/* SPDX-License-Identifier: Apache-2.0 */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axolotl_config.h"
#include "error.h"
#include "scratch.h"
#include "yaml_tree.h"

static int parse(const char *text, struct mxt_workload *w, struct mxt_axolotl_config *config, struct mxt_error *err)
{
	MXT_CLEANUP_YAML struct mxt_yaml_tree *tree = NULL;
	int rc = mxt_yaml_tree_parse("t.yaml", text, strlen(text), &tree, err);
	*w = (struct mxt_workload){.n_notes = 0};
	*config = (struct mxt_axolotl_config)MXT_AXOLOTL_CONFIG_INIT;
	return rc < 0 ? rc : mxt_axolotl_config_parse("t.yaml", tree, w, config, err);
}

/* Enough for no note about sizes. */
#define SIZES "sequence_len: 2048\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\n"

struct value_case {
	const char *text; /* behind SIZES */
	struct mxt_training training;
	uint32_t excluded;
	size_t n_not_modelled, n_notes;
};

#define WITH(...)                                                                                                      \
	{                                                                                                              \
		.seq_len = 2048, .micro_batch = 2, .gpus = 1, .nodes = 1, __VA_ARGS__                                  \
	}
#define BF16  .dtype = MXT_DTYPE_BF16, .autocast = true
#define LORA  BF16, .adapter = MXT_ADAPTER_LORA, .lora_rank = 16
#define FUSED .fused_lora = MXT_FUSED_ALL

static const struct value_case values[] = {
    {"", WITH(BF16), 0, 0, 0},
    {"bf16: auto\nfp16:\n", WITH(BF16), 0, 0, 0},
    {"bf16: yes\n", WITH(BF16), 0, 0, 0},
    {"bf16: 'true'\n", WITH(BF16), 0, 0, 0},
    {"fp16: true\n", WITH(.dtype = MXT_DTYPE_F16, .autocast = true), 0, 0, 0},
    {"bf16: false\nfp16: false\n", WITH(.dtype = MXT_DTYPE_F32), 0, 1, 0}, /* TF32 */
    {"bf16: false\ntf32: auto\n", WITH(.dtype = MXT_DTYPE_F32), 0, 1, 0},
    {"bf16: false\ntf32: true\n", WITH(.dtype = MXT_DTYPE_F32), 0, 1, 0},
    {"bf16: false\ntf32: false\n", WITH(.dtype = MXT_DTYPE_F32), 0, 0, 0},
    {"bf16: auto\ntf32: true\n", WITH(BF16), 0, 0, 0},
    {"bf16: false\nbfloat16: true\nadapter: lora\nlora_r: 16\nlora_target_linear: true\nlora_o_kernel: false\n",
     WITH(.dtype = MXT_DTYPE_BF16, .adapter = MXT_ADAPTER_LORA, .lora_rank = 16, .lora_targets = MXT_PROJ_ALL), 0, 1,
     0},
    {"bf16: false\nbfloat16: true\nadapter: lora\nlora_r: 16\nlora_target_linear: true\nlora_o_kernel: false\n"
     "tf32: false\n",
     WITH(.dtype = MXT_DTYPE_BF16, .adapter = MXT_ADAPTER_LORA, .lora_rank = 16, .lora_targets = MXT_PROJ_ALL), 0, 0,
     0},
    {"bf16: false\nbfloat16: true\n", WITH(.dtype = MXT_DTYPE_BF16), 0, 0, 0},
    {"float16: true\n", WITH(.dtype = MXT_DTYPE_F16), 0, 0, 0},
    {"sample_packing: true\n", WITH(BF16, .packing = true), 0, 0, 0},
    {"pad_to_sequence_len: on\n", WITH(BF16, .padding = true), 0, 0, 0},
    {"gradient_checkpointing: 1\n", WITH(BF16, .checkpointing = true), 0, 0, 0},
    {"gradient_checkpointing: offload\n", WITH(BF16, .checkpointing = true), 0, 1, 0},
    {"adapter: lora\nlora_r: 16\nlora_target_linear: true\n", WITH(LORA, FUSED, .lora_targets = MXT_PROJ_ALL), 0, 0, 1},
    {"adapter: lora\nlora_r: 16.0\nlora_target_modules: all-linear\n", WITH(LORA, FUSED, .lora_targets = MXT_PROJ_ALL),
     0, 0, 1},
    {"adapter: lora\nlora_r: '16'\nlora_target_modules: [q_proj, self_attn.v_proj]\n",
     WITH(LORA, FUSED, .lora_targets = MXT_PROJ_Q | MXT_PROJ_V), 0, 0, 1},
    {"adapter: lora\nlora_r: 0x10\nlora_target_modules:\n  - gate_up_proj\n  - lm_head\n",
     WITH(LORA, FUSED, .lora_targets = MXT_PROJ_GATE | MXT_PROJ_UP), 0, 1, 1},
    {"adapter: lora\nlora_r: 16\nlora_target_modules: [self_attn.q_proj, experts.up_proj, model.layers.3.mlp.fc2]\n",
     WITH(LORA, FUSED, .lora_targets = MXT_PROJ_Q | MXT_PROJ_DOWN), 0, 1, 1},
    {"adapter: lora\nlora_r: 16\n"
     "lora_target_modules: 'model.language_model.layers.[\\d]+.(mlp|cross_attn|self_attn).(up|q|k)_proj'\n",
     WITH(LORA, FUSED, .lora_targets = MXT_PROJ_Q | MXT_PROJ_K | MXT_PROJ_UP), 0, 0, 1},
    {"adapter: lora\nlora_r: 16\nlora_target_modules: '.*\\.layers\\.(3|7)\\.self_attn\\.(q|v)_proj'\n",
     WITH(LORA, FUSED, .lora_targets = MXT_PROJ_Q | MXT_PROJ_V), 0, 1, 1},
    {"adapter: lora\nlora_r: 16\nlora_target_modules: '(?=q).*'\n", WITH(LORA, FUSED, .lora_targets = 0), 0, 1, 1},
    {"adapter: lora\nlora_r: 16\n", WITH(LORA, FUSED, .lora_targets = MXT_PROJ_Q | MXT_PROJ_V), 0, 0, 2},
    {"adapter: lora\nlora_target_linear: true\n",
     WITH(BF16, .adapter = MXT_ADAPTER_LORA, .lora_rank = 8, FUSED, .lora_targets = MXT_PROJ_ALL), 0, 0, 2},
    {"adapter: lora\nlora_r: 16\nlora_target_linear: true\nload_in_8bit: true\n",
     WITH(LORA, .lora_targets = MXT_PROJ_ALL, .load_bits = 8), 0, 0, 0},
    {"adapter: qlora\nlora_r: 4\nlora_target_linear: true\n",
     WITH(BF16, .adapter = MXT_ADAPTER_QLORA, .lora_rank = 4, FUSED, .lora_targets = MXT_PROJ_ALL, .load_bits = 4), 0,
     0, 1},
    {"adapter: lora\nlora_r: 16\nlora_target_linear: true\nlora_mlp_kernel: true\n",
     WITH(LORA, .lora_targets = MXT_PROJ_ALL, .fused_lora = MXT_FUSED_MLP), 0, 0, 0},
    {"adapter: lora\nlora_r: 16\nlora_target_linear: true\nlora_qkv_kernel: true\nlora_o_kernel: true\nlora_dropout: "
     "0.05\n",
     WITH(LORA, .lora_targets = MXT_PROJ_ALL, .fused_lora = MXT_FUSED_QKV | MXT_FUSED_O, .lora_dropout = true), 0, 0,
     0},
    {"adapter: lora\nlora_r: 16\nlora_target_linear: true\nlora_o_kernel: false\n",
     WITH(LORA, .lora_targets = MXT_PROJ_ALL), 0, 0, 0},
    {"adapter: lora\nlora_r: 16\nlora_target_linear: true\nlora_embedding_kernel: true\n",
     WITH(LORA, .lora_targets = MXT_PROJ_ALL), 0, 0, 0},
    {"adapter: lora\nlora_r: 16\nlora_target_linear: true\ntrust_remote_code: true\n",
     WITH(LORA, .lora_targets = MXT_PROJ_ALL), 0, 0, 0},
    {"adapter: lora\nlora_r: 16\nlora_target_linear: true\nrl: dpo\n", WITH(LORA, .lora_targets = MXT_PROJ_ALL), 0, 1,
     0},
    {"adapter: lora\nlora_r: 16\nlora_target_linear: true\nfsdp_config: {x: 1}\n",
     WITH(LORA, .lora_targets = MXT_PROJ_ALL, .strategy = MXT_STRATEGY_FSDP), 0, 0, 0},
    {"adapter: lora\nlora_r: 16\nlora_target_linear: true\nfsdp_config: {x: 1}\nfsdp_version: 2\n",
     WITH(LORA, .lora_targets = MXT_PROJ_ALL, FUSED, .strategy = MXT_STRATEGY_FSDP), 0, 0, 1},
    {"adapter: lora\nlora_r: 16\nlora_target_linear: true\nfsdp_config: {fsdp_version: 2}\n",
     WITH(LORA, .lora_targets = MXT_PROJ_ALL, FUSED, .strategy = MXT_STRATEGY_FSDP), 0, 0, 1},
    {"adapter: adalora\nlora_r: 16\nlora_target_linear: true\n", WITH(LORA, .lora_targets = MXT_PROJ_ALL),
     MXT_PART_LORA, 1, 0},
    {"lora_r: 16\nlora_mlp_kernel: true\n", WITH(BF16), 0, 0, 0},
    {"fsdp_config: {state_dict_type: FULL_STATE_DICT}\n", WITH(BF16, .strategy = MXT_STRATEGY_FSDP), 0, 0, 0},
    {"fsdp: []\nfsdp_config:\ndeepspeed: zero3.json\n", WITH(BF16, .strategy = MXT_STRATEGY_ZERO), 0, 0, 0},
    {"cut_cross_entropy: true\n", WITH(BF16, .fused_cross_entropy = true), 0, 0, 0},
    {"liger_fused_linear_cross_entropy: true\n", WITH(BF16, .liger_cross_entropy = true), 0, 0, 0},
    {"chunked_cross_entropy: true\n", WITH(BF16), 0, 0, 0},
    {"gradient_checkpointing: true\ngradient_checkpointing_kwargs: {use_reentrant: false}\n",
     WITH(BF16, .checkpointing = true, .non_reentrant = true), 0, 0, 0},
    {"gradient_checkpointing: true\nunfrozen_parameters: [lm_head.weight]\n",
     WITH(BF16, .checkpointing = true, .non_reentrant = true), 0, 1, 0},
    {"gradient_checkpointing: true\ngradient_checkpointing_kwargs: {debug: true}\n", WITH(BF16, .checkpointing = true),
     0, 0, 0},
    {"flash_attn_cross_entropy: true\n", WITH(BF16), 0, 0, 0},
    {"rl: dpo\ntorch_compile: auto\n", WITH(BF16), 0, 2, 0},
    {"rl: ''\ntorch_compile: false\nunfrozen_parameters: []\n", WITH(BF16), 0, 0, 0},
    {"fp8: true\n", WITH(BF16), MXT_PART_BASE | MXT_PART_LORA, 1, 0},
    {"tensor_parallel_size: 1\n", WITH(BF16), 0, 0, 0},
    {"tensor_parallel_size: 2\n", WITH(BF16), MXT_PART_ALL, 1, 0},
    {"reward_model: true\n", WITH(BF16), MXT_PART_LM_HEAD, 1, 0},
    {"flash_attention: true\nxformers_attention: false\n", WITH(BF16), 0, 0, 0},
    {"flash_attention: true\nxformers_attention: true\n", WITH(BF16), 0, 0, 1},
    {"flash_attention: true\nattn_implementation: sdpa\n", WITH(BF16), 0, 0, 1},
    {"learning_rate: 2e-5\n", WITH(BF16), 0, 0, 0},
    {"optim_args: {eps: 1e-8, betas: [0.9, 1e-1], name: '1e-3', x: e5}\n", WITH(BF16), 0, 0, 2},
    {"lora_rnk: 16\n3: x\nzzzzz: 1\n", WITH(BF16), 0, 0, 3},

};

static void expect_training(const char *text, const struct mxt_training *got, const struct mxt_training *want)
{
	const struct {
		const char *what;
		int64_t got, want;
	} rows[] = {
	    {"seq_len", got->seq_len, want->seq_len},
	    {"micro_batch", got->micro_batch, want->micro_batch},
	    {"gpus", got->gpus, want->gpus},
	    {"nodes", got->nodes, want->nodes},
	    {"dtype", got->dtype, want->dtype},
	    {"autocast", got->autocast, want->autocast},
	    {"adapter", got->adapter, want->adapter},
	    {"lora_rank", got->lora_rank, want->lora_rank},
	    {"lora_targets", got->lora_targets, want->lora_targets},
	    {"packing", got->packing, want->packing},
	    {"padding", got->padding, want->padding},
	    {"checkpointing", got->checkpointing, want->checkpointing},
	    {"load_bits", got->load_bits, want->load_bits},
	    {"non_reentrant", got->non_reentrant, want->non_reentrant},
	    {"fused_lora", got->fused_lora, want->fused_lora},
	    {"lora_dropout", got->lora_dropout, want->lora_dropout},
	    {"fused_cross_entropy", got->fused_cross_entropy, want->fused_cross_entropy},
	    {"liger_cross_entropy", got->liger_cross_entropy, want->liger_cross_entropy},
	    {"strategy", got->strategy, want->strategy},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++)
		if (rows[i].got != rows[i].want)
			fail_msg("%s: %s is %d, not %d", text, rows[i].what, (int)rows[i].got, (int)rows[i].want);
}

static void keys_are_read_as_axolotl_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(values); i++) {
		char text[512];
		struct mxt_workload w;
		struct mxt_axolotl_config config;
		struct mxt_error err = MXT_ERROR_INIT;
		(void)snprintf(text, sizeof text, SIZES "%s", values[i].text);
		if (parse(text, &w, &config, &err) < 0)
			fail_msg("%s: %s", values[i].text, mxt_error_text(&err));
		expect_training(values[i].text, &w.training, &values[i].training);
		if (w.excluded != values[i].excluded || w.n_not_modelled != values[i].n_not_modelled ||
		    w.n_notes != values[i].n_notes)
			fail_msg("%s: excluded %x, %zu not modelled, %zu notes (%s)", values[i].text, w.excluded,
				 w.n_not_modelled, w.n_notes, w.n_notes ? w.notes[0] : "");
		mxt_workload_finish(&w);
		mxt_axolotl_config_finish(&config);
	}
}

struct refusal {
	const char *text;
	const char *says;
};

static const struct refusal refusals[] = {
    {"a: 1\nsequence_len: 0\n", "t.yaml:2: sequence_len is a whole number (0); it must be a whole number from 1 to"},
    {"sequence_len: -1\n", "t.yaml:1: sequence_len is a whole number (-1)"},
    {"sequence_len: 4e3\n", "t.yaml:1: sequence_len is text (4e3)"},
    {"sequence_len: 4096.5\n", "t.yaml:1: sequence_len is a number with a fraction (4096.5)"},
    {"sequence_len: 99999999999999999999\n", "t.yaml:1: sequence_len is a whole number"},
    {"sequence_len: .nan\n", "t.yaml:1: sequence_len is a number with a fraction"},
    {"sequence_len: .inf\n", "t.yaml:1: sequence_len is a number with a fraction"},
    {"sequence_len: yes\n", "t.yaml:1: sequence_len is true or false (yes)"},
    {"sequence_len: [1]\n", "t.yaml:1: sequence_len is a list; it must be"},
    {"sequence_len: 2024-01-01\n", "t.yaml:1: sequence_len is a date"},
    {"micro_batch_size: 65537\n", "t.yaml:1: micro_batch_size is a whole number (65537)"},
    {"gradient_accumulation_steps: 0\n", "t.yaml:1: gradient_accumulation_steps"},
    {"sample_packing: maybe\n", "t.yaml:1: sample_packing is text (maybe); it must be true or false"},
    {"sample_packing: 2\n", "t.yaml:1: sample_packing is a whole number (2)"},
    {"adapter: 7\n", "t.yaml:1: adapter is a whole number (7); it must be a text"},
    {"adapter: lora\nlora_r: 0\n", "t.yaml:2: lora_r"},
    {"adapter: lora\nlora_target_modules: {a: b}\n", "t.yaml:2: lora_target_modules is a map"},
    {"adapter: lora\nlora_target_modules:\n- q_proj\n- 5\n", "t.yaml:4: an entry of lora_target_modules"},
    {"load_in_4bit: true\nload_in_8bit: true\n", "t.yaml:2: load_in_8bit"},
    {"bf16: full\n", "t.yaml:1: bf16 is text (full)"},
    {"base_model: 8\n", "t.yaml:1: base_model is a whole number (8)"},
    {"base_model: [a]\n", "t.yaml:1: base_model is a list"},
    {"gradient_checkpointing: sometimes\n", "t.yaml:1: gradient_checkpointing is text (sometimes)"},
    {"- a\n- b\n", "t.yaml:1: the file holds a list; an Axolotl config is a map of keys"},
    {"just text\n", "t.yaml:1: the file holds text"},
};

static void bad_values_are_refused_with_their_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(refusals); i++) {
		struct mxt_workload w;
		struct mxt_axolotl_config config;
		struct mxt_error err = MXT_ERROR_INIT;
		int rc = parse(refusals[i].text, &w, &config, &err);
		if (rc >= 0 || err.id != MXT_E_YAML_VALUE || !strstr(mxt_error_text(&err), refusals[i].says))
			fail_msg("%s: %d %s", refusals[i].text, rc, mxt_error_text(&err));
		assert_null(config.base_model);
		mxt_error_clear(&err);
		mxt_workload_finish(&w);
	}
}

static void the_model_is_named_by_the_config_key_first(void **state)
{
	(void)state;
	struct mxt_workload w;
	struct mxt_axolotl_config config;
	assert_int_equal(parse(SIZES "base_model: a/b\nrevision_of_model: v1\n", &w, &config, NULL), 0);
	assert_string_equal(config.base_model, "a/b");
	assert_string_equal(config.revision, "v1");
	mxt_axolotl_config_finish(&config);
	mxt_workload_finish(&w);
	assert_int_equal(parse(SIZES "base_model: a/b\nbase_model_config: c/d\n", &w, &config, NULL), 0);
	assert_string_equal(config.base_model, "c/d");
	assert_null(config.revision);
	mxt_axolotl_config_finish(&config);
	mxt_workload_finish(&w);
}

static bool notes_say(const struct mxt_workload *w, const char *what)
{
	for (size_t i = 0; i < w->n_notes; i++)
		if (strstr(w->notes[i], what))
			return true;
	return false;
}

static void notes_help(void **state)
{
	(void)state;
	struct mxt_workload w;
	struct mxt_axolotl_config config;
	assert_int_equal(
	    parse("adapter: lora\nlora_rr: 16\noptim_args:\n  eps: 1e-8\n\"ev\\x1b[2Jil\": 1\n", &w, &config, NULL), 0);
	assert_true(notes_say(&w, "sequence_len is not set; Axolotl takes 512"));
	assert_true(notes_say(&w, "micro_batch_size is not set; Axolotl takes 1"));
	assert_true(notes_say(&w, "it needs two of micro_batch_size"));
	assert_true(
	    notes_say(&w, "line 2: Axolotl has no key 'lora_rr' and drops it without a word; did you mean 'lora_r'?"));
	assert_true(notes_say(&w, "line 4: 1e-8 in optim_args is text in YAML 1.1"));
	assert_true(notes_say(&w, "line 5: Axolotl has no key 'ev?[2Jil'"));
	mxt_axolotl_config_finish(&config);
	mxt_workload_finish(&w);
}

/* A list that is full ends with a sentence that says so. */
static void a_flood_of_notes_is_cut(void **state)
{
	(void)state;
	struct mxt_workload w;
	struct mxt_axolotl_config config;
	char text[4096] = SIZES;
	for (int i = 0; i < 60; i++)
		(void)snprintf(text + strlen(text), sizeof text - strlen(text), "unknown_key_%d_qqqq: 1\n", i);
	assert_int_equal(parse(text, &w, &config, NULL), 0);
	assert_int_equal(w.n_notes, MXT_NOT_MODELLED_MAX);
	assert_string_equal(w.notes[MXT_NOT_MODELLED_MAX - 1], "and more, which this list has no room for");
	mxt_axolotl_config_finish(&config);
	mxt_workload_finish(&w);
}

/* They are looked up by halving. */
static void known_keys_are_in_order(void **state)
{
	(void)state;
	static const char *const keys[] = {
#define MXT_AXOLOTL_KEY(name, loose) name,
#include "axolotl_keys.def"
#undef MXT_AXOLOTL_KEY
	};
	for (size_t i = 1; i < MXT_ARRAY_LEN(keys); i++)
		assert_true(strcmp(keys[i - 1], keys[i]) < 0);
}

static void missing_files_are_bad_input(void **state)
{
	const char *folder = *state;
	struct mxt_workload w = {.n_notes = 0};
	struct mxt_axolotl_config config = MXT_AXOLOTL_CONFIG_INIT;
	struct mxt_error err = MXT_ERROR_INIT;
	char *path = mxt_scratch_path(folder, "none.yaml");
	assert_true(mxt_axolotl_config_read(path, &w, &config, &err) < 0);
	assert_int_equal(err.id, MXT_E_INPUT_FILE);
	assert_true(mxt_axolotl_config_read(folder, &w, &config, &err) < 0);
	assert_int_equal(err.id, MXT_E_INPUT_FILE);
	mxt_error_clear(&err);
	free(path);
}

/* ---- the schedule ---- */

struct schedule_case {
	const char *text; /* behind SIZES, which has a micro-batch of 2 and accumulates 4 */
	struct mxt_schedule schedule;
	const char *dataset;
};

#define PREPARED "last_run_prepared"
#define PLAN(...)                                                                                                      \
	{                                                                                                              \
		.accumulation = 4, .pack_documents = 200, __VA_ARGS__                                                  \
	}

static const struct schedule_case schedules[] = {
    {"", PLAN(.epochs = 1, .multiple = 64), PREPARED},
    {"num_epochs: 3\nmax_steps: 20\n", PLAN(.epochs = 3, .max_steps = 20, .multiple = 64), PREPARED},
    {"num_epochs: 0.5\nmax_steps: -1\n", PLAN(.epochs = 0.5, .multiple = 64), PREPARED},
    {"num_epochs: '2'\nval_set_size: 0.05\n", PLAN(.epochs = 2, .validation = 0.05, .multiple = 64), PREPARED},
    {"val_set_size: 200\ndataset_prepared_path: ./prep\n", PLAN(.epochs = 1, .validation = 200, .multiple = 64),
     "./prep"},
    {"dataset_prepared_path:\npad_to_multiple_of: 8\n", PLAN(.epochs = 1, .multiple = 8), PREPARED},
    {"dataset_prepared_path: ''\npad_to_sequence_len: false\n", PLAN(.epochs = 1, .open_packs = true), PREPARED},
    {"pad_to_sequence_len: true\npad_to_multiple_of: 8\n", PLAN(.epochs = 1), PREPARED},
    {"group_by_length: true\n", PLAN(.epochs = 1, .multiple = 64, .grouped = true), PREPARED},
    {"multipack_real_batches: true\n", PLAN(.epochs = 1, .multiple = 64, .packs = MXT_PACKS_ROWS), PREPARED},
    {"multipack_real_batches: false\nsample_packing_bin_size: 30\n",
     {.epochs = 1, .accumulation = 4, .multiple = 64, .pack_documents = 30, .packs = MXT_PACKS_BATCH},
     PREPARED},
};

static void check_schedule(const struct schedule_case *c, const struct mxt_schedule *s)
{
	if (s->epochs != c->schedule.epochs || s->max_steps != c->schedule.max_steps ||
	    s->accumulation != c->schedule.accumulation || s->validation != c->schedule.validation ||
	    s->multiple != c->schedule.multiple || s->grouped != c->schedule.grouped ||
	    s->pack_documents != c->schedule.pack_documents || s->packs != c->schedule.packs ||
	    s->open_packs != c->schedule.open_packs)
		fail_msg("another schedule than expected of:\n%s", c->text);
	assert_string_equal(s->dataset, c->dataset);
}

static void reads_the_schedule(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(schedules); i++) {
		char text[512];
		struct mxt_workload w;
		struct mxt_axolotl_config config;
		(void)snprintf(text, sizeof text, SIZES "%s", schedules[i].text);
		assert_int_equal(parse(text, &w, &config, NULL), 0);
		check_schedule(&schedules[i], &w.schedule);
		mxt_axolotl_config_finish(&config);
		mxt_workload_finish(&w);
	}
	struct mxt_workload w;
	struct mxt_axolotl_config config;
	assert_int_equal(parse("micro_batch_size: 3\nbatch_size: 7\n", &w, &config, NULL), 0);
	assert_int_equal(w.schedule.accumulation, 2);
	mxt_axolotl_config_finish(&config);
	mxt_workload_finish(&w);
}

static void refuses_schedules(void **state)
{
	static const char *const texts[] = {"num_epochs: many\n",
					    "num_epochs: -1\n",
					    "num_epochs: .nan\n",
					    "val_set_size: .inf\n",
					    "max_steps: soon\n",
					    "max_steps: 1.5\n",
					    "group_by_length: 2\n",
					    "pad_to_multiple_of: 0\n",
					    "num_epochs: [1]\n",
					    "val_set_size: -0.05\n",
					    "sample_packing_bin_size: 0\n",
					    "dataset_prepared_path: 3\n"};
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(texts); i++) {
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		struct mxt_workload w;
		struct mxt_axolotl_config config;
		if (parse(texts[i], &w, &config, &err) == 0 || err.id != MXT_E_YAML_VALUE)
			fail_msg("%s", texts[i]);
		mxt_workload_finish(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_the_schedule),
	    cmocka_unit_test(refuses_schedules),
	    cmocka_unit_test(keys_are_read_as_axolotl_does),
	    cmocka_unit_test(bad_values_are_refused_with_their_line),
	    cmocka_unit_test(the_model_is_named_by_the_config_key_first),
	    cmocka_unit_test(notes_help),
	    cmocka_unit_test(a_flood_of_notes_is_cut),
	    cmocka_unit_test(known_keys_are_in_order),
	    cmocka_unit_test_setup_teardown(missing_files_are_bad_input, mxt_scratch_setup, mxt_scratch_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
