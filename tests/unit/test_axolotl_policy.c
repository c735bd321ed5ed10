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
    {BASE "large_head_attention: sdpa\n", NOTHING},
    {BASE "experts_implementation: scattermoe\n", JIT, "run.yaml:2: "},
    {BASE "experts_implementation: grouped_mm\n", NOTHING},
    /* what undoes the plan's attention, or may change the job */
    {BASE "flash_optimum: true\n", UNDONE, "run.yaml:2: flash_optimum"},
    {BASE "flash_optimum:\n", NOTHING},
    {BASE "flash_optimum: false\n", NOTHING},
    {BASE "gemma4_hybrid_attn_impl: true\n", UNDONE, "run.yaml:2: "},
    {BASE "auto_find_batch_size: true\n", WARNED, "run.yaml:2: "},
    /* secrets */
    {BASE "comet_api_key: abcdef\n", SECRET, "run.yaml:2: comet_api_key"},
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
static void expect(const struct policy_case *c)
{
	const struct mxt_axolotl_package none = MXT_AXOLOTL_PACKAGE_INIT;
	struct mxt_remarks remarks = MXT_REMARKS_INIT;
	struct mxt_axolotl_facts facts;
	check(c->yaml, NULL, &none, &remarks, &facts);
	bool fits = remarks.count == (c->kind != MXT_REMARK_NOTE) || c->kind == MXT_REMARK_REFUSED;
	if (remarks.count > 0 && c->kind != MXT_REMARK_NOTE)
		fits = fits && remarks.items[0].kind == c->kind && remarks.items[0].id == c->id &&
		       strncmp(remarks.items[0].text, c->place, strlen(c->place)) == 0;
	for (size_t i = 0; i < remarks.count && !fits; i++)
		print_message("%s=> %s\n", c->yaml, remarks.items[i].text);
	assert_true(fits);
	assert_int_equal(count(&remarks, MXT_REMARK_REFUSED), c->kind == MXT_REMARK_REFUSED);
	mxt_axolotl_facts_finish(&facts);
	mxt_remarks_finish(&remarks);
}

static void test_configs(void **state)
{
	(void)state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(cases); i++)
		expect(&cases[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_configs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
