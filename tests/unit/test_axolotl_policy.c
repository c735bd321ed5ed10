/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an Axolotl config is refused or warned for before it trains under a plan.
 */
#include "axolotl_policy.h"

#include <string.h>

#include "axolotl_package.h"
#include "cmocka_all.h"
#include "remarks.h"

#define BASE "base_model: Qwen/Qwen3-8B\n"
#define HEX  "0123456789abcdef0123456789abcdef01234567"

/* A config, and the only remark that is made of it; id MXT_E_NONE with WARNING for warnings, with NOTE for none. */
struct policy_case {
	const char *yaml;
	enum mxt_remark_kind kind;
	enum mxt_error_id id;
	const char *place; /* the text begins with it */
};

#define NOTHING MXT_REMARK_NOTE, MXT_E_NONE, ""
#define WARNED  MXT_REMARK_WARNING, MXT_E_NONE
#define JIT     MXT_REMARK_REFUSED, MXT_E_LAUNCH_JIT
#define UNDONE  MXT_REMARK_REFUSED, MXT_E_LAUNCH_UNDONE
#define SECRET  MXT_REMARK_REFUSED, MXT_E_LAUNCH_SECRET
#define STRAY   MXT_REMARK_REFUSED, MXT_E_USAGE
#define FOREIGN MXT_REMARK_REFUSED, MXT_E_LAUNCH_YAML

