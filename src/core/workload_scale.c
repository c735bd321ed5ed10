/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler.h"
#include "error.h"
#include "workload.h"

/*
 * The fixed table, in two halves; the smaller value of both counts. Cores limit the arithmetic: with 2 cores one round
 * of the distinct products of an 8-billion-parameter model is about 10 GFLOP per candidate. Memory limits the operands:
 * a weight of the full extent in float32 is at most 1/64 of the memory that a row is for, since several workers hold a
 * dozen problems each at the same time.
 */
struct scale_row {
	uint64_t from; /* cores, or bytes */
	struct mxt_scale scale;
};

#define GIB (UINT64_C(1) << 30)

#define LIMITS(gemm, attention, weight)                                                                                \
	{                                                                                                              \
		.gemm_tokens = (gemm), .attention_tokens = (attention), .weight_extent = (weight)                      \
	}

static const struct scale_row by_cores[] = {
    {0, LIMITS(128, 512, 4096)},    {4, LIMITS(256, 1024, 4096)},    {8, LIMITS(512, 2048, 8192)},
    {16, LIMITS(1024, 2048, 8192)}, {32, LIMITS(2048, 4096, 16384)}, {64, LIMITS(4096, 8192, 16384)},
};

static const struct scale_row by_memory[] = {
    {0, LIMITS(32, 128, 512)},
    {GIB, LIMITS(64, 256, 2048)},
    {4 * GIB, LIMITS(256, 1024, 4096)},
    {32 * GIB, LIMITS(1024, 4096, 8192)},
    {128 * GIB, LIMITS(4096, 8192, 16384)},
};

static const struct mxt_scale *row_for(const struct scale_row *rows, size_t count, uint64_t value)
{
	const struct mxt_scale *found = &rows[0].scale;
	for (size_t i = 1; i < count && rows[i].from <= value; i++)
		found = &rows[i].scale;
	return found;
}

static int32_t smaller(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

struct mxt_scale mxt_scale_for_host(uint32_t cores, uint64_t memory_bytes)
{
	const struct mxt_scale *c = row_for(by_cores, MXT_ARRAY_LEN(by_cores), cores);
	const struct mxt_scale *m = row_for(by_memory, MXT_ARRAY_LEN(by_memory), memory_bytes);
	return (struct mxt_scale){.gemm_tokens = smaller(c->gemm_tokens, m->gemm_tokens),
				  .attention_tokens = smaller(c->attention_tokens, m->attention_tokens),
				  .weight_extent = smaller(c->weight_extent, m->weight_extent)};
}

/* The most that one call of a kind has as operands. */
static uint64_t largest_operands(const struct mxt_problem_set *set, enum mxt_problem_kind kind)
{
	uint64_t most = 0;
	for (size_t i = 0; i < set->n_problems; i++) {
		uint64_t bytes = set->problems[i].kind == kind ? mxt_problem_bytes(&set->problems[i]) : 0;
		most = bytes > most ? bytes : most;
	}
	return most;
}

/* Below this the weights are what does not fit, and fewer tokens would not help. */
#define FEWEST_TOKENS 128

static int32_t longest_document(const struct mxt_attention *a)
{
	int32_t longest = a->n_documents ? 0 : a->seq;
	for (uint32_t i = 0; i < a->n_documents; i++)
		longest = a->documents[i] > longest ? a->documents[i] : longest;
	return longest;
}

/*
 * What checking attention takes beside its operands: six score matrices of one KV group in float32 (see
 * device/torch/attention_distance.c). One worker checks at a time, so there is room for twice a worker's share.
 */
static uint64_t largest_check(const struct mxt_problem_set *set)
{
	uint64_t most = 0;
	for (size_t i = 0; i < set->n_problems; i++) {
		const struct mxt_attention *a = &set->problems[i].as.attention;
		if (set->problems[i].kind != MXT_PROBLEM_ATTENTION)
			continue;
		uint64_t rows = (uint64_t)longest_document(a);
		uint64_t bytes = 6 * sizeof(float) * (uint64_t)(a->heads / a->kv_heads) * rows * rows;
		most = bytes > most ? bytes : most;
	}
	return most;
}

static bool attention_fits(const struct mxt_problem_set *set, uint64_t bytes)
{
	return largest_operands(set, MXT_PROBLEM_ATTENTION) <= bytes && largest_check(set) / 2 <= bytes;
}

/* Halves a limit; false when too few tokens would be left. */
static bool halve(int32_t *limit, int64_t tokens)
{
	int64_t now = *limit ? *limit : tokens;
	if (now / 2 < FEWEST_TOKENS || now / 2 > INT32_MAX)
		return false;
	*limit = (int32_t)(now / 2);
	return true;
}

int mxt_scale_for_memory(const struct mxt_workload *workload, uint64_t bytes, enum mxt_dtype dtype,
			 struct mxt_scale *ret_scale, struct mxt_error *err)
{
	struct mxt_scale scale = {.gemm_tokens = 0};
	int64_t tokens = (int64_t)workload->training.micro_batch * workload->training.seq_len;
	int64_t attention_tokens = tokens > 2 * (int64_t)workload->training.seq_len ? tokens : 2 * tokens;
	for (bool fits = false; !fits;) {
		struct mxt_problem_set set;
		int rc = mxt_workload_problems(workload, &scale, dtype, &set, err);
		if (rc < 0)
			return rc;
		bool gemm = largest_operands(&set, MXT_PROBLEM_GEMM) <= bytes || !halve(&scale.gemm_tokens, tokens);
		bool attention = attention_fits(&set, bytes) || !halve(&scale.attention_tokens, attention_tokens);
		fits = gemm && attention;
		mxt_problem_set_finish(&set);
	}
	*ret_scale = scale;
	return 0;
}
