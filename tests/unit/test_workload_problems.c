/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "workload.h"

static const struct mxt_scale unscaled = {.gemm_tokens = 0};

static struct mxt_workload load(const char *model, int64_t lora_rank, int checkpointing, int packing)
{
	struct mxt_workload_source source = MXT_WORKLOAD_SOURCE_INIT;
	source.model = model;
	source.seq_len = 2048;
	source.micro_batch = 4;
	source.lora_rank = lora_rank;
	source.checkpointing = checkpointing;
	source.packing = packing;
	struct mxt_workload workload;
	assert_int_equal(mxt_workload_load(&source, &workload, NULL), 0);
	return workload;
}

static struct mxt_problem_set problems(const struct mxt_workload *workload, const struct mxt_scale *scale)
{
	struct mxt_problem_set set;
	assert_int_equal(mxt_workload_problems(workload, scale, MXT_DTYPE_F32, &set, NULL), 0);
	return set;
}

static double gemm_flops(const struct mxt_problem_set *set)
{
	double sum = 0;
	for (size_t i = 0; i < set->n_problems; i++)
		if (set->problems[i].kind == MXT_PROBLEM_GEMM)
			sum += mxt_problem_flops(&set->problems[i]) * set->problems[i].calls;
	return sum;
}

/* Weights that multiply: the layers' and lm_head's. */
static double layer_weights(const struct mxt_model *m)
{
	double q = (double)m->heads * m->head_dim, kv = (double)m->kv_heads * m->head_dim;
	return (double)m->layers * m->hidden * (2 * q + 2 * kv + 3.0 * m->ffn);
}

static double head_weights(const struct mxt_model *m)
{
	return (double)m->hidden * m->vocab;
}

/* Sum over q, k, v, o, gate, up, down of rank * (in + out). */
static double lora_weights(const struct mxt_model *m, double rank)
{
	double q = (double)m->heads * m->head_dim, kv = (double)m->kv_heads * m->head_dim;
	return m->layers * rank * (2 * (m->hidden + q) + 2 * (m->hidden + kv) + 3.0 * (m->hidden + m->ffn));
}

static void assert_close(double got, double want, double tolerance)
{
	if (fabs(got - want) > tolerance * want)
		fail_msg("%.6e is not within %g of %.6e", got, tolerance, want);
}

/* Dense, gated, and with separate projections. */
static const char *const plain_models[] = {"qwen3-8b",     "qwen3-32b",    "llama-3.1-8b",
					   "llama-3.2-1b", "gemma-3-1b",   "instella-3b",
					   "qwen2.5-7b",   "smollm2-135m", NULL};

/* Full training: 2 FLOPs per weight and token forward, 4 backward; a checkpointed layer runs forward once more. */
static void full_training_is_6nd(void **state)
{
	(void)state;
	for (const char *const *name = plain_models; *name; name++) {
		struct mxt_workload w = load(*name, 0, 0, 0);
		struct mxt_problem_set set = problems(&w, &unscaled);
		double tokens = 4.0 * 2048;
		double n = layer_weights(&w.model) + head_weights(&w.model);
		assert_close(gemm_flops(&set), 6 * n * tokens, 1e-9);
		assert_close(set.step_flops[MXT_PROBLEM_GEMM], 6 * n * tokens, 1e-9);
		mxt_problem_set_finish(&set);
		w.training.checkpointing = true;
		set = problems(&w, &unscaled);
		assert_close(gemm_flops(&set), (6 * n + 2 * layer_weights(&w.model)) * tokens, 1e-9);
		mxt_problem_set_finish(&set);
		mxt_workload_finish(&w);
	}
}

