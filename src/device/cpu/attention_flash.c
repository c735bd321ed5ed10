/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "attention_call.h"
#include "attention_head.h"
#include "vector_math.h"

/*
 * Rows and columns of a block of scores: a block and its gradient together stay in a core's second-level cache, and
 * its products are still large enough for a BLAS library to be fast. With OpenBLAS's Haswell and SkylakeX kernels, 64
 * costs up to 16 % more processor time forward, 256 up to 25 %.
 */
#define BLOCK 128

static size_t scratch(const struct mxt_attention *shape)
{
	size_t blocks = shape->direction == MXT_BACKWARD ? 2 : 1;
	size_t column = shape->direction == MXT_BACKWARD ? (size_t)shape->seq : (size_t)2 * BLOCK;
	return blocks * BLOCK * BLOCK + column;
}

static int32_t block_count(int32_t seq)
{
	return (seq + BLOCK - 1) / BLOCK;
}

/* How many of the rows from `first` on belong to its block. */
static int32_t block_rows(int32_t seq, int32_t first)
{
	return seq - first < BLOCK ? seq - first : BLOCK;
}

/* Forward items are blocks of rows, backward items whole heads: there each block adds to gradients of all rows. */
static uint32_t items(const struct mxt_attention *shape)
{
	uint32_t heads = (uint32_t)shape->batch * (uint32_t)shape->heads;
	return shape->direction == MXT_BACKWARD ? heads : heads * (uint32_t)block_count(shape->seq);
}

/* A block of scores: rows of q from `row` on, columns (rows of k and v) from `column` on. */
struct block {
	int32_t row, rows, column, columns;
};

/* scores = q k^T or grad_out v^T for the block; rows BLOCK floats apart. */
static void block_product(const struct mxt_blas *blas, const struct mxt_attention_head *head, const struct block *b,
			  const float *left, const float *right, float *scores)
{
	mxt_product_nt(blas, &(struct mxt_product){.m = b->rows,
						   .n = b->columns,
						   .k = head->head_dim,
						   .a = left + mxt_row_at(b->row, head->q_stride),
						   .a_stride = head->q_stride,
						   .b = right + mxt_row_at(b->column, head->kv_stride),
						   .b_stride = head->kv_stride,
						   .c = scores,
						   .c_stride = BLOCK});
}

/* The running softmax of a block's rows: their largest score so far, and the sum of exponentials relative to it. */
struct running {
	float max[BLOCK], sum[BLOCK];
};

/*
 * Takes a block's scores of one row into its running softmax: they become exponentials, and what was summed before is
 * brought to the new maximum. Every row keeps at least one column: blocks are square, and those above the diagonal are
 * left out.
 */
static void take_row(const struct mxt_attention_head *head, const struct block *b, int32_t i, struct running *running,
		     float *scores)
{
	int32_t kept = mxt_attention_kept(head, b->row + i) - b->column;
	kept = kept < b->columns ? kept : b->columns;
	float block_max = head->scale * mxt_row_max(scores, (size_t)kept);
	float max = block_max > running->max[i] ? block_max : running->max[i];
	float before = expf(running->max[i] - max); /* 0 in the first block */
	float sum = mxt_row_exp(scores, (size_t)kept, head->scale, max);
	memset(scores + kept, 0, (size_t)(b->columns - kept) * sizeof *scores);
	if (b->column && before < 1)
		mxt_row_scale(head->out + mxt_row_at(b->row + i, head->q_stride), (size_t)head->head_dim, before);
	running->sum[i] = running->sum[i] * before + sum;
	running->max[i] = max;
}

/* out += exponentials v; the first block of a row overwrites. */
static void add_values(const struct mxt_blas *blas, const struct mxt_attention_head *head, const struct block *b,
		       const float *scores)
{
	mxt_product_nn(blas, &(struct mxt_product){.m = b->rows,
						   .n = head->head_dim,
						   .k = b->columns,
						   .a = scores,
						   .a_stride = BLOCK,
						   .b = head->v + mxt_row_at(b->column, head->kv_stride),
						   .b_stride = head->kv_stride,
						   .beta = b->column ? 1.0F : 0.0F,
						   .c = head->out + mxt_row_at(b->row, head->q_stride),
						   .c_stride = head->q_stride});
}

static void finish_rows(const struct mxt_attention_head *head, const struct block *b, const struct running *running)
{
	for (int32_t i = 0; i < b->rows; i++) {
		int32_t row = b->row + i;
		mxt_row_scale(head->out + mxt_row_at(row, head->q_stride), (size_t)head->head_dim,
			      1.0F / running->sum[i]);
		head->lse[row] = running->max[i] + logf(running->sum[i]);
	}
}

