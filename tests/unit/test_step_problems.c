/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact products of steps that cannot run on a CPU as they are: Axolotl's fused LoRA kernels (axolotl 067b021c of
 * 2026-07-24, src/axolotl/kernels/lora.py) and Liger's fused linear cross entropy (Liger-Kernel 0.8.5,
 * ops/fused_linear_cross_entropy.py), by hand from these sources. What torch itself shows is in
 * tests/integration/test_generators.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "error.h"
#include "workload.h"

static const struct mxt_scale unscaled = {.gemm_tokens = 0};

/* One layer, sizes that all differ, 2 x 50 tokens. */
static const struct mxt_workload example = {
    .model = {.layers = 1,
	      .hidden = 96,
	      .heads = 8,
	      .kv_heads = 2,
	      .head_dim = 16,
	      .ffn = 208,
	      .vocab = 500,
	      .gated_mlp = true},
    .training = {.seq_len = 50,
		 .micro_batch = 2,
		 .gpus = 1,
		 .nodes = 1,
		 .dtype = MXT_DTYPE_BF16,
		 .autocast = true,
		 .adapter = MXT_ADAPTER_LORA,
		 .lora_rank = 4,
		 .lora_targets = MXT_PROJ_ALL},
};

struct product_row {
	int64_t m, n, k;
	bool trans_a, trans_b, accumulate;
	uint32_t calls;
};

static uint32_t calls_of(const struct mxt_problem_set *set, const struct product_row *row)
{
	for (size_t i = 0; i < set->n_problems; i++) {
		const struct mxt_gemm *g = &set->problems[i].as.gemm;
		if (set->problems[i].kind == MXT_PROBLEM_GEMM && g->m == row->m && g->n == row->n && g->k == row->k &&
		    g->trans_a == row->trans_a && g->trans_b == row->trans_b && g->accumulate == row->accumulate)
			return set->problems[i].calls;
	}
	return 0;
}

static size_t count_products(const struct mxt_problem_set *set)
{
	size_t count = 0;
	for (size_t i = 0; i < set->n_problems; i++)
		count += set->problems[i].kind == MXT_PROBLEM_GEMM;
	return count;
}

/* All products of the workload are these, and no others. */
static void expect(const struct mxt_workload *workload, const struct product_row *rows, size_t count)
{
	struct mxt_problem_set set;
	assert_int_equal(mxt_workload_problems(workload, &unscaled, MXT_DTYPE_BF16, &set, NULL), 0);
	for (size_t i = 0; i < count; i++)
		if (calls_of(&set, &rows[i]) != rows[i].calls)
			fail_msg("row %zu: %u calls, not %u", i, calls_of(&set, &rows[i]), rows[i].calls);
	assert_int_equal(count_products(&set), count);
	mxt_problem_set_finish(&set);
}

static const struct product_row fused[] = {
    {100, 128, 96, false, true, false, 1},  {100, 4, 96, false, true, false, 5},
    {100, 128, 4, false, true, true, 1},    {100, 32, 96, false, true, false, 2},
    {100, 32, 4, false, true, true, 2},     {100, 96, 128, false, true, false, 1},
    {100, 4, 128, false, true, false, 1},   {100, 96, 4, false, true, true, 2},
    {100, 208, 96, false, true, false, 2},  {100, 208, 4, false, true, true, 2},
    {100, 96, 208, false, true, false, 1},  {100, 4, 208, false, true, false, 1},
    {100, 208, 96, false, false, false, 1}, {100, 4, 96, false, false, false, 3},
    {100, 208, 4, false, false, true, 1},   {4, 208, 100, true, false, false, 1},
    {4, 100, 208, false, true, false, 1},   {96, 4, 100, true, true, false, 2},
    {100, 4, 208, false, false, false, 2},  {4, 96, 100, true, false, false, 5},
    {4, 100, 96, false, true, false, 5},    {208, 4, 100, true, true, false, 2},
    {100, 96, 208, false, false, false, 1}, {100, 96, 208, false, false, true, 1},
    {100, 96, 4, false, false, true, 5},    {4, 128, 100, true, false, false, 1},
    {4, 100, 128, false, true, false, 1},   {100, 128, 96, false, false, false, 1},
    {100, 128, 4, false, false, true, 1},   {100, 4, 128, false, false, false, 1},
    {128, 4, 100, true, true, false, 1},    {100, 4, 32, false, false, false, 2},
    {32, 4, 100, true, true, false, 2},     {100, 96, 128, false, false, false, 1},
    {100, 96, 32, false, false, true, 2},
};

static void fused_lora(void **state)
{
	(void)state;
	struct mxt_workload w = example;
	w.training.fused_lora = MXT_FUSED_ALL;
	w.excluded = MXT_PART_LM_HEAD;
	expect(&w, fused, MXT_ARRAY_LEN(fused));
	w.training.autocast = false; /* they cast the adapters themselves */
	expect(&w, fused, MXT_ARRAY_LEN(fused));
}