/* Frozen weights have no gradient of their own: 4 FLOPs instead of 6; adapters have all 6. */
static void lora_leaves_out_the_gradients_of_frozen_weights(void **state)
{
	(void)state;
	struct mxt_workload w = load("qwen3-8b", 16, 1, 0);
	struct mxt_problem_set set = problems(&w, &unscaled);
	double tokens = 4.0 * 2048;
	double want =
	    (6 * layer_weights(&w.model) + 4 * head_weights(&w.model) + 8 * lora_weights(&w.model, 16)) * tokens;
	assert_close(gemm_flops(&set), want, 1e-9);
	assert_false(set.scaled);
	mxt_problem_set_finish(&set);
	mxt_workload_finish(&w);
}

static double attention_flops(const struct mxt_problem_set *set, enum mxt_direction direction)
{
	double sum = 0;
	for (size_t i = 0; i < set->n_problems; i++) {
		const struct mxt_problem *p = &set->problems[i];
		if (p->kind == MXT_PROBLEM_ATTENTION && p->as.attention.direction == direction)
			sum += mxt_problem_flops(p) * p->calls * p->share_ppm / 1e6;
	}
	return sum;
}

static void padded_jobs_weigh_the_real_shape_only(void **state)
{
	(void)state;
	struct mxt_workload w = load("llama-3.1-8b", 8, 1, 0);
	w.training.padding = true;
	struct mxt_problem_set set = problems(&w, &unscaled);
	double once = 32 * 4.0 * 4 * 32 * 2048.0 * 2048 * 128 / 2;
	assert_close(attention_flops(&set, MXT_FORWARD), 2 * once, 1e-9);
	assert_close(attention_flops(&set, MXT_BACKWARD), 2.5 * once, 1e-9);
	assert_close(set.step_flops[MXT_PROBLEM_ATTENTION], 4.5 * once, 1e-9);
	size_t silent = 0;
	for (size_t i = 0; i < set.n_problems; i++)
		silent += set.problems[i].kind == MXT_PROBLEM_ATTENTION && set.problems[i].share_ppm == 0;
	assert_int_equal(silent, 6);
	mxt_problem_set_finish(&set);
	mxt_workload_finish(&w);
}

static const struct mxt_problem *first_attention(const struct mxt_problem_set *set, size_t *ret_count)
{
	const struct mxt_problem *first = NULL;
	*ret_count = 0;
	for (size_t i = set->n_problems; i-- > 0;) {
		if (set->problems[i].kind != MXT_PROBLEM_ATTENTION)
			continue;
		first = &set->problems[i];
		(*ret_count)++;
	}
	return first;
}

/* One call for the whole micro-batch where kernels know documents; else one for each of its four rows. */
static void packed_jobs_have_their_documents(void **state)
{
	(void)state;
	for (int knows = 0; knows < 2; knows++) {
		size_t count = 0;
		struct mxt_workload w = load("llama-3.1-8b", 8, 1, 1);
		w.attention = knows ? MXT_ATTENTION_FA2 : MXT_ATTENTION_SDPA;
		struct mxt_problem_set set = problems(&w, &unscaled);
		const struct mxt_problem *p = first_attention(&set, &count);
		assert_int_equal(count, 2);
		assert_int_equal(p->as.attention.batch, 1);
		assert_int_equal(p->as.attention.seq, knows ? 4 * 2048 : 2048);
		assert_int_equal(p->as.attention.kv_heads, 8);
		assert_true(p->as.attention.n_documents > 1 && !p->as.attention.masked);
		assert_int_equal(p->calls, knows ? 64 : 256);
		assert_int_equal(p->share_ppm, 1000000);
		assert_close(attention_flops(&set, MXT_FORWARD), set.step_flops[MXT_PROBLEM_ATTENTION] * 2 / 4.5, 1e-9);
		mxt_problem_set_finish(&set);
		const struct mxt_scale small = {.attention_tokens = 512};
		set = problems(&w, &small);
		p = first_attention(&set, &count);
		assert_int_equal(p->as.attention.seq, 512);
		assert_true(set.scaled);
		mxt_problem_set_finish(&set);
		mxt_workload_finish(&w);
	}
}