static void forward(const struct mxt_blas *blas, const struct mxt_attention_call *call, uint32_t item, float *scores)
{
	uint32_t blocks = (uint32_t)block_count(call->shape.seq);
	struct mxt_attention_head head;
	mxt_attention_head_init(call, item / blocks, &head);
	struct running running;
	for (int32_t i = 0; i < BLOCK; i++) {
		running.max[i] = -INFINITY;
		running.sum[i] = 0;
	}
	/* Late rows have the most columns under a causal mask: they begin first. */
	int32_t row = (int32_t)(blocks - 1 - item % blocks) * BLOCK;
	struct block b = {.row = row, .rows = block_rows(head.seq, row)};
	int32_t end = mxt_attention_kept(&head, b.row + b.rows - 1);
	for (b.column = 0; b.column < end; b.column += BLOCK) {
		b.columns = block_rows(head.seq, b.column);
		block_product(blas, &head, &b, head.q, head.k, scores);
		for (int32_t i = 0; i < b.rows; i++)
			take_row(&head, &b, i, &running, scores + (size_t)i * BLOCK);
		add_values(blas, &head, &b, scores);
	}
	finish_rows(&head, &b, &running);
}

/* grad_k or grad_v of the block's columns += weights^T source; the first block of a column overwrites. */
static void add_to_columns(const struct mxt_blas *blas, const struct mxt_attention_head *head, const struct block *b,
			   const float *weights, const float *source, float *target)
{
	int32_t first_row = head->causal ? b->column : 0;
	mxt_product_tn(blas, &(struct mxt_product){.m = b->columns,
						   .n = head->head_dim,
						   .k = b->rows,
						   .a = weights,
						   .a_stride = BLOCK,
						   .b = source + mxt_row_at(b->row, head->q_stride),
						   .b_stride = head->q_stride,
						   .beta = b->row > first_row ? 1.0F : 0.0F,
						   .c = target + mxt_row_at(b->column, head->q_stride),
						   .c_stride = head->q_stride});
}

/* grad_q of the block's rows += grad_scores k; the first block of a row overwrites. */
static void add_to_rows(const struct mxt_blas *blas, const struct mxt_attention_head *head, const struct block *b,
			const float *grad_scores)
{
	mxt_product_nn(blas, &(struct mxt_product){.m = b->rows,
						   .n = head->head_dim,
						   .k = b->columns,
						   .a = grad_scores,
						   .a_stride = BLOCK,
						   .b = head->k + mxt_row_at(b->column, head->kv_stride),
						   .b_stride = head->kv_stride,
						   .beta = b->column ? 1.0F : 0.0F,
						   .c = head->grad_q + mxt_row_at(b->row, head->q_stride),
						   .c_stride = head->q_stride});
}

static void backward_block(const struct mxt_blas *blas, const struct mxt_attention_head *head, const struct block *b,
			   float *memory, const float *delta)
{
	float *weights = memory, *grad_scores = memory + (size_t)BLOCK * BLOCK;
	block_product(blas, head, b, head->q, head->k, weights);
	block_product(blas, head, b, head->grad_out, head->v, grad_scores);
	for (int32_t i = 0; i < b->rows; i++) {
		size_t at = (size_t)i * BLOCK;
		mxt_attention_probabilities(head, b->row + i, b->column, b->columns, weights + at);
		mxt_row_softmax_grad(grad_scores + at, weights + at, (size_t)b->columns, delta[b->row + i],
				     head->scale);
	}
	add_to_columns(blas, head, b, weights, head->grad_out, head->grad_v);
	add_to_columns(blas, head, b, grad_scores, head->q, head->grad_k);
	add_to_rows(blas, head, b, grad_scores);
}

static void backward(const struct mxt_blas *blas, const struct mxt_attention_call *call, uint32_t item, float *memory)
{
	struct mxt_attention_head head;
	mxt_attention_head_init(call, item, &head);
	float *delta = memory + (size_t)2 * BLOCK * BLOCK;
	mxt_attention_delta(&head, delta);
	struct block b;
	for (b.column = 0; b.column < head.seq; b.column += BLOCK) {
		b.columns = block_rows(head.seq, b.column);
		for (b.row = head.causal ? b.column : 0; b.row < head.seq; b.row += BLOCK) {
			b.rows = block_rows(head.seq, b.row);
			backward_block(blas, &head, &b, memory, delta);
		}
	}
}

const struct mxt_attention_backend mxt_attention_flash = {
    .name = "flash",
    .scratch = scratch,
    .items = items,
    .forward = forward,
    .backward = backward,
};
