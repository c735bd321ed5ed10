/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the job would do today: versions x keys x packages, and what follows for bare and for the workload.
 */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "attention_provider.h"
#include "attention_today.h"
#include "axolotl_config.h"
#include "error.h"
#include "yaml_tree.h"

static void parse(const char *text, struct mxt_workload *w)
{
	MXT_CLEANUP_YAML struct mxt_yaml_tree *tree = NULL;
	MXT_CLEANUP_AXOLOTL struct mxt_axolotl_config config = MXT_AXOLOTL_CONFIG_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	*w = (struct mxt_workload){.n_notes = 0};
	assert_int_equal(mxt_yaml_tree_parse("t.yaml", text, strlen(text), &tree, &err), 0);
	assert_int_equal(mxt_axolotl_config_parse("t.yaml", tree, w, &config, &err), 0);
	w->model.head_dim = 128;
}

#define SAY(...)                                                                                                       \
	{                                                                                                              \
		.known = true, .torch = "2.11.0+cu130", .transformers = "5.14.1", .cuda = true, .capability = 90,      \
		__VA_ARGS__                                                                                            \
	}
#define A(version) .axolotl = (version)
#define FA         .flash_attn = "2.8.3"
#define P          "sample_packing: true\n"
#define KEY        "attn_implementation: "

#define NO   MXT_ISOLATION_NOT_NEEDED
#define LEN  MXT_ISOLATION_LENGTHS
#define MASK MXT_ISOLATION_MASK
#define NONE MXT_ISOLATION_NONE

struct row {
	const char *config;
	struct mxt_attention_stack stack;
	enum mxt_attention_kind kind;
	const char *provider; /* NULL: torch's dispatcher */
	enum mxt_isolation isolation;
	bool stops, unmodelled;
	const char *name; /* the beginning */
};