static const struct product_row frozen_head[] = {
    {32, 500, 96, false, true, false, 3},
    {32, 96, 500, false, false, false, 3},
    {4, 500, 96, false, true, false, 1},
    {4, 96, 500, false, false, false, 1},
};

static const struct product_row trained_head[] = {
    {32, 500, 96, false, true, false, 3}, {32, 96, 500, false, false, false, 3}, {500, 96, 32, true, false, false, 3},
    {4, 500, 96, false, true, false, 1},  {4, 96, 500, false, false, false, 1},  {500, 96, 4, true, false, false, 1},
};

/* ceil(500 / 96) = 6; ceil(100 / 6) = 17, so chunks have 32 tokens, and the last one has 4. */
static void liger_chunks(void **state)
{
	(void)state;
	struct mxt_workload w = example;
	w.training.liger_cross_entropy = true;
	w.excluded = MXT_PART_ALL & ~(uint32_t)MXT_PART_LM_HEAD;
	expect(&w, frozen_head, MXT_ARRAY_LEN(frozen_head));
	w.training.adapter = MXT_ADAPTER_NONE;
	expect(&w, trained_head, MXT_ARRAY_LEN(trained_head));
}

/* Of three layers the first one's gradient ends at gate and up, the only projections with adapters. */
static void the_first_layer_ends_where_nothing_trains(void **state)
{
	(void)state;
	static const struct product_row input_gradients[] = {
	    {100, 128, 96, false, false, false, 2}, /* o */
	    {100, 96, 128, false, false, false, 2}, /* q */
	    {100, 96, 208, false, false, false, 4}, /* gate and up */
	    {100, 208, 96, false, false, false, 3}, /* down */
	};
	struct mxt_workload w = example;
	w.model.layers = 3;
	w.training.lora_targets = MXT_PROJ_GATE | MXT_PROJ_UP;
	w.training.frozen_input = true;
	struct mxt_problem_set set;
	assert_int_equal(mxt_workload_problems(&w, &unscaled, MXT_DTYPE_BF16, &set, NULL), 0);
	for (size_t i = 0; i < MXT_ARRAY_LEN(input_gradients); i++)
		assert_int_equal(calls_of(&set, &input_gradients[i]), input_gradients[i].calls);
	for (size_t i = 0; i < set.n_problems; i++)
		if (set.problems[i].kind == MXT_PROBLEM_ATTENTION)
			assert_int_equal(set.problems[i].calls,
					 set.problems[i].as.attention.direction == MXT_FORWARD ? 3 : 2);
	mxt_problem_set_finish(&set);
}

static uint32_t attention_calls(const struct mxt_workload *w, bool masked, int32_t window, int32_t kv_heads)
{
	struct mxt_problem_set set;
	uint32_t calls = 0;
	assert_int_equal(mxt_workload_problems(w, &unscaled, MXT_DTYPE_BF16, &set, NULL), 0);
	for (size_t i = 0; i < set.n_problems; i++) {
		const struct mxt_attention *a = &set.problems[i].as.attention;
		if (set.problems[i].kind == MXT_PROBLEM_ATTENTION && a->direction == MXT_FORWARD && a->batch == 2 &&
		    a->seq == 50 && a->masked == masked &&
		    a->repeated == (masked && w->model.kv_heads < w->model.heads) && a->window == window &&
		    a->kv_heads == kv_heads)
			calls += set.problems[i].calls;
	}
	mxt_problem_set_finish(&set);
	return calls;
}

/* SDPA gets a mask, and all heads; flash attention gets the window as a number. */
static void masks_and_windows(void **state)
{
	(void)state;
	struct mxt_workload w = example;
	w.model.layers = 6;
	w.model.sliding_window = 20;
	w.model.sliding_layers = 5;
	assert_int_equal(attention_calls(&w, true, 20, 8), 5);
	assert_int_equal(attention_calls(&w, true, 0, 8), 1);
	w.attention = MXT_ATTENTION_FA2;
	assert_int_equal(attention_calls(&w, false, 20, 2), 5);
	assert_int_equal(attention_calls(&w, false, 0, 2), 1);
	w.model.sliding_window = 50; /* SDPA's mask is made already, flash attention has no window yet */
	assert_int_equal(attention_calls(&w, false, 0, 2), 6);
	w.attention = MXT_ATTENTION_SDPA;
	assert_int_equal(attention_calls(&w, true, 50, 8), 5);
	w.model.kv_heads = 8; /* nothing to repeat */
	assert_int_equal(attention_calls(&w, true, 50, 8), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fused_lora),
	    cmocka_unit_test(liger_chunks),
	    cmocka_unit_test(the_first_layer_ends_where_nothing_trains),
	    cmocka_unit_test(masks_and_windows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