static const struct policy_case cases[] = {
    {BASE "adapter: lora\nlora_r: 16\nseed: 42\n", NOTHING},
    {BASE "plugins:\n  - axolotl.integrations.liger.LigerPlugin\nliger_rope: true\n", NOTHING},
    /* what tunes */
    {BASE "torch_compile: true\ntorch_compile_mode: max-autotune\n", JIT, "run.yaml:3: torch_compile_mode"},
    {BASE "torch_compile_mode: max-autotune-no-cudagraphs\n", JIT, "run.yaml:2: "},
    {BASE "torch_compile_mode: default\n", NOTHING},
    {BASE "torch_compile_mode: reduce-overhead\n", NOTHING},
    {BASE "torch_compile_options:\n  epilogue_fusion: true\n  max_autotune_gemm: true\n", JIT,
     "run.yaml:4: torch_compile_options.max_autotune_gemm"},
    {BASE "torch_compile_options: {coordinate_descent_tuning: 1}\n", JIT, "run.yaml:2: "},
    {BASE "torch_compile_options: {shape_padding: true}\n", JIT, "run.yaml:2: "},
    {BASE "torch_compile_options: {shape_padding: false, epilogue_fusion: true}\n", NOTHING},
    {BASE "flex_attn_compile_kwargs:\n  dynamic: false\n  mode: max-autotune-no-cudagraphs\n", JIT, "run.yaml:4: "},
    {BASE "flex_attn_compile_kwargs: {options: {max_autotune: true}}\n", JIT, "run.yaml:2: "},
    {BASE "deepspeed: {autotuning: {enabled: true}}\n", JIT, "run.yaml:2: "},
    {BASE "deepspeed: zero2.json\n", NOTHING},
    {BASE "large_head_attention: triton_flash\n", JIT, "run.yaml:2: "},
    {BASE "large_head_attention: auto\n", JIT, "run.yaml:2: "},
    {BASE "large_head_attention: sdpa\n", NOTHING},
    {BASE "experts_implementation: sonicmoe\n", NOTHING},
    {BASE "experts_implementation: deep_ep_scattermoe\n", JIT, "run.yaml:2: "},
    {BASE "experts_implementation: scattermoe\n", JIT, "run.yaml:2: "},
    {BASE "experts_implementation: grouped_mm\n", NOTHING},
    {BASE "cudnn_benchmark: true\n", JIT, "run.yaml:2: "},
    {BASE "use_scattermoe: true\n", JIT, "run.yaml:2: "},
    {BASE "use_glm_dsa_kernels: true\n", JIT, "run.yaml:2: "},
    {BASE "use_dsv4_kernels: true\n", JIT, "run.yaml:2: "},
    {BASE "expert_backend: scattermoe\n", JIT, "run.yaml:2: "},
    {BASE "flash_attn_d512: true\n", JIT, "run.yaml:2: "},
    /* what undoes the plan's attention, or may change the job */
    {BASE "flash_optimum: true\n", UNDONE, "run.yaml:2: flash_optimum"},
    {BASE "flash_optimum:\n", NOTHING},
    {BASE "flash_optimum: false\n", NOTHING},
    {BASE "gemma4_hybrid_attn_impl: true\n", UNDONE, "run.yaml:2: "},
    {BASE "overrides_of_model_config:\n  attn_implementation: eager\n", UNDONE, "run.yaml:3: "},
    {BASE "overrides_of_model_config:\n  _attn_implementation: eager\n", UNDONE, "run.yaml:3: "},
    {BASE "overrides_of_model_kwargs:\n  attn_implementation: eager\n", UNDONE, "run.yaml:3: "},
    {BASE "s2_attention: true\n", UNDONE, "run.yaml:2: "},
    {BASE "ring_attn_func: varlen_llama3\n", UNDONE, "run.yaml:2: "},
    {BASE "auto_find_batch_size: true\n", WARNED, "run.yaml:2: "},
    {BASE "use_kernels: true\n", WARNED, "run.yaml:2: "},
    /* secrets */
    {BASE "comet_api_key: abcdef\n", SECRET, "run.yaml:2: comet_api_key"},
    {BASE "other_api_key: abcdef\n", SECRET, "run.yaml:2: other_api_key"},
    {BASE "cloud:\n  access_key: abcdef\n", SECRET, "run.yaml:3: access_key"},
    {BASE "database_password: abcdef\n", SECRET, "run.yaml:2: database_password"},
    {BASE "\nwandb_api_key: " HEX "\n", SECRET, "run.yaml:3: "},
    {BASE "datasets:\n  - path: x\n    wandb_key: " HEX "\n", SECRET, "run.yaml:4: wandb_key"},
    {BASE "hf_use_auth_token: true\n", NOTHING},
    {BASE "# hf_abcdefghijklmnopqrstuvwxyz012345\n", SECRET, "run.yaml:2: "},
    {BASE "wandb_name: hf_abcdefghijklmnopqrstuvwxyz012345\n", SECRET, "run.yaml:2: "},
    {BASE "mlflow_tracking_uri: https://me:hunter2hunter2@host.example/\n", SECRET, "run.yaml:2: "},
    {BASE "mlflow_tracking_uri: https://host.example:5000/\n", NOTHING},
    {BASE "comet_api_key: $COMET_API_KEY\n", NOTHING},
    {BASE "comet_api_key:\n", NOTHING},
    {BASE "special_tokens:\n  pad_token: <|endoftext|>\n  eos_token: '</s>'\n", NOTHING},
    /* files of others */
    {"stage: sft\nfinetuning_type: lora\nmodel_name_or_path: x\n", FOREIGN, "run.yaml is a config of LLaMA-Factory"},
    {"tokenizer:\n  _component_: torchtune.models.llama3\n", FOREIGN, "run.yaml is a config of torchtune"},
    {"model_name_or_path: x\nper_device_train_batch_size: 1\n", FOREIGN, "run.yaml is arguments of"},
    {"compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\n", FOREIGN, "run.yaml is a config of acc"},
    {"{\"zero_optimization\": {\"stage\": 2}}\n", FOREIGN, "run.yaml is a config of DeepSpeed"},
    {BASE "train:\n  flash_attention: true\n", FOREIGN, "run.yaml:3: flash_attention stands below train"},
    {BASE "train:\n  seed: 1\n  lora_r: 1\n", FOREIGN, "run.yaml:3: seed stands below train"},
    {"- a\n- b\n", FOREIGN, "run.yaml:1: its top"},
    {"just text\n", FOREIGN, "run.yaml:1: its top"},
    {"# nothing\n", MXT_REMARK_REFUSED, MXT_E_YAML_REFUSED, "run.yaml:2: "},
    /* keys that nobody reads */
    {BASE "gradient_accumulation_step: 1\n", WARNED, "run.yaml:2: Axolotl has no key"},
    {BASE "my_plugin: {seed: 1}\n", WARNED, "run.yaml:2: "},
    {BASE "optim_args: {eps: 1e-8}\n", WARNED, "run.yaml:2: 1e-8"},
    /* what is no YAML, or more than one config */
    {"a: 1\na: 2\n", MXT_REMARK_REFUSED, MXT_E_YAML_REFUSED, "run.yaml"},
    {"a: 1\n---\nb: 2\n", MXT_REMARK_REFUSED, MXT_E_YAML_REFUSED, "run.yaml"},
    {"a: !!python/tuple [1]\n", MXT_REMARK_REFUSED, MXT_E_YAML_REFUSED, "run.yaml"},
    {"a: [\n", MXT_REMARK_REFUSED, MXT_E_YAML_SYNTAX, "run.yaml"},
};

