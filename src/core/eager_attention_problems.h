/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eager attention (transformers 5.24, eager_attention_forward): batched products over micro-batch and heads, keys and
 * values repeated for all heads; the scores get scaled, masked, and a softmax in float32.
 *
 *   forward    q k^T [S,S];  p v [S,D]
 *   backward   dp = do v^T;  dv = p^T do;  dq = ds k;  dk^T = q^T ds
 *
 * Repeated keys are stored [S,D]. Where there is nothing to repeat, torch.matmul copies k^T instead, which is then
 * stored [D,S].
 */
#ifndef MXT_CORE_EAGER_ATTENTION_PROBLEMS_H
#define MXT_CORE_EAGER_ATTENTION_PROBLEMS_H

#include "problem_builder.h"

/* Which of q, k, v need a gradient: in the first layer of a frozen model only what carries an adapter. */
struct mxt_eager_gradients {
	bool q, k, v;
};

/* Of `layers` layers, and in the layer's order the job's own shape. */
void mxt_eager_forward(struct mxt_problem_builder *b, uint32_t layers);
void mxt_eager_backward(struct mxt_problem_builder *b, struct mxt_eager_gradients gradients, uint32_t layers);

#endif