static const struct row rows[] = {
    /* nothing set: transformers' default */
    {"seed: 1\n", SAY(A("0.18.0")), MXT_ATTENTION_SDPA, NULL, NO, false, false, "sdpa"},
    {"seed: 1\n", SAY(A("0.16.1")), MXT_ATTENTION_SDPA, NULL, NO, false, false, "sdpa"},
    {P, SAY(A("0.18.0")), MXT_ATTENTION_SDPA, NULL, NONE, false, false, "sdpa"},
    {P, SAY(.axolotl = NULL), MXT_ATTENTION_SDPA, NULL, NONE, false, false, "sdpa"},
    /* flash_attention */
    {"flash_attention: true\n", SAY(A("0.18.0"), FA), MXT_ATTENTION_FA2, "fa2", NO, false, false,
     "flash_attention_2 by flash_attn 2.8.3"},
    {"flash_attention: true\n" P, SAY(A("0.16.1"), FA), MXT_ATTENTION_FA2, "fa2", LEN, false, false,
     "flash_attention_2 by flash_attn 2.8.3"},
    {KEY "flash_attention_2\n" P, SAY(A("0.18.0"), FA), MXT_ATTENTION_FA2, "fa2", LEN, false, false,
     "flash_attention_2 by"},
    {"flash_attention: true\n", SAY(A("0.18.0"), .kernels = NULL), MXT_ATTENTION_FA2, "fa2", NO, true, false,
     "flash_attention_2"},
    {"flash_attention: true\n", SAY(A("0.18.0"), .kernels = "0.9.0"), MXT_ATTENTION_FA2, NULL, NO, false, true,
     "a kernel from the Hub"},
    {"flash_attention: true\n",
     {.known = true, .axolotl = "0.12.2", .transformers = "4.55.2", .kernels = "0.9.0"},
     MXT_ATTENTION_FA2,
     "fa2",
     NO,
     true,
     false,
     "flash_attention_2"},
    {"flash_attention: true\n",
     {.known = false},
     MXT_ATTENTION_FA2,
     "fa2",
     NO,
     false,
     false,
     "flash_attention_2 by flash_attn"},
    {"flash_attention: false\n", SAY(A("0.18.0")), MXT_ATTENTION_SDPA, NULL, NO, false, false, "sdpa"},
    /* FlashAttention 4 takes the place of 2 */
    {"flash_attention: true\n", SAY(A("0.18.0"), FA, .flash_attn_4 = "4.0.0b7"), MXT_ATTENTION_FA2, NULL, NO, false,
     true, "FlashAttention 4 (flash_attn_4 4.0.0b7)"},
    {"flash_attention: true\n", SAY(A("0.15.0"), FA, .flash_attn_4 = "4.0.0b7"), MXT_ATTENTION_FA2, "fa2", NO, false,
     false, "flash_attention_2 by flash_attn 2.8.3"},
    {"flash_attention: true\n",
     {.known = true, A("0.18.0"), FA, .flash_attn_4 = "4.0.0b7", .cuda = true, .capability = 89},
     MXT_ATTENTION_FA2,
     "fa2",
     NO,
     false,
     false,
     "flash_attention_2 by flash_attn 2.8.3"},
    /* sdpa, packed */
    {KEY "sdpa\n" P, SAY(A("0.18.0")), MXT_ATTENTION_SDPA, "varlen", LEN, false, false, "sdpa"},
    {"sdp_attention: true\n" P, SAY(A("0.18.0")), MXT_ATTENTION_SDPA, "varlen", LEN, false, false, "sdpa"},
    {KEY "sdpa\nsdpa_varlen: false\n" P, SAY(A("0.18.0")), MXT_ATTENTION_SDPA, NULL, MASK, false, false, "sdpa"},
    {KEY "sdpa\n" P,
     {.known = true, A("0.18.0"), .torch = "2.9.1"},
     MXT_ATTENTION_SDPA,
     NULL,
     MASK,
     false,
     false,
     "sdpa"},
    {KEY "sdpa\n" P, SAY(A("0.17.0")), MXT_ATTENTION_SDPA, NULL, NONE, false, false, "sdpa"},
    {"sdp_attention: true\n" P, SAY(A("0.16.1")), MXT_ATTENTION_SDPA, NULL, NONE, false, false, "sdpa"},
    {KEY "sdpa\n", SAY(A("0.18.0")), MXT_ATTENTION_SDPA, NULL, NO, false, false, "sdpa"},
    /* eager */
    {KEY "eager\n" P, SAY(A("0.18.0")), MXT_ATTENTION_EAGER, "eager", MASK, false, false, "eager"},
    {"eager_attention: true\n", SAY(A("0.16.1")), MXT_ATTENTION_EAGER, "eager", NO, false, false, "eager"},
    {"eager_attention: true\n" P, SAY(A("0.16.1")), MXT_ATTENTION_EAGER, "eager", NONE, false, false, "eager"},
    /* other packages */
    {KEY "flash_attention_3\n" P, SAY(A("0.18.0"), .flash_attn_3 = "3.0.0"), MXT_ATTENTION_FA3, "fa3", LEN, false,
     false, "flash_attention_3 by flash_attn_3 3.0.0"},
    {KEY "flash_attention_3\n" P, SAY(A("0.16.1"), .flash_attn_3 = "3.0.0"), MXT_ATTENTION_FA3, "fa3", NONE, false,
     false, "flash_attention_3 by"},
    {KEY "flash_attention_3\n", SAY(A("0.18.0"), FA), MXT_ATTENTION_FA3, "fa3", NO, true, false, "flash_attention_3"},
    {"xformers_attention: true\n" P, SAY(A("0.16.1"), .xformers = "0.0.33"), MXT_ATTENTION_XFORMERS, "xformers", LEN,
     false, false, "xformers by xformers 0.0.33"},
    {KEY "xformers\n", SAY(A("0.18.0")), MXT_ATTENTION_XFORMERS, "xformers", NO, true, false, "xformers"},
    {"flex_attention: true\n" P, SAY(A("0.16.1")), MXT_ATTENTION_FLEX, "flex", LEN, false, false, "flex_attention"},
    /* what nothing here can time */
    {KEY "sage\n", SAY(A("0.18.0"), .sageattention = "2.2.0"), MXT_ATTENTION_SAGE, NULL, NO, false, true,
     "sage by sageattention 2.2.0"},
    {KEY "sage\n", SAY(A("0.18.0")), MXT_ATTENTION_SAGE, NULL, NO, true, false, "sage"},
    {KEY "fp8\n", SAY(A("0.18.0")), MXT_ATTENTION_FP8, NULL, NO, false, true, "fp8"},
    {KEY "kernels-community/flash-attn3\n" P, SAY(A("0.18.0"), .kernels = "0.9.0"), MXT_ATTENTION_HUB, NULL, LEN, false,
     true, "kernels-community/flash-attn3"},
    {KEY "kernels-community/vllm-flash-attn3\n" P, SAY(A("0.18.0"), .kernels = "0.9.0"), MXT_ATTENTION_HUB, NULL, NONE,
     false, true, "kernels-community/vllm-flash-attn3"},
    {KEY "kernels-community/flash-attn3\n", SAY(A("0.18.0")), MXT_ATTENTION_HUB, NULL, NO, true, false,
     "kernels-community/flash-attn3"},
    {"gemma4_hybrid_attn_impl: true\n", SAY(A("0.18.0"), FA), MXT_ATTENTION_FA2, NULL, NO, false, true,
     "flash_attention_2 and sdpa by layer"},
    {"flash_attention: true\ns2_attention: true\n", SAY(A("0.16.1"), FA), MXT_ATTENTION_FA2, NULL, NO, false, true,
     "shifted-sparse"},
    /* contradictions, by version */
    {KEY "sdpa\nflash_attention: true\n", SAY(A("0.18.0"), FA), MXT_ATTENTION_SDPA, NULL, NO, true, false, "sdpa"},
    {KEY "sdpa\nflash_attention: true\n", SAY(A("0.16.1"), FA), MXT_ATTENTION_SDPA, NULL, NO, false, false, "sdpa"},
    {KEY "sdpa\nflash_attention: true\n", SAY(A("0.11.0"), FA), MXT_ATTENTION_FA2, "fa2", NO, false, false,
     "flash_attention_2"},
    {KEY "sdpa\nflash_attention: false\n", SAY(A("0.18.0")), MXT_ATTENTION_SDPA, NULL, NO, false, false, "sdpa"},
    {"xformers_attention: true\nflash_attention: true\n", SAY(A("0.18.0"), FA, .xformers = "0.0.33"),
     MXT_ATTENTION_XFORMERS, "xformers", NO, false, false, "xformers by"},
    {"xformers_attention: true\nflash_attention: true\n", SAY(A("0.16.1"), FA, .xformers = "0.0.33"), MXT_ATTENTION_FA2,
     "fa2", NO, true, false, "flash_attention_2"},
    {"eager_attention: true\nflash_attention: true\n", SAY(A("0.16.1"), FA), MXT_ATTENTION_FA2, "fa2", NO, false, false,
     "flash_attention_2"},
    {KEY "flash\n", SAY(A("0.18.0"), FA), MXT_ATTENTION_SDPA, NULL, NO, true, false, "sdpa"},
    {"s2_attention: true\n", SAY(A("0.18.0")), MXT_ATTENTION_SDPA, NULL, NO, true, false, "sdpa"},
    {KEY "sdpa\ngemma4_hybrid_attn_impl: true\n", SAY(A("0.18.0")), MXT_ATTENTION_SDPA, NULL, NO, true, false, "sdpa"},
    /* pretraining may mix documents on purpose */
    {"pretraining_dataset: x\npretrain_multipack_attn: false\nflash_attention: true\n" P, SAY(A("0.18.0"), FA),
     MXT_ATTENTION_FA2, "fa2", NONE, false, false, "flash_attention_2"},
};

