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

/* With a bias over all heads. */
static void push_efficient(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs)
{
	push_inputs(call, inputs);
	mxt_push_optional(call, inputs->bias);
	mxt_push_flag(call, true);
	push_mask(call, inputs);
	mxt_push_none(call);
}

static void push_flash_cpu(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs)
{
	push_inputs(call, inputs);
	push_mask(call, inputs);
	mxt_push_optional(call, inputs->bias);
	mxt_push_none(call);
}

static void push_math(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs)
{
	push_inputs(call, inputs);
	mxt_push_optional(call, inputs->bias);
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

static void push_flash_cpu_backward(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs,
				    const struct mxt_sdpa_saved *saved, struct mxt_tensor *grad_out)
{
	push_outputs(call, inputs, saved, grad_out);
	push_mask(call, inputs);
	mxt_push_optional(call, inputs->bias);
	mxt_push_none(call);
}

/*
 * An attention kernel that is called by name. Forward, its output is result 0 and its logsumexp result 1; efficient
 * attention has two more, of its random numbers.
 */
struct operator_row {
	const char *forward;
	size_t n_results;
	const char *backward;
	void (*push_forward)(struct mxt_torch_call *call, const struct mxt_sdpa_inputs *inputs);
};

static const struct operator_row math_operator = {"aten::_scaled_dot_product_attention_math", 2, NULL, push_math};
static const struct operator_row efficient_operator = {"aten::_scaled_dot_product_efficient_attention", 4, NULL,
						       push_efficient};
static const struct operator_row cpu_flash_operator = {"aten::_scaled_dot_product_flash_attention_for_cpu", 2,
						       "aten::_scaled_dot_product_flash_attention_for_cpu_backward",
						       push_flash_cpu};

static int operator_forward(const struct mxt_torch *torch, const struct operator_row *row,
			    const struct mxt_sdpa_inputs *inputs, struct mxt_sdpa_saved *ret_saved,
			    struct mxt_error *err)
{
	struct mxt_torch_call call;
	mxt_torch_call_init(&call, torch);
	row->push_forward(&call, inputs);
	int rc = mxt_torch_call_run(&call, row->forward, "", row->n_results, err);
	if (rc == 0)
		*ret_saved = (struct mxt_sdpa_saved){.out = mxt_take_tensor(&call, 0),
						     .logsumexp = mxt_take_tensor(&call, 1),
						     .seed = mxt_take_tensor(&call, 2),
						     .offset = mxt_take_tensor(&call, 3)};
	return rc;
}

static int math_forward(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs,
			struct mxt_sdpa_saved *ret_saved, struct mxt_error *err)
{
	return operator_forward(torch, &math_operator, inputs, ret_saved, err);
}

/* A handle of the undefined tensor, which the backward operators take for "none". */
static int undefined(const struct mxt_torch *torch, struct mxt_tensor **ret_tensor, struct mxt_error *err)
{
	int32_t rc = torch->call.aoti_torch_new_uninitialized_tensor(ret_tensor);
	return rc == 0 ? 0 : mxt_torch_failed(torch, "an undefined tensor", err);
}

/* The bias as efficient attention takes it: a view over all heads. Undefined where there is none. */
static int spread_bias(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs,
		       struct mxt_tensor **ret_view, struct mxt_error *err)
{
	struct mxt_tensor_facts bias, q;
	if (!inputs->bias)
		return undefined(torch, ret_view, err);
	int rc = mxt_tensor_look(torch, inputs->bias, 4, &bias, err);
	if (rc == 0)
		rc = mxt_tensor_look(torch, inputs->q, 4, &q, err);
	if (rc != 0)
		return rc;
	for (int i = 0; i < 2; i++)
		if (bias.shape.sizes[i] != q.shape.sizes[i]) { /* 1: the same for all */
			bias.shape.sizes[i] = q.shape.sizes[i];
			bias.shape.strides[i] = 0;
		}
	return mxt_tensor_view(torch, bias.data, &bias.shape, bias.dtype, ret_view, err);
}

static int efficient_forward(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs,
			     struct mxt_sdpa_saved *ret_saved, struct mxt_error *err)
{
	struct mxt_sdpa_inputs spread = *inputs;
	int rc = inputs->bias ? spread_bias(torch, inputs, &spread.bias, err) : 0;
	if (rc < 0)
		return rc;
	rc = operator_forward(torch, &efficient_operator, &spread, ret_saved, err);
	mxt_tensor_destroy(torch, spread.bias);
	return rc;
}

static int cpu_flash_forward(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs,
			     struct mxt_sdpa_saved *ret_saved, struct mxt_error *err)
{
	return operator_forward(torch, &cpu_flash_operator, inputs, ret_saved, err);
}

static int cpu_flash_backward(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs,
			      const struct mxt_sdpa_saved *saved, struct mxt_tensor *grad_out,
			      struct mxt_tensor *ret_grads[3], struct mxt_error *err)
{
	struct mxt_torch_call call;
	mxt_torch_call_init(&call, torch);
	push_flash_cpu_backward(&call, inputs, saved, grad_out);
	int rc = mxt_torch_call_run(&call, cpu_flash_operator.backward, "", 3, err);
	for (size_t i = 0; rc == 0 && i < 3; i++)
		ret_grads[i] = mxt_take_tensor(&call, i);
	return rc;
}

/*
 * On CUDA through the generated functions: some versions of the dispatcher's C form (seen in 2.11) mix up results when
 * tensors and integers stand among them.
 */
static int flash_forward(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs,
			 struct mxt_sdpa_saved *ret_saved, struct mxt_error *err)
{
	struct mxt_sdpa_saved s = {.out = NULL};
	struct mxt_tensor *debug = NULL;
	if (inputs->bias)
		return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED,
				     "torch's flash attention takes no mask tensor");
	int32_t rc = torch->gpu.aoti_torch_cuda__scaled_dot_product_flash_attention(
	    inputs->q, inputs->k, inputs->v, 0, inputs->causal, false, NULL, &s.out, &s.logsumexp, &s.cum_q, &s.cum_k,
	    &s.max_q, &s.max_k, &s.seed, &s.offset, &debug);
	mxt_tensor_destroy(torch, debug);
	if (rc != 0)
		return mxt_torch_failed(torch, "flash attention", err);
	*ret_saved = s;
	return 0;
}