static void check(const char *yaml, char *const *arguments, const struct mxt_axolotl_package *package,
		  struct mxt_remarks *remarks, struct mxt_axolotl_facts *facts)
{
	const struct mxt_axolotl_policy_request request = {
	    .name = "run.yaml", .bytes = yaml, .len = strlen(yaml), .package = package, .arguments = arguments};
	assert_int_equal(mxt_axolotl_policy(&request, remarks, facts, NULL), 0);
	assert_false(remarks->failed);
}

static size_t count(const struct mxt_remarks *remarks, enum mxt_remark_kind kind)
{
	size_t n = 0;
	for (size_t i = 0; i < remarks->count; i++)
		n += remarks->items[i].kind == kind;
	return n;
}

/* A key that is refused may be unknown as well. */
static void expect(const struct policy_case *c, const struct mxt_axolotl_package *package)
{
	struct mxt_remarks remarks = MXT_REMARKS_INIT;
	struct mxt_axolotl_facts facts;
	check(c->yaml, NULL, package, &remarks, &facts);
	bool fits = remarks.count == (c->kind != MXT_REMARK_NOTE) || c->kind == MXT_REMARK_REFUSED;
	if (remarks.count > 0 && c->kind != MXT_REMARK_NOTE)
		fits = fits && remarks.items[0].kind == c->kind && remarks.items[0].id == c->id &&
		       strncmp(remarks.items[0].text, c->place, strlen(c->place)) == 0;
	if (!fits)
		print_message("%s", c->yaml);
	for (size_t i = 0; i < remarks.count && !fits; i++)
		print_message("=> %s\n", remarks.items[i].text);
	assert_true(fits);
	assert_int_equal(count(&remarks, MXT_REMARK_REFUSED), c->kind == MXT_REMARK_REFUSED);
	mxt_axolotl_facts_finish(&facts);
	mxt_remarks_finish(&remarks);
}

static void test_configs(void **state)
{
	(void)state;
	const struct mxt_axolotl_package none = MXT_AXOLOTL_PACKAGE_INIT;
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++)
		expect(&cases[i], &none);
}

/* ---- arguments ---- */

struct argument_case {
	const char *arguments[3];
	enum mxt_remark_kind kind;
	enum mxt_error_id id;
	const char *place;
};

static const struct argument_case argument_cases[] = {
    {{"--seed=7"}, NOTHING},
    {{"--seed", "7"}, NOTHING},
    {{"--debug"}, NOTHING},
    {{"--trl__beta=0.1"}, NOTHING},
    {{"train.yaml"}, STRAY, "'train.yaml' behind -- belongs to no option"},
    {{"--seed=7", "hf_abcdefghijklmnopqrstuvwxyz"}, STRAY, "'[masked]' behind -- "},
    {{"--config=other.yaml"}, UNDONE, "argument --config has Axolotl train another config"},
    {{"-config", "other.yaml"}, UNDONE, "argument -config has Axolotl train another config"},
    {{"--attn_implementation=eager"}, UNDONE, "argument --attn_implementation "},
    {{"--attn-implementation", "eager"}, UNDONE, "argument --attn-implementation "},
    {{"--noflash_attention"}, UNDONE, "argument --noflash_attention "},
    {{"--flash_optimum"}, UNDONE, "argument --flash_optimum: "},
    {{"--flash_optimum=False"}, NOTHING},
    {{"--noflash_optimum"}, NOTHING},
    {{"--micro-batch-size=4"}, UNDONE, "argument --micro-batch-size changes"},
    {{"-micro_batch_size", "4"}, UNDONE, "argument -micro_batch_size changes"},
    {{"--bf16"}, UNDONE, "argument --bf16 changes"},
    {{"--sequence_length"}, WARNED, "argument --sequence_length: "},
    {{"--seed", "-7"}, NOTHING},
    {{"-7"}, STRAY, "'-7' behind -- "},
    {{"--"}, STRAY, "'--' behind -- "},
    {{"--torch_compile_mode=max-autotune"}, JIT, "argument --torch_compile_mode: "},
    {{"--torch_compile_options__max_autotune_gemm=true"}, JIT, "argument --torch_compile_options__max_autotune_gemm: "},
    {{"--torch_compile_options={max_autotune_gemm: true}"}, JIT, "argument --torch_compile_options: "},
    {{"--comet_api_key=abcdefgh"}, SECRET, "argument --comet_api_key: comet_api_key holds"},
    {{"--hub_model_id=hf_abcdefghijklmnopqrstuvwxyz"}, SECRET, "argument --hub_model_id: "},
    {{"--sed=7"}, WARNED, "argument --sed: Axolotl has no key"},
};

