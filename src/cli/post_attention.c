/* SPDX-License-Identifier: Apache-2.0 */
#include "post_attention.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "figures.h"
#include "json.h"
#include "post_choice.h"
#include "post_writer.h"

#define MAX_BACKENDS 8

struct backend_row {
	const char *label;
	const struct mxt_plan_sample *cells[MXT_DIRECTION_COUNT];
};

/* All backends of one shape. */
struct shape_rows {
	struct backend_row rows[MAX_BACKENDS];
	size_t count;
};

static bool same_shape(const struct mxt_plan_sample *a, const struct mxt_plan_sample *b)
{
	struct mxt_problem left = a->problem;
	if (left.kind == MXT_PROBLEM_ATTENTION && b->problem.kind == MXT_PROBLEM_ATTENTION)
		left.as.attention.direction = b->problem.as.attention.direction;
	return mxt_problem_equal(&left, &b->problem);
}

/* What was not seen to compute goes by the candidate's name. NULL: there are too many. */
static struct backend_row *row_of(struct shape_rows *shape, const struct mxt_plan_sample *sample)
{
	const char *label = sample->backend[0] ? sample->backend : sample->candidate;
	for (size_t i = 0; i < shape->count; i++)
		if (strcmp(shape->rows[i].label, label) == 0)
			return &shape->rows[i];
	if (shape->count == MAX_BACKENDS)
		return NULL;
	shape->rows[shape->count] = (struct backend_row){.label = label};
	return &shape->rows[shape->count++];
}

/* Of candidates that ran the same kernels the first one counts. */
static void collect(const struct mxt_post *post, const struct mxt_plan_sample *first, struct shape_rows *shape)
{
	for (size_t i = 0; i < post->n_samples; i++) {
		const struct mxt_plan_sample *sample = &post->samples[i];
		if (!same_shape(sample, first))
			continue;
		struct backend_row *row = row_of(shape, sample);
		const struct mxt_plan_sample **cell = row ? &row->cells[sample->problem.as.attention.direction] : NULL;
		if (cell && !*cell && sample->median_ns > 0)
			*cell = sample;
	}
}

/* Forward and backward; 0 where one of them was not measured. */
static int64_t both_ns(const struct backend_row *row)
{
	const struct mxt_plan_sample *forward = row->cells[MXT_FORWARD], *backward = row->cells[MXT_BACKWARD];
	return forward && backward ? forward->median_ns + backward->median_ns : 0;
}

/* The fastest but `without`; NULL: none. */
static const struct backend_row *fastest(const struct shape_rows *shape, const struct backend_row *without)
{
	const struct backend_row *best = NULL;
	for (size_t i = 0; i < shape->count; i++) {
		const struct backend_row *row = &shape->rows[i];
		if (row != without && both_ns(row) > 0 && (!best || both_ns(row) < both_ns(best)))
			best = row;
	}
	return best;
}

static double peak_of(const struct mxt_post *post, enum mxt_dtype dtype)
{
	return dtype == MXT_DTYPE_F32 ? 0 : post->peak.bf16_flops;
}

static void put_cell(const struct mxt_post *post, const struct mxt_plan_sample *sample)
{
	char ms[MXT_FIGURE_SIZE], rate[MXT_FIGURE_SIZE], share[MXT_FIGURE_SIZE];
	if (!sample) {
		mxt_buf_puts(post->buf, " not measured | | |");
		return;
	}
	double speed = mxt_post_flop_per_s(sample);
	(void)mxt_figure_share(share, speed, peak_of(post, sample->problem.as.attention.dtype));
	mxt_buf_printf(post->buf, " %s | %s | %s |", mxt_figure_ms(ms, (uint64_t)sample->median_ns),
		       mxt_figure_rate(rate, speed), share[0] ? share : "not known");
}

/* By how much the next one takes longer, of the fastest row. */
static void put_lead(const struct mxt_post *post, const struct shape_rows *shape, const struct backend_row *row)
{
	const struct backend_row *best = fastest(shape, NULL), *next = fastest(shape, best);
	int64_t floor_ppm = mxt_json_integer_or(mxt_post_choice_of(post, "attention"), "floor_ppm", -1);
	if (row != best)
		return;
	if (!next) {
		mxt_buf_puts(post->buf, "nothing to compare");
		return;
	}
	double lead = (double)both_ns(next) / (double)both_ns(best) - 1;
	int64_t lead_ppm = (int64_t)(lead < 1e6 ? lead * 1e6 : 1e12);
	mxt_post_percent(lead_ppm, post->buf);
	if (lead_ppm <= floor_ppm)
		mxt_buf_puts(post->buf, ", within the noise floor");
	if (floor_ppm < 0)
		mxt_buf_puts(post->buf, ", noise floor not known");
}

static void put_shape(const struct mxt_plan_sample *sample, struct mxt_buf *buf)
{
	const struct mxt_attention *a = &sample->problem.as.attention;
	mxt_buf_printf(buf, "(%" PRId32 ", %" PRId32 ", %" PRId32 "/%" PRId32 ", %" PRId32 ")%s %s", a->batch, a->seq,
		       a->heads, a->kv_heads, a->head_dim, a->causal ? " causal" : "", mxt_dtype_name(a->dtype));
}

static void put_shape_rows(const struct mxt_post *post, const struct mxt_plan_sample *first)
{
	struct shape_rows shape = {.count = 0};
	collect(post, first, &shape);
	for (size_t i = 0; i < shape.count; i++) {
		const struct backend_row *row = &shape.rows[i];
		mxt_buf_puts(post->buf, "| ");
		put_shape(first, post->buf);
		mxt_buf_puts(post->buf, " | ");
		mxt_post_code_cell(row->label, post->buf);
		mxt_buf_puts(post->buf, " |");
		put_cell(post, row->cells[MXT_FORWARD]);
		put_cell(post, row->cells[MXT_BACKWARD]);
		mxt_buf_putc(post->buf, ' ');
		put_lead(post, &shape, row);
		mxt_buf_puts(post->buf, " |\n");
	}
}

static bool is_repeated(const struct mxt_post *post, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_shape(&post->samples[k], &post->samples[i]))
			return true;
	return false;
}

void mxt_post_attention(const struct mxt_post *post)
{
	size_t i = mxt_post_next(post, MXT_PROBLEM_ATTENTION, 0);
	mxt_buf_puts(post->buf, "\n## Attention\n\n");
	if (i >= post->n_samples) {
		mxt_buf_puts(post->buf, "Attention was not measured.\n");
		mxt_post_choice(post, "attention");
		return;
	}
	mxt_buf_puts(post->buf,
		     "Medians. Causal attention counts half of the square, backward 2.5 times forward. The lead is by "
		     "how much the next backend takes longer, forward and backward together.\n\n"
		     "| (B, S, H/KV, D) | backend | forward ms | rate | of peak | backward ms | rate | of peak | lead "
		     "|\n|---|---|---|---|---|---|---|---|---|\n");
	for (; i < post->n_samples; i = mxt_post_next(post, MXT_PROBLEM_ATTENTION, i + 1))
		if (!is_repeated(post, i))
			put_shape_rows(post, &post->samples[i]);
	mxt_post_choice(post, "attention");
}
