/* SPDX-License-Identifier: Apache-2.0 */
#include "recording_coverage.h"

#include <math.h>
#include <string.h>

#include "number.h"
#include "workload.h"

/* A packed call without the lengths of its documents, which are never the same twice. */
static struct mxt_problem comparable(const struct mxt_problem *problem)
{
	struct mxt_problem like = *problem;
	struct mxt_attention *a = &like.as.attention;
	if (like.kind != MXT_PROBLEM_ATTENTION || a->n_documents == 0)
		return like;
	memset(a->documents, 0, sizeof a->documents);
	a->n_documents = 1;
	a->seq = 1;
	return like;
}

bool mxt_problem_alike(const struct mxt_problem *a, const struct mxt_problem *b)
{
	struct mxt_problem like_a = comparable(a), like_b = comparable(b);
	return mxt_problem_equal(&like_a, &like_b);
}

/* How often the set has a problem like this. */
static double find(const struct mxt_problem_set *set, const struct mxt_problem *wanted)
{
	double sum = 0;
	for (size_t i = 0; i < set->n_problems; i++) {
		struct mxt_problem like = comparable(&set->problems[i]);
		if (mxt_problem_equal(&like, wanted))
			sum += mxt_problem_weight(&set->problems[i]);
	}
	return sum;
}

static double miss_flops(const struct mxt_coverage *coverage, uint32_t i)
{
	return mxt_problem_flops(coverage->misses[i]) * coverage->miss_calls[i];
}

/* Keeps the list sorted, most operations first. */
static void add_miss(struct mxt_coverage *coverage, const struct mxt_problem *problem, double calls)
{
	double flops = mxt_problem_flops(problem) * calls;
	uint32_t at = 0;
	while (at < coverage->n_misses && miss_flops(coverage, at) >= flops)
		at++;
	if (at == MXT_COVERAGE_MISSES)
		return;
	coverage->n_misses += coverage->n_misses < MXT_COVERAGE_MISSES;
	for (uint32_t i = coverage->n_misses - 1; i > at; i--) {
		coverage->misses[i] = coverage->misses[i - 1];
		coverage->miss_calls[i] = coverage->miss_calls[i - 1];
	}
	coverage->misses[at] = problem;
	coverage->miss_calls[at] = calls;
}

/*
 * The part of this problem's calls that the generated ones cover. Several packed problems of the recording share the
 * generated one: each gets its part.
 */
static double covered(const struct mxt_problem_set *recorded, const struct mxt_problem_set *generated,
		      const struct mxt_problem *problem)
{
	struct mxt_problem like = comparable(problem);
	double asked = find(recorded, &like), given = find(generated, &like);
	return asked > 0 ? mxt_problem_weight(problem) * fmin(1, given / asked) : 0;
}

void mxt_recording_coverage(const struct mxt_problem_set *recorded, const struct mxt_problem_set *generated,
			    struct mxt_coverage *ret_coverage)
{
	struct mxt_coverage coverage = {.n_misses = 0};
	for (size_t i = 0; i < recorded->n_problems; i++) {
		const struct mxt_problem *problem = &recorded->problems[i];
		double calls = mxt_problem_weight(problem), hit = covered(recorded, generated, problem);
		double flops = mxt_problem_flops(problem);
		bool gemm = problem->kind == MXT_PROBLEM_GEMM;
		coverage.gemm_flops += gemm ? flops * calls : 0;
		coverage.gemm_covered_flops += gemm ? flops * hit : 0;
		coverage.attention_calls += gemm ? 0 : calls;
		coverage.attention_covered += gemm ? 0 : hit;
		if (calls - hit > calls * 1e-5)
			add_miss(&coverage, problem, calls - hit);
	}
	*ret_coverage = coverage;
}

static void put_number(double value, struct mxt_buf *buf)
{
	char text[32];
	mxt_buf_puts(buf, mxt_format_fixed(text, (int64_t)llround(value * 10), 1, fabs(value - round(value)) > 0.05));
}

void mxt_coverage_text(const struct mxt_coverage *coverage, struct mxt_buf *buf)
{
	double share = coverage->gemm_flops > 0 ? coverage->gemm_covered_flops / coverage->gemm_flops : 1;
	mxt_buf_puts(buf, "from the config alone ");
	put_number(share * 100, buf);
	mxt_buf_puts(buf, " % of the operations in matrix products and ");
	put_number(coverage->attention_covered, buf);
	mxt_buf_puts(buf, " of ");
	put_number(coverage->attention_calls, buf);
	mxt_buf_puts(buf, " attention calls of the recording would have been tuned");
	for (uint32_t i = 0; i < coverage->n_misses; i++) {
		mxt_buf_puts(buf, i == 0 ? "; not these, the largest first: " : ", ");
		put_number(coverage->miss_calls[i], buf);
		mxt_buf_puts(buf, " x ");
		mxt_problem_text(coverage->misses[i], buf);
	}
}
