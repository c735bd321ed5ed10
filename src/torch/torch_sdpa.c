/* SPDX-License-Identifier: Apache-2.0 */
#include "torch_sdpa.h"

#include <errno.h>

#include "error.h"
#include "sdpa_math.h"
#include "torch_call.h"
#include "torch_tensor.h"

static void push_inputs(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs)
{
	mxt_push_tensor(call, inputs->q);
	mxt_push_tensor(call, inputs->k);
	mxt_push_tensor(call, inputs->v);
}

/* Dropout 0, then whether the mask is causal: these two stand together in every schema. */
static void push_mask(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs)
{
	mxt_push_number(call, 0);
	mxt_push_flag(call, inputs->causal);
}

static void push_flash(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs)
{
	push_inputs(call, inputs);
	push_mask(call, inputs);
	mxt_push_flag(call, false); /* no debug mask */
	mxt_push_none(call);        /* the usual scale */
}

static void push_cudnn(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs)
{
	push_inputs(call, inputs);
	mxt_push_none(call);       /* no bias */
	mxt_push_flag(call, true); /* logsumexp: the backward pass needs it */
	push_mask(call, inputs);
	mxt_push_flag(call, false);
	mxt_push_none(call);
}

static void push_efficient(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs)
{
	push_inputs(call, inputs);
	mxt_push_none(call);
	mxt_push_flag(call, true);
	push_mask(call, inputs);
	mxt_push_none(call);
}

static void push_flash_cpu(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs)
{
	push_inputs(call, inputs);
	push_mask(call, inputs);
	mxt_push_none(call); /* no mask tensor */
	mxt_push_none(call);
}

static void push_math(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs)
{
	push_inputs(call, inputs);
	mxt_push_none(call);
	push_mask(call, inputs);
	mxt_push_none(call); /* no dropout mask */
	mxt_push_none(call);
	mxt_push_flag(call, inputs->gqa);
}

static void push_outputs(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs,
			 const struct mxt_sdpa_saved *saved, struct mxt_tensor *grad_out)
{
	mxt_push_tensor(call, grad_out);
	push_inputs(call, inputs);
	mxt_push_tensor(call, saved->out);
	mxt_push_tensor(call, saved->logsumexp);
}

static void push_lengths(struct mxt_torch_call *call, const struct mxt_sdpa_saved *saved)
{
	mxt_push_tensor(call, saved->cum_q);
	mxt_push_tensor(call, saved->cum_k);
	mxt_push_integer(call, saved->max_q);
	mxt_push_integer(call, saved->max_k);
}

static void push_random(struct mxt_torch_call *call, const struct mxt_sdpa_saved *saved)
{
	mxt_push_tensor(call, saved->seed);
	mxt_push_tensor(call, saved->offset);
}

static void push_flash_backward(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs,
				const struct mxt_sdpa_saved *saved, struct mxt_tensor *grad_out)
{
	push_outputs(call, inputs, saved, grad_out);
	push_lengths(call, saved);
	push_mask(call, inputs);
	push_random(call, saved);
	mxt_push_none(call);
}

static void push_cudnn_backward(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs,
				const struct mxt_sdpa_saved *saved, struct mxt_tensor *grad_out)
{
	push_outputs(call, inputs, saved, grad_out);
	push_random(call, saved);
	mxt_push_tensor(call, NULL); /* no bias: here the undefined tensor */
	push_lengths(call, saved);
	push_mask(call, inputs);
	mxt_push_none(call);
}

static void push_flash_cpu_backward(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs,
				    const struct mxt_sdpa_saved *saved, struct mxt_tensor *grad_out)
{
	push_outputs(call, inputs, saved, grad_out);
	push_mask(call, inputs);
	mxt_push_none(call);
	mxt_push_none(call);
}

/* The place of what is kept among a forward operator's results; 0: it has none (the output is always the first). */
struct places {
	size_t n_results, logsumexp, cum_q, cum_k, max_q, max_k, seed, offset;
};

static const struct places places_flash = {9, 1, 2, 3, 4, 5, 6, 7};
static const struct places places_efficient = {.n_results = 4, .logsumexp = 1, .seed = 2, .offset = 3};
static const struct places places_two = {.n_results = 2, .logsumexp = 1};

