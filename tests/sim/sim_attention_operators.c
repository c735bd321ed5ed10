/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Torch's attention operators. Schemas: aten/src/ATen/native/native_functions.yaml.
 */
#include <stdlib.h>
#include <string.h>

#include "sim_call.h"
#include "sim_number.h"
#include "sim_runtime.h"
#include "sim_sdpa.h"
#include "sim_torch.h"
#include "torch_context.h"

/* Which argument is what; -1: the operator has none. */
struct places {
	int grad, q, k, v, out, lse, mask, dropout, causal, scale, keeps_lse;
};

static struct mxt_sim_tensor *tensor_at(const struct mxt_sim_call *call, int at)
{
	return at < 0 ? NULL : call->args[at].tensor;
}

static struct mxt_sim_sdpa unpack(const struct mxt_sim_call *call, const struct mxt_sim_sdpa_backend *backend,
				  const struct places *at)
{
	return (struct mxt_sim_sdpa){.backend = backend,
				     .q = tensor_at(call, at->q),
				     .k = tensor_at(call, at->k),
				     .v = tensor_at(call, at->v),
				     .mask = tensor_at(call, at->mask),
				     .grad = tensor_at(call, at->grad),
				     .out = tensor_at(call, at->out),
				     .lse = tensor_at(call, at->lse),
				     .dropout = call->args[at->dropout].number,
				     .causal = call->args[at->causal].integer != 0,
				     .has_scale = call->args[at->scale].present,
				     .scale = call->args[at->scale].number};
}

/* A backend that this torch was built without. */
static int check_built(const struct mxt_sim_sdpa_backend *backend)
{
	if (mxt_sim_scenario()->has[backend->backend])
		return 0;
	return mxt_sim_raise("%s: Torch was not compiled with it", backend->sites[MXT_SIM_FORWARD]);
}

/* Random state that nobody uses without dropout: `count` integers, or one without dimension. */
static int return_state(struct mxt_sim_call *call, int64_t ndim, int64_t count)
{
	struct mxt_sim_tensor *state;
	if (mxt_sim_tensor_new(ndim, &count, NULL, MXT_SIM_INT64, call->args[0].tensor->place, &state))
		return 1;
	mxt_sim_return(call, state);
	return 0;
}

/* What a caller gets that will not go backward: a logsumexp without rows. */
static int without_lse(const struct mxt_sim_sdpa *sdpa, struct mxt_sim_tensor **lse)
{
	const int64_t sizes[] = {sdpa->q->sizes[0], sdpa->q->sizes[1], 0};
	mxt_sim_tensor_unref(*lse);
	return mxt_sim_tensor_new(3, sizes, NULL, MXT_SIM_FLOAT32, sdpa->q->place, lse);
}

static int forward(struct mxt_sim_call *call, const struct mxt_sim_sdpa_backend *backend, const struct places *at)
{
	struct mxt_sim_tensor *out, *lse;
	struct mxt_sim_sdpa sdpa = unpack(call, backend, at);
	if (check_built(backend) || mxt_sim_sdpa_forward(&sdpa, &out, &lse, NULL))
		return 1;
	mxt_sim_return(call, out);
	if (at->keeps_lse >= 0 && call->args[at->keeps_lse].integer == 0 && without_lse(&sdpa, &lse))
		return 1;
	mxt_sim_return(call, lse);
	return 0;
}

/* cum_seq_q, cum_seq_k, max_q, max_k of a batch of equal lengths. */
static void return_lengths(struct mxt_sim_call *call)
{
	mxt_sim_return(call, NULL);
	mxt_sim_return(call, NULL);
	mxt_sim_return_integer(call, call->args[0].tensor->sizes[2]);
	mxt_sim_return_integer(call, call->args[1].tensor->sizes[2]);
}

/* query, key, value, dropout_p, is_causal, return_debug_mask, scale */
static int flash_forward(struct mxt_sim_call *call)
{
	static const struct places at = {-1, 0, 1, 2, -1, -1, -1, 3, 4, 6, -1};
	if (forward(call, mxt_sim_context_flash(), &at))
		return 1;
	return_lengths(call);
	if (return_state(call, 1, 2) || return_state(call, 0, 1))
		return 1;
	return return_state(call, 1, 0); /* debug_attn_mask */
}

