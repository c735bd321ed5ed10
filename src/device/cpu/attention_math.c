/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "attention_call.h"
#include "attention_head.h"
#include "vector_math.h"

/* Two matrices [seq, seq], scores and their gradient, and one column. */
static size_t scratch(const struct mxt_attention *shape)
{
	size_t seq = (size_t)shape->seq, matrices = shape->direction == MXT_BACKWARD ? 2 : 1;
	return seq * seq * matrices + seq;
}

static uint32_t items(const struct mxt_attention *shape)
{
	return (uint32_t)shape->batch * (uint32_t)shape->heads;
}

/* scores = q k^T, not scaled yet */
static void all_scores(const struct mxt_blas *blas, const struct mxt_attention_head *head, float *scores)
{
	mxt_product_nt(blas, &(struct mxt_product){.m = head->seq,
						   .n = head->seq,
						   .k = head->head_dim,
						   .a = head->q,
						   .a_stride = head->q_stride,
						   .b = head->k,
						   .b_stride = head->kv_stride,
						   .c = scores,
						   .c_stride = head->seq});
}

static void softmax_row(const struct mxt_attention_head *head, int32_t row, float *scores)
{
	size_t kept = (size_t)mxt_attention_kept(head, row);
	float max = head->scale * mxt_row_max(scores, kept);
	float sum = mxt_row_exp(scores, kept, head->scale, max);
	mxt_row_scale(scores, kept, 1.0F / sum);
	memset(scores + kept, 0, ((size_t)head->seq - kept) * sizeof *scores);
	head->lse[row] = max + logf(sum);
}

static void forward(const struct mxt_blas *blas, const struct mxt_attention_call *call, uint32_t item, float *scores)
{
	struct mxt_attention_head head;
	mxt_attention_head_init(call, item, &head);
	all_scores(blas, &head, scores);
	for (int32_t row = 0; row < head.seq; row++)
		softmax_row(&head, row, scores + mxt_row_at(row, head.seq));
	mxt_product_nn(blas, &(struct mxt_product){.m = head.seq,
						   .n = head.head_dim,
						   .k = head.seq,
						   .a = scores,
						   .a_stride = head.seq,
						   .b = head.v,
						   .b_stride = head.kv_stride,
						   .c = head.out,
						   .c_stride = head.q_stride});
}

/* target[seq, head_dim] = weights^T source, or weights source */
static struct mxt_product weigh(const struct mxt_attention_head *head, const float *weights, const float *source,
				int32_t source_stride, float *target)
{
	return (struct mxt_product){.m = head->seq,
				    .n = head->head_dim,
				    .k = head->seq,
				    .a = weights,
				    .a_stride = head->seq,
				    .b = source,
				    .b_stride = source_stride,
				    .c = target,
				    .c_stride = head->q_stride};
}

/* grad_scores = the gradient of the probabilities, then of the scores */
static void all_grad_scores(const struct mxt_blas *blas, const struct mxt_attention_head *head, const float *weights,
			    const float *delta, float *grad_scores)
{
	mxt_product_nt(blas, &(struct mxt_product){.m = head->seq,
						   .n = head->seq,
						   .k = head->head_dim,
						   .a = head->grad_out,
						   .a_stride = head->q_stride,
						   .b = head->v,
						   .b_stride = head->kv_stride,
						   .c = grad_scores,
						   .c_stride = head->seq});
	for (int32_t row = 0; row < head->seq; row++) {
		size_t at = mxt_row_at(row, head->seq);
		mxt_row_softmax_grad(grad_scores + at, weights + at, (size_t)head->seq, delta[row], head->scale);
	}
}

static void backward(const struct mxt_blas *blas, const struct mxt_attention_call *call, uint32_t item, float *memory)
{
	struct mxt_attention_head head;
	mxt_attention_head_init(call, item, &head);
	size_t matrix = (size_t)head.seq * (size_t)head.seq;
	float *weights = memory, *grad_scores = memory + matrix, *delta = memory + 2 * matrix;
	mxt_attention_delta(&head, delta);
	all_scores(blas, &head, weights);
	for (int32_t row = 0; row < head.seq; row++)
		mxt_attention_probabilities(&head, row, 0, head.seq, weights + mxt_row_at(row, head.seq));
	all_grad_scores(blas, &head, weights, delta, grad_scores);
	const struct mxt_product v = weigh(&head, weights, head.grad_out, head.q_stride, head.grad_v);
	const struct mxt_product q = weigh(&head, grad_scores, head.k, head.kv_stride, head.grad_q);
	const struct mxt_product k = weigh(&head, grad_scores, head.q, head.q_stride, head.grad_k);
	mxt_product_tn(blas, &v);
	mxt_product_nn(blas, &q);
	mxt_product_tn(blas, &k);
}

const struct mxt_attention_backend mxt_attention_math = {
    .name = "math",
    .scratch = scratch,
    .items = items,
    .forward = forward,
    .backward = backward,
};