static void check_row(size_t i)
{
	const struct row *row = &rows[i];
	MXT_CLEANUP(mxt_workload_finish) struct mxt_workload w;
	struct mxt_attention_today today;
	parse(row->config, &w);
	mxt_attention_today_resolve(&w, &row->stack, &today);
	if (today.kind != row->kind || today.isolation != row->isolation || today.starts == row->stops ||
	    today.modelled == row->unmodelled || strncmp(today.name, row->name, strlen(row->name)) != 0)
		fail_msg("row %zu (%s): kind %d isolation %d starts %d modelled %d '%s' '%s'", i, row->config,
			 (int)today.kind, (int)today.isolation, today.starts, today.modelled, today.name, today.note);
	if (row->provider)
		assert_string_equal(today.provider, row->provider);
	else
		assert_null(today.provider);
	assert_int_equal(row->stops && !today.note[0], 0);
	if (today.provider)
		assert_non_null(mxt_attention_provider_find(today.provider));
}

static void follows_versions_keys_and_packages(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		check_row(i);
}

static void varlen_serves_no_wide_heads_and_no_windows(void **state)
{
	(void)state;
	static const struct mxt_attention_stack stack = SAY(A("0.18.0"));
	static const struct {
		int32_t head_dim, window;
		enum mxt_isolation isolation;
	} cases[] = {{256, 0, LEN}, {257, 0, MASK}, {128, 4096, MASK}, {80, 0, LEN}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		MXT_CLEANUP(mxt_workload_finish) struct mxt_workload w;
		struct mxt_attention_today today;
		parse(KEY "sdpa\n" P, &w);
		w.model.head_dim = cases[i].head_dim;
		w.model.sliding_window = cases[i].window;
		mxt_attention_today_resolve(&w, &stack, &today);
		assert_int_equal(today.isolation, cases[i].isolation);
	}
}