/* query, key, value, attn_bias, compute_log_sumexp, dropout_p, is_causal, return_debug_mask, scale */
static int cudnn_forward(struct mxt_sim_call *call)
{
	static const struct places at = {-1, 0, 1, 2, -1, -1, 3, 5, 6, 8, 4};
	if (forward(call, &mxt_sim_sdpa_cudnn, &at))
		return 1;
	return_lengths(call);
	for (int i = 0; i < 2; i++)
		if (return_state(call, 0, 1))
			return 1;
	mxt_sim_return(call, NULL); /* debug_attn_mask */
	return 0;
}

/* A bias of all heads, whose rows begin at multiples of 8 elements. */
static int check_bias(const struct mxt_sim_tensor *query, const struct mxt_sim_tensor *bias)
{
	if (!bias)
		return 0;
	if (bias->ndim != 4 || bias->sizes[0] != query->sizes[0] || bias->sizes[1] != query->sizes[1])
		return mxt_sim_raise("attn_bias must be expanded over batch and heads");
	return bias->strides[2] % 8 == 0 ? 0 : mxt_sim_raise("attn_bias is not correctly aligned");
}

/* query, key, value, attn_bias, compute_log_sumexp, dropout_p, is_causal, scale */
static int efficient_forward(struct mxt_sim_call *call)
{
	static const struct places at = {-1, 0, 1, 2, -1, -1, 3, 5, 6, 7, 4};
	if (check_bias(call->args[0].tensor, call->args[3].tensor))
		return 1;
	if (forward(call, &mxt_sim_sdpa_efficient, &at) || return_state(call, 0, 1))
		return 1;
	return return_state(call, 0, 1);
}

/* query, key, value, dropout_p, is_causal, attn_mask, scale */
static int cpu_forward(struct mxt_sim_call *call)
{
	static const struct places at = {-1, 0, 1, 2, -1, -1, 5, 3, 4, 6, -1};
	return forward(call, &mxt_sim_sdpa_cpu, &at);
}

/* query, key, value, attn_mask, dropout_p, is_causal, dropout_mask, scale, enable_gqa */
static int math_forward(struct mxt_sim_call *call)
{
	static const struct places at = {-1, 0, 1, 2, -1, -1, 3, 4, 5, 7, -1};
	struct mxt_sim_sdpa sdpa = unpack(call, &mxt_sim_sdpa_math, &at);
	struct mxt_sim_tensor *out, *lse, *weights;
	if (!mxt_sim_sdpa_check(&sdpa, true))
		return 1;
	if (sdpa.q->sizes[1] != sdpa.k->sizes[1] && call->args[8].integer == 0)
		return mxt_sim_raise("The size of tensor a (%lld) must match the size of tensor b (%lld) at "
				     "non-singleton dimension 1",
				     (long long)sdpa.q->sizes[1], (long long)sdpa.k->sizes[1]);
	if (mxt_sim_sdpa_forward(&sdpa, &out, &lse, &weights))
		return 1;
	mxt_sim_tensor_unref(lse);
	mxt_sim_return(call, out);
	mxt_sim_return(call, weights);
	return 0;
}

static int backward(struct mxt_sim_call *call, const struct mxt_sim_sdpa_backend *backend, const struct places *at)
{
	struct mxt_sim_tensor *grads[3];
	struct mxt_sim_sdpa sdpa = unpack(call, backend, at);
	if (check_built(backend) || mxt_sim_sdpa_backward(&sdpa, grads))
		return 1;
	for (int i = 0; i < 3; i++)
		mxt_sim_return(call, grads[i]);
	return 0;
}

/*
 * grad_out, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, philox_seed,
 * philox_offset, scale
 */
static int flash_backward(struct mxt_sim_call *call)
{
	static const struct places at = {0, 1, 2, 3, 4, 5, -1, 10, 11, 14, -1};
	return backward(call, mxt_sim_context_flash(), &at);
}

