/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gradients of torch's `math` attention, by the products and the softmax gradient that autograd runs for it. There
 * is no single operator for them.
 */
#ifndef MXT_TORCH_SDPA_MATH_H
#define MXT_TORCH_SDPA_MATH_H

#include "compiler.h"
#include "torch_sdpa.h"

/* As mxt_sdpa_backward(): saved->logsumexp holds the weights, [batch, heads, seq, seq], in whose dtype all is done. */
int mxt_sdpa_math_backward(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs,
			   const struct mxt_sdpa_saved *saved, struct mxt_tensor *grad_out,
			   struct mxt_tensor *ret_grads[3], struct mxt_error *err) MXT_WUR;

#endif
