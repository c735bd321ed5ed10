/* SPDX-License-Identifier: Apache-2.0 */
#include "post_gemm.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "figures.h"
#include "post_choice.h"
#include "post_writer.h"
#include "statistics.h"

#define MAX_CANDIDATES 16

static bool is_timed_gemm(const struct mxt_plan_sample *sample, const char *candidate)
{
	return sample->problem.kind == MXT_PROBLEM_GEMM && sample->median_ns > 0 &&
	       strcmp(sample->candidate, candidate) == 0;
}

static const struct mxt_plan_sample *same_product(const struct mxt_post *post, const struct mxt_plan_sample *as,
						  const char *candidate)
{
	for (size_t i = 0; i < post->n_samples; i++)
		if (is_timed_gemm(&post->samples[i], candidate) &&
		    mxt_problem_equal(&post->samples[i].problem, &as->problem))
			return &post->samples[i];
	return NULL;
}

/* "785 TFLOP/s (nt 32768x12288x4096 bfloat16)" */
static void put_product(const struct mxt_plan_sample *sample, struct mxt_buf *buf)
{
	char rate[MXT_FIGURE_SIZE];
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	mxt_problem_text(&sample->problem, &text);
	const char *shape = strchr(mxt_buf_text(&text), ' '); /* behind "gemm" */
	buf->failed = buf->failed || text.failed;
	mxt_buf_printf(buf, "%s (%s)", mxt_figure_rate(rate, mxt_post_flop_per_s(sample)), shape ? shape + 1 : "");
}

/* The middle of its times over bare's, product by product. */
static void put_against_bare(const struct mxt_post *post, const char *candidate)
{
	MXT_CLEANUP_FREE double *ratios = calloc(post->n_samples + 1, sizeof *ratios);
	size_t n = 0;
	post->buf->failed = post->buf->failed || !ratios;
	for (size_t i = 0; ratios && i < post->n_samples; i++) {
		const struct mxt_plan_sample *sample = &post->samples[i], *bare = NULL;
		if (is_timed_gemm(sample, candidate))
			bare = same_product(post, sample, "bare");
		if (bare)
			ratios[n++] = (double)sample->median_ns / (double)bare->median_ns;
	}
	if (n == 0) {
		mxt_buf_puts(post->buf, "not measured");
		return;
	}
	double change = mxt_median(ratios, n) - 1;
	int64_t ppm = (int64_t)(change < 1e6 ? change * 1e6 : 1e12);
	mxt_buf_puts(post->buf, ppm > 0 ? "+" : "");
	mxt_post_percent(ppm, post->buf);
}

static void put_candidate(const struct mxt_post *post, const char *candidate)
{
	const struct mxt_plan_sample *fast = NULL, *slow = NULL;
	size_t n = 0;
	for (size_t i = 0; i < post->n_samples; i++) {
		const struct mxt_plan_sample *sample = &post->samples[i];
		if (!is_timed_gemm(sample, candidate))
			continue;
		fast = !fast || mxt_post_flop_per_s(sample) > mxt_post_flop_per_s(fast) ? sample : fast;
		slow = !slow || mxt_post_flop_per_s(sample) < mxt_post_flop_per_s(slow) ? sample : slow;
		n++;
	}
	mxt_buf_puts(post->buf, "| ");
	mxt_post_code_cell(candidate, post->buf);
	mxt_buf_printf(post->buf, " | %zu | ", n);
	if (fast) {
		put_product(fast, post->buf);
		mxt_buf_puts(post->buf, " | ");
		put_product(slow, post->buf);
	} else {
		mxt_buf_puts(post->buf, "not measured | not measured");
	}
	mxt_buf_puts(post->buf, " | ");
	if (strcmp(candidate, "bare") != 0)
		put_against_bare(post, candidate);
	mxt_buf_puts(post->buf, " |\n");
}

/* True when an earlier sample is of the same probe and candidate. */
static bool is_known_candidate(const struct mxt_post *post, size_t i)
{
	const struct mxt_plan_sample *sample = &post->samples[i];
	for (size_t k = 0; k < i; k++)
		if (post->samples[k].problem.kind == sample->problem.kind &&
		    strcmp(post->samples[k].candidate, sample->candidate) == 0)
			return true;
	return false;
}

void mxt_post_gemm(const struct mxt_post *post)
{
	size_t i = mxt_post_next(post, MXT_PROBLEM_GEMM, 0), shown = 0;
	mxt_buf_puts(post->buf, "\n## Matrix products\n\n");
	if (i >= post->n_samples) {
		mxt_buf_puts(post->buf, "Matrix products were not measured.\n");
		mxt_post_choice(post, "gemm");
		return;
	}
	mxt_buf_puts(post->buf, "The products of one training step, each once; `n` and `t` say which operands are "
				"transposed, then m x n x k. `bare` is the library that torch takes by itself.\n\n"
				"| candidate | products | fastest | slowest | time against `bare`, median |\n"
				"|---|---|---|---|---|\n");
	for (; i < post->n_samples && shown < MAX_CANDIDATES; i = mxt_post_next(post, MXT_PROBLEM_GEMM, i + 1)) {
		if (is_known_candidate(post, i))
			continue;
		put_candidate(post, post->samples[i].candidate);
		shown++;
	}
	mxt_post_choice(post, "gemm");
}