/*
 * grad_out, query, key, value, out, logsumexp, philox_seed, philox_offset, attn_bias, cum_seq_q, cum_seq_k, max_q,
 * max_k, dropout_p, is_causal, scale
 */
static int cudnn_backward(struct mxt_sim_call *call)
{
	static const struct places at = {0, 1, 2, 3, 4, 5, 8, 13, 14, 15, -1};
	const struct mxt_sim_tensor *q = call->args[1].tensor, *k = call->args[2].tensor;
	if (q && k && (call->args[11].integer != q->sizes[2] || call->args[12].integer != k->sizes[2]))
		return mxt_sim_raise("cuDNN attention backward: max_q and max_k are not the lengths");
	return backward(call, &mxt_sim_sdpa_cudnn, &at);
}

/* grad_out, query, key, value, out, logsumexp, dropout_p, is_causal, attn_mask, scale */
static int cpu_backward(struct mxt_sim_call *call)
{
	static const struct places at = {0, 1, 2, 3, 4, 5, 8, 6, 7, 9, -1};
	return backward(call, &mxt_sim_sdpa_cpu, &at);
}

static bool switched_on(const char *variable)
{
	const char *value = getenv(variable);
	return value && strcmp(value, "1") == 0;
}

/* What a backend takes on the device of the tensors: torch asks the same questions. */
static bool takes(struct mxt_sim_sdpa *sdpa, const struct mxt_sim_sdpa_backend *backend)
{
	sdpa->backend = backend;
	if (!mxt_sim_scenario()->has[backend->backend] || (sdpa->mask && backend == mxt_sim_context_flash()))
		return false;
	return mxt_sim_sdpa_check(sdpa, false);
}

/* query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa */
static int choice(struct mxt_sim_call *call)
{
	static const struct places at = {-1, 0, 1, 2, -1, -1, 3, 4, 5, 6, -1};
	struct mxt_sim_sdpa sdpa = unpack(call, &mxt_sim_sdpa_math, &at);
	enum mxt_sim_backend chosen = MXT_SIM_MATH;
	if (!mxt_sim_sdpa_check(&sdpa, true))
		return 1;
	bool host = sdpa.q->place == MXT_SIM_CPU;
	if (!host && !mxt_sim_is_deterministic() && !switched_on("TORCH_CUDNN_SDPA_DEPRIORITIZED") &&
	    takes(&sdpa, &mxt_sim_sdpa_cudnn))
		chosen = MXT_SIM_CUDNN;
	else if (host || takes(&sdpa, mxt_sim_context_flash()))
		chosen = MXT_SIM_FLASH;
	else if (takes(&sdpa, &mxt_sim_sdpa_efficient))
		chosen = MXT_SIM_EFFICIENT;
	mxt_sim_return_integer(call, (int64_t)chosen);
	return 0;
}

const struct mxt_sim_operator mxt_sim_attention_operators[] = {
    {"aten::_fused_sdp_choice", "", "TTTOfbFb", MXT_SIM_ANY, choice},
    {"aten::_scaled_dot_product_attention_math", "", "TTTOfbOFb", MXT_SIM_ANY, math_forward},
    {"aten::_scaled_dot_product_flash_attention", "", "TTTfbbF", MXT_SIM_CUDA, flash_forward},
    {"aten::_scaled_dot_product_flash_attention_backward", "", "TTTTTTTTiifbTTF", MXT_SIM_CUDA, flash_backward},
    {"aten::_scaled_dot_product_cudnn_attention", "", "TTTObfbbF", MXT_SIM_CUDA, cudnn_forward},
    {"aten::_scaled_dot_product_cudnn_attention_backward", "", "TTTTTTTTTTTiifbF", MXT_SIM_CUDA, cudnn_backward},
    {"aten::_scaled_dot_product_efficient_attention", "", "TTTObfbF", MXT_SIM_CUDA, efficient_forward},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", "", "TTTfbOF", MXT_SIM_CPU, cpu_forward},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", "", "TTTTTTfbOF", MXT_SIM_CPU, cpu_backward},
    {NULL, NULL, NULL, 0, NULL},
};
