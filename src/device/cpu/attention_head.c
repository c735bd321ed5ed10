/* SPDX-License-Identifier: Apache-2.0 */
#include "attention_head.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "vector_math.h"

/* Where a head's rows begin in a tensor [batch, seq, heads, head_dim], in floats. */
static size_t head_at(const struct mxt_attention *shape, int32_t heads, size_t batch, size_t head)
{
	return (batch * (size_t)shape->seq * (size_t)heads + head) * (size_t)shape->head_dim;
}

static const float *input(const float *tensor, size_t at)
{
	return tensor ? tensor + at : NULL;
}

static float *output(float *tensor, size_t at)
{
	return tensor ? tensor + at : NULL;
}

void mxt_attention_head_init(const struct mxt_attention_call *call, uint32_t index, struct mxt_attention_head *ret_head)
{
	const struct mxt_attention *shape = &call->shape;
	bool shared = shape->heads != shape->kv_heads;
	size_t heads = (size_t)shape->heads, group = heads / (size_t)shape->kv_heads;
	size_t q_at = head_at(shape, shape->heads, index / heads, index % heads);
	size_t kv_at = head_at(shape, shape->kv_heads, index / heads, index % heads / group);
	*ret_head = (struct mxt_attention_head){
	    .seq = shape->seq,
	    .head_dim = shape->head_dim,
	    .causal = shape->causal,
	    .scale = 1.0F / sqrtf((float)shape->head_dim),
	    .q_stride = shape->heads * shape->head_dim,
	    .kv_stride = shape->kv_heads * shape->head_dim,
	    .q = input(call->q, q_at),
	    .k = input(call->k, kv_at),
	    .v = input(call->v, kv_at),
	    .grad_out = input(call->grad_out, q_at),
	    .out = output(call->out, q_at),
	    .lse = output(call->lse, (size_t)index * (size_t)shape->seq),
	    .grad_q = output(call->grad_q, q_at),
	    .grad_k = output(shared ? call->partial_k : call->grad_k, q_at),
	    .grad_v = output(shared ? call->partial_v : call->grad_v, q_at),
	};
}

static void multiply(const struct mxt_blas *blas, enum mxt_cblas_transpose trans_a, enum mxt_cblas_transpose trans_b,
		     const struct mxt_product *p)
{
	blas->call.cblas_sgemm(MXT_CBLAS_ROW_MAJOR, trans_a, trans_b, p->m, p->n, p->k, 1.0F, p->a, p->a_stride, p->b,
			       p->b_stride, p->beta, p->c, p->c_stride);
}

void mxt_product_nn(const struct mxt_blas *blas, const struct mxt_product *product)
{
	multiply(blas, MXT_CBLAS_NO_TRANS, MXT_CBLAS_NO_TRANS, product);
}

void mxt_product_nt(const struct mxt_blas *blas, const struct mxt_product *product)
{
	multiply(blas, MXT_CBLAS_NO_TRANS, MXT_CBLAS_TRANS, product);
}

void mxt_product_tn(const struct mxt_blas *blas, const struct mxt_product *product)
{
	multiply(blas, MXT_CBLAS_TRANS, MXT_CBLAS_NO_TRANS, product);
}

void mxt_attention_probabilities(const struct mxt_attention_head *head, int32_t row, int32_t first, int32_t columns,
				 float *scores)
{
	int32_t kept = mxt_attention_kept(head, row) - first;
	kept = kept < 0 ? 0 : kept < columns ? kept : columns;
	(void)mxt_row_exp(scores, (size_t)kept, head->scale, head->lse[row]);
	memset(scores + kept, 0, (size_t)(columns - kept) * sizeof *scores);
}

void mxt_attention_delta(const struct mxt_attention_head *head, float *delta)
{
	for (int32_t row = 0; row < head->seq; row++) {
		size_t at = mxt_row_at(row, head->q_stride);
		delta[row] = mxt_row_dot(head->grad_out + at, head->out + at, (size_t)head->head_dim);
	}
}