static void mixed_documents_are_one_sequence(void **state)
{
	(void)state;
	size_t count = 0;
	struct mxt_workload w = load("llama-3.1-8b", 8, 1, 1);
	w.training.mixed_documents = true;
	struct mxt_problem_set set = problems(&w, &unscaled);
	const struct mxt_problem *p = first_attention(&set, &count);
	assert_int_equal(p->as.attention.n_documents, 0);
	assert_int_equal(p->as.attention.batch, 4);
	mxt_problem_set_finish(&set);
	mxt_workload_finish(&w);
}

/* Half of the documents have 500 tokens, half 1000: of micro-batches of four nearly all have a long one. */
static void known_lengths_have_strata(void **state)
{
	(void)state;
	struct mxt_workload w = load("qwen3-8b", 8, 1, 0);
	w.lengths = (struct mxt_lengths){.source = "dataset", .documents = 4, .longest = 1000, .n_samples = 4};
	for (uint32_t i = 0; i < 4; i++)
		w.lengths.samples[i] = i < 2 ? 500 : 1000;
	struct mxt_problem_set set = problems(&w, &unscaled);
	uint32_t shares = 0, most = 0;
	int32_t seq = 0;
	for (size_t i = 0; i < set.n_problems; i++) {
		const struct mxt_problem *p = &set.problems[i];
		if (p->kind != MXT_PROBLEM_ATTENTION || p->as.attention.direction != MXT_FORWARD)
			continue;
		assert_int_equal(p->as.attention.batch, 4);
		shares += p->share_ppm;
		seq = p->share_ppm > most ? p->as.attention.seq : seq;
		most = p->share_ppm > most ? p->share_ppm : most;
	}
	assert_int_equal(shares, 1000000);
	assert_int_equal(seq, 1000);
	assert_in_range(most, 937000, 938000);
	mxt_problem_set_finish(&set);
	mxt_workload_finish(&w);
}

static void a_plain_provider_gets_plain_calls(void **state)
{
	(void)state;
	const struct mxt_scale plain = {.plain_attention = true};
	for (int packing = 0; packing < 2; packing++) {
		struct mxt_workload w = load("qwen3-8b", 8, 1, packing);
		struct mxt_problem_set set = problems(&w, &plain);
		for (size_t i = 0; i < set.n_problems; i++) {
			const struct mxt_attention *a = &set.problems[i].as.attention;
			if (set.problems[i].kind == MXT_PROBLEM_ATTENTION)
				assert_true(!a->masked && a->window == 0 && a->n_documents == 0);
		}
		mxt_problem_set_finish(&set);
		mxt_workload_finish(&w);
	}
}

static uint32_t share_of(const struct mxt_problem_set *set, int32_t batch, int32_t seq)
{
	for (size_t i = 0; i < set->n_problems; i++) {
		const struct mxt_attention *a = &set->problems[i].as.attention;
		if (set->problems[i].kind == MXT_PROBLEM_ATTENTION && a->batch == batch && a->seq == seq)
			return set->problems[i].share_ppm;
	}
	return 0;
}

static void varying_lengths_have_four_shapes(void **state)
{
	(void)state;
	struct mxt_workload w = load("qwen3-8b", 8, 1, 0);
	struct mxt_problem_set set = problems(&w, &unscaled);
	assert_int_equal(share_of(&set, 4, 2048), 400000);
	assert_int_equal(share_of(&set, 4, 1024), 300000);
	assert_int_equal(share_of(&set, 1, 2048), 200000);
	assert_int_equal(share_of(&set, 1, 4096), 100000);
	mxt_problem_set_finish(&set);
	w.training.micro_batch = 1; /* the first and the third are the same call then */
	set = problems(&w, &unscaled);
	assert_int_equal(share_of(&set, 1, 2048), 600000);
	mxt_problem_set_finish(&set);
	mxt_workload_finish(&w);
}

static double one_round_flops(const struct mxt_problem_set *set)
{
	double sum = 0;
	for (size_t i = 0; i < set->n_problems; i++)
		if (set->problems[i].kind == MXT_PROBLEM_GEMM)
			sum += mxt_problem_flops(&set->problems[i]);
	return sum;
}