static void large_heads_may_have_kernels_of_their_own(void **state)
{
	(void)state;
	static const struct mxt_attention_stack stack = SAY(A("0.18.0"));
	MXT_CLEANUP(mxt_workload_finish) struct mxt_workload w;
	struct mxt_attention_today today;
	parse("large_head_attention: auto\n", &w);
	mxt_attention_today_resolve(&w, &stack, &today);
	assert_true(today.modelled);
	w.model.head_dim = 512;
	mxt_attention_today_resolve(&w, &stack, &today);
	assert_false(today.modelled);
}

/* --model without a config. */
static void without_a_config_transformers_decides(void **state)
{
	(void)state;
	struct mxt_workload w = {.training.packing = true, .model.head_dim = 128};
	static const struct mxt_attention_stack stack = SAY(A("0.16.1"));
	struct mxt_attention_today today;
	mxt_attention_today_resolve(&w, &stack, &today);
	assert_int_equal(today.kind, MXT_ATTENTION_SDPA);
	assert_int_equal(today.isolation, MXT_ISOLATION_MASK);
	assert_null(today.provider);
	assert_string_equal(today.note, "");
}

struct bare_row {
	const char *config;
	struct mxt_attention_stack stack;
	const char *provider;
	bool same;
};

static const struct bare_row bares[] = {
    {"flash_attention: true\n", SAY(A("0.18.0"), FA), NULL, true},
    {"flash_attention: true\n" P, SAY(A("0.18.0"), FA), "varlen", true},
    {"flash_attention: true\nsdpa_varlen: false\n" P, SAY(A("0.18.0"), FA), NULL, true},
    {"flash_attention: true\n" P, SAY(A("0.16.1"), FA), NULL, false}, /* its sdpa would mix the documents */
    {P, SAY(A("0.18.0")), NULL, true},
    {"eager_attention: true\n" P, SAY(A("0.16.1")), NULL, true},
    {KEY "eager\n" P, SAY(A("0.18.0")), "varlen", true},
    {"flash_attention: true\nmicro_batch_size: 2\n", SAY(A("0.18.0"), FA), NULL, false}, /* sdpa would get a mask */
    {"flash_attention: true\npad_to_sequence_len: true\n", SAY(A("0.18.0"), FA), NULL, false},
    {"micro_batch_size: 2\n", SAY(A("0.18.0")), NULL, true},
    {KEY "eager\nmicro_batch_size: 2\n", SAY(A("0.18.0")), NULL, true},
};