struct kernel {
	const char *forward, *backward; /* operators; backward NULL: not one of the dispatcher's that C can call */
	const struct places *places;
	void (*push_forward)(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs);
	void (*push_backward)(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs,
			      const struct mxt_sdpa_saved *saved, struct mxt_tensor *grad_out);
};

static const struct kernel on_cuda[MXT_SDPA_KIND_COUNT] = {
    [MXT_SDPA_MATH] = {"aten::_scaled_dot_product_attention_math", NULL, &places_two, push_math, NULL},
    [MXT_SDPA_FLASH] = {"aten::_scaled_dot_product_flash_attention",
			"aten::_scaled_dot_product_flash_attention_backward", &places_flash, push_flash,
			push_flash_backward},
    [MXT_SDPA_EFFICIENT] = {"aten::_scaled_dot_product_efficient_attention", NULL, &places_efficient, push_efficient,
			    NULL},
    [MXT_SDPA_CUDNN] = {"aten::_scaled_dot_product_cudnn_attention",
			"aten::_scaled_dot_product_cudnn_attention_backward", &places_flash, push_cudnn,
			push_cudnn_backward},
};

static const struct kernel on_cpu[MXT_SDPA_KIND_COUNT] = {
    [MXT_SDPA_MATH] = {"aten::_scaled_dot_product_attention_math", NULL, &places_two, push_math, NULL},
    [MXT_SDPA_FLASH] = {"aten::_scaled_dot_product_flash_attention_for_cpu",
			"aten::_scaled_dot_product_flash_attention_for_cpu_backward", &places_two, push_flash_cpu,
			push_flash_cpu_backward},
};

const char *mxt_sdpa_name(enum mxt_sdpa_kind kind)
{
	static const char *const names[MXT_SDPA_KIND_COUNT] = {"math", "flash", "efficient", "cudnn"};
	return names[kind];
}

static const struct kernel *kernel_of(const struct mxt_torch *torch, enum mxt_sdpa_kind kind)
{
	return torch->on_cuda ? &on_cuda[kind] : &on_cpu[kind];
}

static int require_gradients(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs, bool wanted,
			     struct mxt_error *err)
{
	struct mxt_tensor *const tensors[] = {inputs->q, inputs->k, inputs->v};
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < MXT_ARRAY_LEN(tensors); i++) {
		struct mxt_torch_call call;
		mxt_torch_call_init(&call, torch);
		mxt_push_tensor(&call, tensors[i]);
		mxt_push_flag(&call, wanted);
		rc = mxt_torch_call_run(&call, "aten::requires_grad_", "", 1, err);
		mxt_drop_result(&call);
	}
	return rc;
}

static int ask_choice(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs, int64_t *ret_choice,
		      struct mxt_error *err)
{
	struct mxt_torch_call call;
	mxt_torch_call_init(&call, torch);
	push_inputs(&call, inputs);
	mxt_push_none(&call);
	push_mask(&call, inputs);
	mxt_push_none(&call);
	mxt_push_flag(&call, inputs->gqa);
	int rc = mxt_torch_call_run(&call, "aten::_fused_sdp_choice", "", 1, err);
	if (rc == 0)
		*ret_choice = mxt_result_integer(&call, 0);
	return rc;
}

int mxt_sdpa_choose(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs, enum mxt_sdpa_kind *ret_kind,
		    struct mxt_error *err)
{
	int64_t choice = -1;
	int rc = require_gradients(torch, inputs, true, err);
	if (rc == 0)
		rc = ask_choice(torch, inputs, &choice, err);
	if (rc == 0)
		rc = require_gradients(torch, inputs, false, err);
	if (rc < 0)
		return rc;
	if (choice < 0 || choice >= MXT_SDPA_KIND_COUNT || !kernel_of(torch, (enum mxt_sdpa_kind)choice)->forward)
		return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED,
				     "torch %s would take attention kernel %lld, which this program does not know",
				     torch->version.version, (long long)choice);
	*ret_kind = (enum mxt_sdpa_kind)choice;
	return 0;
}

/* Ends the results that nobody keeps; those that are integers must not be taken for tensors. */
static void drop_rest(struct mxt_torch_call *call, const struct places *p)
{
	for (size_t i = 0; i < call->n; i++)
		if (i == 0 || (i != p->max_q && i != p->max_k))
			mxt_tensor_destroy(call->torch, mxt_take_tensor(call, i));
}