static void expect_argument(const struct argument_case *c)
{
	const struct mxt_axolotl_package none = MXT_AXOLOTL_PACKAGE_INIT;
	char *const arguments[] = {(char *)c->arguments[0], (char *)c->arguments[1], NULL};
	struct mxt_remarks remarks = MXT_REMARKS_INIT;
	struct mxt_axolotl_facts facts;
	check(BASE, arguments, &none, &remarks, &facts);
	bool fits = remarks.count == (c->kind != MXT_REMARK_NOTE);
	if (remarks.count > 0)
		fits = fits && remarks.items[0].kind == c->kind && remarks.items[0].id == c->id &&
		       strncmp(remarks.items[0].text, c->place, strlen(c->place)) == 0;
	for (size_t i = 0; i < remarks.count; i++) {
		if (!fits)
			print_message("%s => %s\n", c->arguments[0], remarks.items[i].text);
		assert_null(strstr(remarks.items[i].text, "abcdefgh"));
	}
	assert_true(fits);
	mxt_axolotl_facts_finish(&facts);
	mxt_remarks_finish(&remarks);
}

static void test_arguments(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(argument_cases); i++)
		expect_argument(&argument_cases[i]);
}

/* ---- facts ---- */

struct facts_case {
	const char *yaml, *argument;
	bool compiles, saves, adapter;
	const char *output_dir;
};

static const struct facts_case facts_cases[] = {
    {BASE, NULL, false, true, false, "./model-out"},
    {BASE "adapter: lora\noutput_dir: /data/out\n", NULL, false, true, true, "/data/out"},
    {BASE "adapter:\noutput_dir:\n", NULL, false, true, false, "./model-out"},
    {BASE "output_dir: a\n", "--output_dir=b", false, true, false, "b"},
    {BASE "output_dir: a\n", "--output-dir='b c'", false, true, false, "b c"},
    {BASE "save_strategy: no\n", NULL, false, false, false, "./model-out"},
    {BASE "save_strategy: 'no'\n", NULL, false, false, false, "./model-out"},
    {BASE "save_strategy: epoch\n", NULL, false, true, false, "./model-out"},
    {BASE "save_strategy: best\n", NULL, false, false, false, "./model-out"},
    {BASE "save_steps: 500\n", NULL, false, false, false, "./model-out"},
    {BASE "save_steps: 0.25\n", NULL, false, true, false, "./model-out"},
    {BASE "saves_per_epoch: 2\n", NULL, false, true, false, "./model-out"},
    {BASE "torch_compile: true\n", NULL, true, true, false, "./model-out"},
    {BASE "torch_compile: auto\n", NULL, true, true, false, "./model-out"},
    {BASE "torch_compile: false\n", NULL, false, true, false, "./model-out"},
    {BASE "torch_compile: true\n", "--torch_compile=false", false, true, false, "./model-out"},
    {BASE "flex_attention: true\n", NULL, true, true, false, "./model-out"},
    {BASE "attn_implementation: flex_attention\n", NULL, true, true, false, "./model-out"},
};

static void test_facts(void **state)
{
	(void)state;
	const struct mxt_axolotl_package none = MXT_AXOLOTL_PACKAGE_INIT;
	for (size_t i = 0; i < MXT_ARRAY_LEN(facts_cases); i++) {
		const struct facts_case *c = &facts_cases[i];
		char *const arguments[] = {(char *)c->argument, NULL};
		struct mxt_remarks remarks = MXT_REMARKS_INIT;
		struct mxt_axolotl_facts facts;
		check(c->yaml, arguments, &none, &remarks, &facts);
		assert_string_equal(facts.output_dir, c->output_dir);
		assert_int_equal(facts.compiles, c->compiles);
		assert_int_equal(facts.saves_checkpoints, c->saves);
		assert_int_equal(facts.adapter, c->adapter);
		mxt_axolotl_facts_finish(&facts);
		mxt_remarks_finish(&remarks);
	}
}

/* ---- the installed Axolotl's keys ---- */