static int flash_backward(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs,
			  const struct mxt_sdpa_saved *s, struct mxt_tensor *grad_out, struct mxt_tensor *ret_grads[3],
			  struct mxt_error *err)
{
	int32_t rc = torch->gpu.aoti_torch_cuda__scaled_dot_product_flash_attention_backward(
	    grad_out, inputs->q, inputs->k, inputs->v, s->out, s->logsumexp, s->cum_q, s->cum_k, s->max_q, s->max_k, 0,
	    inputs->causal, s->seed, s->offset, NULL, &ret_grads[0], &ret_grads[1], &ret_grads[2]);
	return rc == 0 ? 0 : mxt_torch_failed(torch, "flash attention's backward pass", err);
}

static int cudnn_forward(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs,
			 struct mxt_sdpa_saved *ret_saved, struct mxt_error *err)
{
	struct mxt_sdpa_saved s = {.out = NULL};
	struct mxt_tensor *debug = NULL, *bias = inputs->bias;
	int32_t rc = torch->gpu.aoti_torch_cuda__scaled_dot_product_cudnn_attention(
	    inputs->q, inputs->k, inputs->v, bias ? &bias : NULL, true, 0, inputs->causal, false, NULL, &s.out,
	    &s.logsumexp, &s.cum_q, &s.cum_k, &s.max_q, &s.max_k, &s.seed, &s.offset, &debug);
	mxt_tensor_destroy(torch, debug);
	if (rc != 0)
		return mxt_torch_failed(torch, "cuDNN's attention", err);
	*ret_saved = s;
	return 0;
}

static int cudnn_backward(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs,
			  const struct mxt_sdpa_saved *s, struct mxt_tensor *grad_out, struct mxt_tensor *ret_grads[3],
			  struct mxt_error *err)
{
	struct mxt_tensor *none = NULL;
	int made = inputs->bias ? 0 : undefined(torch, &none, err);
	if (made < 0)
		return made;
	struct mxt_tensor *bias = inputs->bias ? inputs->bias : none;
	int32_t rc = torch->gpu.aoti_torch_cuda__scaled_dot_product_cudnn_attention_backward(
	    grad_out, inputs->q, inputs->k, inputs->v, s->out, s->logsumexp, s->seed, s->offset, bias, s->cum_q,
	    s->cum_k, s->max_q, s->max_k, 0, inputs->causal, NULL, &ret_grads[0], &ret_grads[1], &ret_grads[2]);
	mxt_tensor_destroy(torch, none);
	return rc == 0 ? 0 : mxt_torch_failed(torch, "cuDNN's attention's backward pass", err);
}

