/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scaled dot-product attention through the very operators that torch's F.scaled_dot_product_attention() ends in, and
 * through those that autograd calls for its gradients.
 *
 * q is [batch, heads, seq, head_dim], k and v [batch, kv_heads, seq, head_dim], with any strides; dropout 0, scale
 * 1/sqrt(head_dim).
 * Source: aten/src/ATen/native/native_functions.yaml, sdp_utils_cpp.h (SDPBackend).
 */
#ifndef MXT_TORCH_TORCH_SDPA_H
#define MXT_TORCH_TORCH_SDPA_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "torch_library.h"

struct mxt_error;

/* The numbers are torch's: what _fused_sdp_choice() returns. */
enum mxt_sdpa_kind { MXT_SDPA_MATH, MXT_SDPA_FLASH, MXT_SDPA_EFFICIENT, MXT_SDPA_CUDNN, MXT_SDPA_KIND_COUNT };

const char *mxt_sdpa_name(enum mxt_sdpa_kind kind); /* "math", "flash", "efficient", "cudnn" */

struct mxt_sdpa_inputs {
	struct mxt_tensor *q, *k, *v; /* borrowed */
	bool causal;
	bool gqa; /* fewer KV heads than query heads */
	/*
	 * NULL: no mask tensor. Else what is added to the scores, [batch or 1, 1, seq, seq] in the dtype of q: a
	 * boolean mask reaches kernels like this. Borrowed; not together with `causal`.
	 */
	struct mxt_tensor *bias;
};

/* What a forward call returns, and what the backward call of the same kind needs. Owned; zeroed is empty. */
struct mxt_sdpa_saved {
	struct mxt_tensor *out, *logsumexp; /* math: the attention weights instead of the logsumexp */
	struct mxt_tensor *cum_q, *cum_k, *seed, *offset;
	int64_t max_q, max_k;
};

/*
 * Which kind torch would take for tensors that require gradients. MXT_E_PROBLEM_UNSUPPORTED (-ENOTSUP) when it is none
 * of the above.
 */
int mxt_sdpa_choose(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs, enum mxt_sdpa_kind *ret_kind,
		    struct mxt_error *err) MXT_WUR;

/* Rows of a bias begin so many elements apart, or a multiple of it, for `efficient`: torch pads those that do not. */
#define MXT_SDPA_BIAS_ALIGNMENT 8

/* -ENOTSUP (MXT_E_PROBLEM_UNSUPPORTED) for flash attention with a bias on CUDA: its kernel takes none. */
int mxt_sdpa_forward(const struct mxt_torch *torch, enum mxt_sdpa_kind kind, const struct mxt_sdpa_inputs *inputs,
		     struct mxt_sdpa_saved *ret_saved, struct mxt_error *err) MXT_WUR;

/* ret_grads: of q, k and v, shaped as these; owned by the caller. */
int mxt_sdpa_backward(const struct mxt_torch *torch, enum mxt_sdpa_kind kind, const struct mxt_sdpa_inputs *inputs,
		      const struct mxt_sdpa_saved *saved, struct mxt_tensor *grad_out, struct mxt_tensor *ret_grads[3],
		      struct mxt_error *err) MXT_WUR;

void mxt_sdpa_saved_finish(const struct mxt_torch *torch, struct mxt_sdpa_saved *saved);

#endif