static const struct policy_case package_cases[] = {
    {BASE "seed: 1\n", NOTHING},
    {BASE "lora_r: 1\n", WARNED, "run.yaml:2: Axolotl 0.19.0 has no key 'lora_r'"},
    {BASE "sed: 1\n", WARNED,
     "run.yaml:2: Axolotl 0.19.0 has no key 'sed' and drops it without a word; did you mean 'seed'?"},
    {BASE "beta: 1\n", WARNED, "run.yaml:2: Axolotl 0.19.0 has no key 'beta'"},
    {BASE "liger_rope: true\n", WARNED, "run.yaml:2: Axolotl reads 'liger_rope' only where"},
    {BASE "liger_rope: true\nplugins: [axolotl.integrations.liger.LigerPlugin]\n", NOTHING},
    {BASE "liger_rope: true\nplugins: [axolotl.integrations.ligertwo.Plugin]\n", WARNED, "run.yaml:2: "},
    {BASE "trl: {beta: 1, fsdp_beta: 2}\n", NOTHING},
    {BASE "trl: {fsdp_fsdp_beta: 2}\n", WARNED, "run.yaml:2: Axolotl 0.19.0 has no key 'fsdp_fsdp_beta' below trl"},
    {BASE "trl: {beta: 1,\n beat: 2}\n", WARNED, "run.yaml:3: Axolotl 0.19.0 has no key 'beat' below trl"},
    {BASE "train: {beta: 1, seed: 2, base_model: x}\n", FOREIGN, "run.yaml:2: seed stands below train"},
};

static void test_package(void **state)
{
	(void)state;
	static char *const names[] = {(char *)"base_model", (char *)"beta", (char *)"liger_rope",
				      (char *)"plugins",    (char *)"seed", (char *)"trl"};
	struct mxt_axolotl_key keys[MXT_ARRAY_LEN(names)];
	for (size_t i = 0; i < MXT_ARRAY_LEN(names); i++)
		keys[i] = (struct mxt_axolotl_key){
		    .name = names[i], .plugin = i == 2 ? (char *)"liger" : NULL, .top = i != 1};
	keys[MXT_ARRAY_LEN(names) - 1].members = (char **)&names[1]; /* of trl: beta, and what comes behind */
	keys[MXT_ARRAY_LEN(names) - 1].n_members = 2;
	const struct mxt_axolotl_package package = {.version = "0.19.0", .keys = keys, .n_keys = MXT_ARRAY_LEN(keys)};
	for (size_t i = 0; i < MXT_ARRAY_LEN(package_cases); i++)
		expect(&package_cases[i], &package);
}

/* Only there flex attention is compiled with max-autotune by those who call it. */
static void test_old_torch(void **state)
{
	(void)state;
	static const char config[] = BASE "attn_implementation: flex_attention\n";
	static const struct {
		const char *torch;
		size_t refusals;
	} torches[] = {{"2.6.0+cu124", 1}, {"2.7.0", 0}, {NULL, 0}};
	const struct mxt_axolotl_package none = MXT_AXOLOTL_PACKAGE_INIT;
	for (size_t i = 0; i < MXT_ARRAY_LEN(torches); i++) {
		const struct mxt_axolotl_policy_request request = {.name = "run.yaml",
								   .bytes = config,
								   .len = sizeof config - 1,
								   .package = &none,
								   .torch = torches[i].torch};
		struct mxt_remarks remarks = MXT_REMARKS_INIT;
		struct mxt_axolotl_facts facts;
		assert_int_equal(mxt_axolotl_policy(&request, &remarks, &facts, NULL), 0);
		assert_int_equal(count(&remarks, MXT_REMARK_REFUSED), torches[i].refusals);
		mxt_axolotl_facts_finish(&facts);
		mxt_remarks_finish(&remarks);
	}
}

/* A plan that leaves attention alone, and options that let things through. */
static void test_allowances(void **state)
{
	(void)state;
	static const char config[] = BASE "flash_optimum: true\ntorch_compile_mode: max-autotune\n";
	char *const arguments[] = {(char *)"--attn_implementation=sdpa", (char *)"--sequence_len=9", NULL};
	const struct mxt_axolotl_package none = MXT_AXOLOTL_PACKAGE_INIT;
	const struct mxt_axolotl_policy_request request = {.name = "run.yaml",
							   .bytes = config,
							   .len = sizeof config - 1,
							   .package = &none,
							   .arguments = arguments,
							   .attention_is_open = true};
	struct mxt_remarks remarks = MXT_REMARKS_INIT;
	struct mxt_axolotl_facts facts;
	remarks.allowed = MXT_ALLOW_JIT;
	assert_int_equal(mxt_axolotl_policy(&request, &remarks, &facts, NULL), 0);
	assert_int_equal(count(&remarks, MXT_REMARK_ALLOWED), 1);
	assert_int_equal(count(&remarks, MXT_REMARK_REFUSED), 2); /* the arguments: the workload follows from both */
	mxt_axolotl_facts_finish(&facts);
	mxt_remarks_finish(&remarks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_configs), cmocka_unit_test(test_arguments), cmocka_unit_test(test_facts),
	    cmocka_unit_test(test_package), cmocka_unit_test(test_old_torch), cmocka_unit_test(test_allowances),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