static uint64_t largest_bytes(const struct mxt_problem_set *set)
{
	uint64_t largest = 0;
	for (size_t i = 0; i < set->n_problems; i++)
		if (mxt_problem_bytes(&set->problems[i]) > largest)
			largest = mxt_problem_bytes(&set->problems[i]);
	return largest;
}

static void a_small_host_gets_small_problems(void **state)
{
	(void)state;
	struct mxt_workload w = load("qwen3-8b", 16, 1, 0);
	struct mxt_scale scale = mxt_scale_for_host(2, UINT64_C(24) << 30);
	struct mxt_problem_set set = problems(&w, &scale);
	assert_true(set.scaled);
	assert_in_range((uint64_t)one_round_flops(&set), UINT64_C(10000000000), UINT64_C(25000000000));
	assert_in_range(largest_bytes(&set), 1, UINT64_C(128) << 20);
	mxt_problem_set_finish(&set);
	scale = mxt_scale_for_host(2, UINT64_C(2) << 30);
	set = problems(&w, &scale);
	assert_in_range(largest_bytes(&set), 1, UINT64_C(36) << 20);
	mxt_problem_set_finish(&set);
	mxt_workload_finish(&w);
}

/* A GPU gets the real shapes as far as they fit, and else the largest that do, halved from the real ones. */
static void a_gpu_gets_what_its_memory_holds(void **state)
{
	(void)state;
	static const uint64_t rooms[] = {UINT64_C(1) << 40, UINT64_C(3) << 30, UINT64_C(3) << 29, 1};
	struct mxt_workload w = load("qwen3-8b", 16, 1, 0);
	for (size_t i = 0; i < MXT_ARRAY_LEN(rooms); i++) {
		struct mxt_scale scale = {.gemm_tokens = -1};
		assert_int_equal(mxt_scale_for_memory(&w, rooms[i], MXT_DTYPE_BF16, &scale, NULL), 0);
		struct mxt_problem_set set;
		assert_int_equal(mxt_workload_problems(&w, &scale, MXT_DTYPE_BF16, &set, NULL), 0);
		assert_int_equal(set.scaled, i > 0);
		if (rooms[i] > 1)
			assert_in_range(largest_bytes(&set), i ? rooms[i] / 8 : 1, rooms[i]);
		assert_int_equal(scale.weight_extent, 0);
		mxt_problem_set_finish(&set);
	}
	mxt_workload_finish(&w);
}

/* A cut product stands for the whole one: weights by FLOPs stay what they are, but for the tokens. */
static void scaling_keeps_the_weights_of_products(void **state)
{
	(void)state;
	for (const char *const *name = plain_models; *name; name++) {
		struct mxt_workload w = load(*name, 16, 1, 0);
		struct mxt_scale scale = mxt_scale_for_host(2, UINT64_C(24) << 30);
		struct mxt_problem_set set = problems(&w, &scale);
		double want = set.step_flops[MXT_PROBLEM_GEMM] * scale.gemm_tokens / (4.0 * 2048);
		assert_close(gemm_flops(&set), want, 0.005);
		mxt_problem_set_finish(&set);
		mxt_workload_finish(&w);
	}
}

static void the_scale_never_shrinks_with_a_larger_host(void **state)
{
	(void)state;
	struct mxt_scale last = mxt_scale_for_host(0, 0);
	assert_true(last.gemm_tokens > 0 && last.attention_tokens > 1 && last.weight_extent > 0);
	for (uint32_t cores = 1; cores <= 256; cores++) {
		struct mxt_scale s = mxt_scale_for_host(cores, (uint64_t)cores << 29);
		assert_true(s.gemm_tokens >= last.gemm_tokens && s.attention_tokens >= last.attention_tokens &&
			    s.weight_extent >= last.weight_extent);
		last = s;
	}
}

