/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the attention backends share: where the rows of one head lie, products of such rows, softmax over scores.
 */
#ifndef MXT_CPU_ATTENTION_HEAD_H
#define MXT_CPU_ATTENTION_HEAD_H

#include <stddef.h>
#include <stdint.h>

#include "attention_call.h"

struct mxt_blas;

/* One query head of one batch. Rows have head_dim floats. */
struct mxt_attention_head {
	int32_t seq, head_dim;
	bool causal;
	float scale;       /* 1 / sqrt(head_dim) */
	int32_t q_stride;  /* floats between rows of everything but k and v */
	int32_t kv_stride; /* between rows of k and v */
	const float *q, *k, *v, *grad_out;
	float *out, *lse;
	float *grad_q;
	float *grad_k, *grad_v; /* of this head alone: partial sums where heads share k and v */
};

/* `index` counts the heads of all batches: batch * heads + head. */
void mxt_attention_head_init(const struct mxt_attention_call *call, uint32_t index,
			     struct mxt_attention_head *ret_head);

/* Where row `row` begins, in floats. */
static inline size_t mxt_row_at(int32_t row, int32_t stride)
{
	return (size_t)row * (size_t)stride;
}

/* How many elements of row `row` of the scores the mask keeps: the first ones. */
static inline int32_t mxt_attention_kept(const struct mxt_attention_head *head, int32_t row)
{
	return head->causal ? row + 1 : head->seq;
}

/* c[m, n] = beta * c + op(a) op(b) with k products for each element; strides in floats. */
struct mxt_product {
	int32_t m, n, k;
	const float *a;
	int32_t a_stride;
	const float *b;
	int32_t b_stride;
	float beta;
	float *c;
	int32_t c_stride;
};

void mxt_product_nn(const struct mxt_blas *blas, const struct mxt_product *product); /* a b */
void mxt_product_nt(const struct mxt_blas *blas, const struct mxt_product *product); /* a b^T */
void mxt_product_tn(const struct mxt_blas *blas, const struct mxt_product *product); /* a^T b */

/*
 * Turns raw scores q k^T of row `row` into probabilities exp(scale * score - lse); `columns` of them from column
 * `first` on, masked ones become 0.
 */
void mxt_attention_probabilities(const struct mxt_attention_head *head, int32_t row, int32_t first, int32_t columns,
				 float *scores);

/* delta[row] = grad_out[row] . out[row], for all rows. */
void mxt_attention_delta(const struct mxt_attention_head *head, float *delta);

#endif
