/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scaled dot-product attention in plain loops, everything [batch][head][position][dim] in row-major order.
 */
#ifndef MXT_SIM_ATTENTION_H
#define MXT_SIM_ATTENTION_H

#include <stdbool.h>
#include <stdint.h>

/* Where a backend rounds to the operands' type on its way, so that results differ in bits as those of real ones do. */
enum mxt_sim_rounding { MXT_SIM_ROUND_NOTHING, MXT_SIM_ROUND_EXPONENTIALS, MXT_SIM_ROUND_WEIGHTS, MXT_SIM_ROUND_ALL };

struct mxt_sim_attention {
	int64_t batch, heads, kv_heads, queries, keys, dim, value_dim;
	double scale;
	bool causal; /* a query sees the keys up to its own position */
	enum mxt_sim_rounding rounding;
	int32_t dtype;
	const double *mask; /* added to the scores, or NULL; its strides are 0 where it is broadcast */
	int64_t mask_strides[4];
};

struct mxt_sim_attention_operands {
	const double *q, *k, *v, *out, *lse, *grad; /* the last three for the way back */
};

/* out, then the log of the sum of exponentials [batch][head][position]. */
void mxt_sim_attention_forward(const struct mxt_sim_attention *a, const struct mxt_sim_attention_operands *operands,
			       double *out, double *lse);
void mxt_sim_attention_backward(const struct mxt_sim_attention *a, const struct mxt_sim_attention_operands *operands,
				double *grad_q, double *grad_k, double *grad_v);
/* What the keys weigh for each query, [batch][head][query][key]; needs operands->lse. */
void mxt_sim_attention_weights(const struct mxt_sim_attention *a, const struct mxt_sim_attention_operands *operands,
			       double *weights);

#endif