static void bare_is_sdpa_where_that_is_the_same_function(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bares / sizeof bares[0]; i++) {
		MXT_CLEANUP(mxt_workload_finish) struct mxt_workload w;
		struct mxt_attention_today today, bare;
		bool same = false;
		parse(bares[i].config, &w);
		mxt_attention_today_resolve(&w, &bares[i].stack, &today);
		mxt_attention_bare_resolve(&w, &bares[i].stack, &today, &bare, &same);
		assert_int_equal(same, bares[i].same);
		if (bares[i].provider)
			assert_string_equal(bare.provider, bares[i].provider);
		else
			assert_null(bare.provider);
	}
}

static void tells_the_workload(void **state)
{
	(void)state;
	static const struct mxt_attention_stack stack = SAY(A("0.18.0"), .sageattention = "2.2.0");
	MXT_CLEANUP(mxt_workload_finish) struct mxt_workload mixed, sage;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	struct mxt_attention_today today;
	parse(P, &mixed);
	size_t notes = mixed.n_notes;
	mxt_attention_today_resolve(&mixed, &stack, &today);
	assert_int_equal(mxt_attention_today_apply(&today, &mixed, &err), 0);
	assert_true(mixed.training.mixed_documents);
	assert_int_equal(mixed.n_notes, notes + 1);
	parse(KEY "sage\n", &sage);
	mxt_attention_today_resolve(&sage, &stack, &today);
	assert_int_equal(mxt_attention_today_apply(&today, &sage, &err), 0);
	assert_false(sage.training.mixed_documents);
	assert_int_equal(sage.excluded, MXT_PART_ATTENTION);
	assert_int_equal(sage.n_not_modelled, 1);
	assert_int_equal(sage.attention, MXT_ATTENTION_SAGE);
}

static void expect_name(const struct mxt_attention_stack *stack, const char *text, const char *name)
{
	struct mxt_workload w;
	struct mxt_attention_today today;
	parse(text, &w);
	mxt_attention_today_resolve(&w, stack, &today);
	assert_string_equal(today.name, name);
	mxt_workload_finish(&w);
}

/* On ROCm one package has two sets of kernels, and FlashAttention 4 takes nobody's place. */
static void flash_attn_of_rocm(void **state)
{
	(void)state;
	struct mxt_attention_stack stack = {.known = true,
					    .axolotl = "0.18.0",
					    .torch = "2.9.1+rocm7.2.1",
					    .transformers = "5.14.1",
					    .flash_attn = "2.8.3",
					    .flash_attn_4 = "4.0.0b7",
					    .rocm = true};
	expect_name(&stack, KEY "flash_attention_2\n", "flash_attention_2 by flash_attn 2.8.3 (Composable Kernel)");
	stack.flash_triton = true;
	expect_name(&stack, KEY "flash_attention_2\n", "flash_attention_2 by flash_attn 2.8.3 (Triton)");
	expect_name(&stack, KEY "sdpa\n", "sdpa");
	stack.rocm = false;
	stack.cuda = true;
	stack.capability = 89;
	expect_name(&stack, KEY "flash_attention_2\n", "flash_attention_2 by flash_attn 2.8.3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(flash_attn_of_rocm),
	    cmocka_unit_test(follows_versions_keys_and_packages),
	    cmocka_unit_test(varlen_serves_no_wide_heads_and_no_windows),
	    cmocka_unit_test(large_heads_may_have_kernels_of_their_own),
	    cmocka_unit_test(without_a_config_transformers_decides),
	    cmocka_unit_test(bare_is_sdpa_where_that_is_the_same_function),
	    cmocka_unit_test(tells_the_workload),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