static struct mxt_tensor *take(struct mxt_torch_call *call, size_t place)
{
	return place ? mxt_take_tensor(call, place) : NULL;
}

int mxt_sdpa_forward(const struct mxt_torch *torch, enum mxt_sdpa_kind kind, const struct mxt_sdpa_inputs *inputs,
		     struct mxt_sdpa_saved *ret_saved, struct mxt_error *err)
{
	const struct kernel *kernel = kernel_of(torch, kind);
	const struct places *p = kernel->places;
	struct mxt_torch_call call;
	mxt_torch_call_init(&call, torch);
	kernel->push_forward(&call, inputs);
	int rc = mxt_torch_call_run(&call, kernel->forward, "", p->n_results, err);
	if (rc < 0)
		return rc;
	*ret_saved = (struct mxt_sdpa_saved){.out = mxt_take_tensor(&call, 0),
					     .logsumexp = take(&call, p->logsumexp),
					     .cum_q = take(&call, p->cum_q),
					     .cum_k = take(&call, p->cum_k),
					     .seed = take(&call, p->seed),
					     .offset = take(&call, p->offset),
					     .max_q = p->max_q ? mxt_result_integer(&call, p->max_q) : 0,
					     .max_k = p->max_k ? mxt_result_integer(&call, p->max_k) : 0};
	drop_rest(&call, p);
	return 0;
}

/* Its schema has a list, which the dispatcher's C form cannot take everywhere: the generated function does. */
static int efficient_backward(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs,
			      const struct mxt_sdpa_saved *saved, struct mxt_tensor *grad_out,
			      struct mxt_tensor *ret_grads[3], struct mxt_error *err)
{
	static const int32_t wanted[] = {1, 1, 1, 0};
	struct mxt_tensor *no_bias = NULL, *bias_grad = NULL;
	if (torch->call.aoti_torch_new_uninitialized_tensor(&no_bias) != 0)
		return mxt_torch_failed(torch, "an undefined tensor", err);
	int32_t rc = torch->cuda.aoti_torch_cuda__scaled_dot_product_efficient_attention_backward(
	    grad_out, inputs->q, inputs->k, inputs->v, no_bias, saved->out, saved->logsumexp, saved->seed,
	    saved->offset, 0, wanted, MXT_ARRAY_LEN(wanted), inputs->causal, NULL, &ret_grads[0], &ret_grads[1],
	    &ret_grads[2], &bias_grad);
	mxt_tensor_destroy(torch, bias_grad);
	mxt_tensor_destroy(torch, no_bias);
	return rc == 0 ? 0 : mxt_torch_failed(torch, "the efficient attention's backward pass", err);
}

int mxt_sdpa_backward(const struct mxt_torch *torch, enum mxt_sdpa_kind kind, const struct mxt_sdpa_inputs *inputs,
		      const struct mxt_sdpa_saved *saved, struct mxt_tensor *grad_out, struct mxt_tensor *ret_grads[3],
		      struct mxt_error *err)
{
	const struct kernel *kernel = kernel_of(torch, kind);
	if (kind == MXT_SDPA_MATH)
		return mxt_sdpa_math_backward(torch, inputs, saved, grad_out, ret_grads, err);
	if (kind == MXT_SDPA_EFFICIENT)
		return efficient_backward(torch, inputs, saved, grad_out, ret_grads, err);
	struct mxt_torch_call call;
	mxt_torch_call_init(&call, torch);
	kernel->push_backward(&call, inputs, saved, grad_out);
	int rc = mxt_torch_call_run(&call, kernel->backward, "", 3, err);
	for (size_t i = 0; rc == 0 && i < 3; i++)
		ret_grads[i] = mxt_take_tensor(&call, i);
	return rc;
}

void mxt_sdpa_saved_finish(const struct mxt_torch *torch, struct mxt_sdpa_saved *saved)
{
	struct mxt_tensor *const tensors[] = {saved->out,   saved->logsumexp, saved->cum_q,
					      saved->cum_k, saved->seed,      saved->offset};
	for (size_t i = 0; i < MXT_ARRAY_LEN(tensors); i++)
		mxt_tensor_destroy(torch, tensors[i]);
	*saved = (struct mxt_sdpa_saved){.out = NULL};
}