static int efficient_backward(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs,
			      const struct mxt_sdpa_saved *s, struct mxt_tensor *grad_out,
			      struct mxt_tensor *ret_grads[3], struct mxt_error *err)
{
	static const int32_t wanted[] = {1, 1, 1, 0};
	struct mxt_tensor *bias = NULL, *bias_grad = NULL;
	int made = spread_bias(torch, inputs, &bias, err);
	if (made < 0)
		return made;
	int32_t rc = torch->gpu.aoti_torch_cuda__scaled_dot_product_efficient_attention_backward(
	    grad_out, inputs->q, inputs->k, inputs->v, bias, s->out, s->logsumexp, s->seed, s->offset, 0, wanted,
	    MXT_ARRAY_LEN(wanted), inputs->causal, NULL, &ret_grads[0], &ret_grads[1], &ret_grads[2], &bias_grad);
	mxt_tensor_destroy(torch, bias_grad);
	mxt_tensor_destroy(torch, bias);
	return rc == 0 ? 0 : mxt_torch_failed(torch, "efficient attention's backward pass", err);
}

struct kernel {
	int (*forward)(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs,
		       struct mxt_sdpa_saved *ret_saved, struct mxt_error *err);
	int (*backward)(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs,
			const struct mxt_sdpa_saved *saved, struct mxt_tensor *grad_out,
			struct mxt_tensor *ret_grads[3], struct mxt_error *err);
};

static const struct kernel on_gpu[MXT_SDPA_KIND_COUNT] = {
    [MXT_SDPA_MATH] = {math_forward, mxt_sdpa_math_backward},
    [MXT_SDPA_FLASH] = {flash_forward, flash_backward},
    [MXT_SDPA_EFFICIENT] = {efficient_forward, efficient_backward},
    [MXT_SDPA_CUDNN] = {cudnn_forward, cudnn_backward},
};

static const struct kernel on_cpu[MXT_SDPA_KIND_COUNT] = {
    [MXT_SDPA_MATH] = {math_forward, mxt_sdpa_math_backward},
    [MXT_SDPA_FLASH] = {cpu_flash_forward, cpu_flash_backward},
};

const char *mxt_sdpa_name(enum mxt_sdpa_kind kind)
{
	static const char *const names[MXT_SDPA_KIND_COUNT] = {"math", "flash", "efficient", "cudnn"};
	return names[kind];
}

static const struct kernel *kernel_of(const struct mxt_torch *torch, enum mxt_sdpa_kind kind)
{
	return torch->on_gpu ? &on_gpu[kind] : &on_cpu[kind];
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
	mxt_push_optional(&call, inputs->bias);
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

int mxt_sdpa_forward(const struct mxt_torch *torch, enum mxt_sdpa_kind kind, const struct mxt_sdpa_inputs *inputs,
		     struct mxt_sdpa_saved *ret_saved, struct mxt_error *err)
{
	return kernel_of(torch, kind)->forward(torch, inputs, ret_saved, err);
}

int mxt_sdpa_backward(const struct mxt_torch *torch, enum mxt_sdpa_kind kind, const struct mxt_sdpa_inputs *inputs,
		      const struct mxt_sdpa_saved *saved, struct mxt_tensor *grad_out, struct mxt_tensor *ret_grads[3],
		      struct mxt_error *err)
{
	return kernel_of(torch, kind)->backward(torch, inputs, saved, grad_out, ret_grads, err);
}

void mxt_sdpa_saved_finish(const struct mxt_torch *torch, struct mxt_sdpa_saved *saved)
{
	struct mxt_tensor *const tensors[] = {saved->out,   saved->logsumexp, saved->cum_q,
					      saved->cum_k, saved->seed,      saved->offset};
	for (size_t i = 0; i < MXT_ARRAY_LEN(tensors); i++)
		mxt_tensor_destroy(torch, tensors[i]);
	*saved = (struct mxt_sdpa_saved){.out = NULL};
}