static size_t count_steps(const struct mxt_problem_set *set, enum mxt_direction direction)
{
	size_t count = 0;
	for (size_t i = 0; i < set->n_layer; i++) {
		uint32_t index = set->layer[i].problem;
		if (index == MXT_LAYER_FILLER) {
			assert_true(set->layer[i].filler_bytes > 0);
			continue;
		}
		assert_true(index < set->n_problems);
		const struct mxt_problem *p = &set->problems[index];
		count += p->kind == MXT_PROBLEM_ATTENTION && p->as.attention.direction == direction;
	}
	return count;
}

static void the_layer_repeats_a_checkpointed_forward(void **state)
{
	(void)state;
	struct mxt_workload w = load("instella-3b", 16, 1, 0);
	struct mxt_problem_set set = problems(&w, &unscaled);
	assert_int_equal(count_steps(&set, MXT_FORWARD), 2);
	assert_int_equal(count_steps(&set, MXT_BACKWARD), 1);
	size_t with = set.n_layer;
	mxt_problem_set_finish(&set);
	w.training.checkpointing = false;
	set = problems(&w, &unscaled);
	assert_int_equal(count_steps(&set, MXT_FORWARD), 1);
	assert_int_equal(count_steps(&set, MXT_BACKWARD), 1);
	assert_true(set.n_layer < with);
	mxt_problem_set_finish(&set);
	mxt_workload_finish(&w);
}

static void equal_products_are_one_problem(void **state)
{
	(void)state;
	struct mxt_workload w = load("qwen3-32b", 16, 1, 0);
	struct mxt_problem_set set = problems(&w, &unscaled);
	for (size_t i = 0; i < set.n_problems; i++) {
		assert_int_equal(mxt_problem_validate(&set.problems[i]), 0);
		for (size_t j = 0; j < i; j++)
			assert_false(mxt_problem_equal(&set.problems[i], &set.problems[j]));
	}
	mxt_problem_set_finish(&set);
	mxt_workload_finish(&w);
}

static void nothing_left_to_time_is_an_error(void **state)
{
	(void)state;
	struct mxt_workload w = load("qwen3-8b", 16, 1, 0);
	w.excluded = MXT_PART_ALL;
	struct mxt_problem_set set;
	struct mxt_error err = MXT_ERROR_INIT;
	assert_true(mxt_workload_problems(&w, &unscaled, MXT_DTYPE_F32, &set, &err) < 0);
	assert_int_equal(err.id, MXT_E_WORKLOAD);
	w.excluded = 0;
	w.training.micro_batch = 65536;
	w.training.seq_len = 1 << 23;
	assert_true(mxt_workload_problems(&w, &unscaled, MXT_DTYPE_F32, &set, &err) < 0);
	assert_int_equal(err.id, MXT_E_WORKLOAD);
	mxt_error_clear(&err);
	mxt_workload_finish(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(full_training_is_6nd),
	    cmocka_unit_test(lora_leaves_out_the_gradients_of_frozen_weights),
	    cmocka_unit_test(padded_jobs_weigh_the_real_shape_only),
	    cmocka_unit_test(packed_jobs_have_their_documents),
	    cmocka_unit_test(mixed_documents_are_one_sequence),
	    cmocka_unit_test(known_lengths_have_strata),
	    cmocka_unit_test(a_plain_provider_gets_plain_calls),
	    cmocka_unit_test(varying_lengths_have_four_shapes),
	    cmocka_unit_test(a_small_host_gets_small_problems),
	    cmocka_unit_test(a_gpu_gets_what_its_memory_holds),
	    cmocka_unit_test(scaling_keeps_the_weights_of_products),
	    cmocka_unit_test(the_scale_never_shrinks_with_a_larger_host),
	    cmocka_unit_test(the_layer_repeats_a_checkpointed_forward),
	    cmocka_unit_test(equal_products_are_one_problem),
	    cmocka_unit_test(nothing_left_to_time_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
