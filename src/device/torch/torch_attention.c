/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attention as torch would compute it under this process's environment: torch itself says which kernels it would take
 * for these tensors, and exactly these are called.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "attention_distance.h"
#include "error.h"
#include "error_bound.h"
#include "torch_device.h"
#include "torch_sdpa.h"
#include "torch_tensor.h"

/* One set of operands. Backward: what a forward call left, too. */
struct slot {
	struct mxt_sdpa_inputs inputs;
	struct mxt_tensor *grad_out; /* NULL: forward */
	struct mxt_sdpa_saved saved; /* empty: forward */
};

/* Operands are views of the input arena; gradients belong to what forward left, so the slots keep theirs. */
struct attention {
	enum mxt_sdpa_kind kind;
	size_t n_slots, next;
	void *arena_base; /* where the views point */
	struct slot slots[MXT_TORCH_MAX_WINDOWS];
};

static struct mxt_tensor_shape heads_shape(const struct mxt_attention *a, int64_t heads)
{
	int64_t dim = a->head_dim, seq = a->seq; /* stored [batch, seq, heads, dim] */
	return (struct mxt_tensor_shape){4, {a->batch, heads, seq, dim}, {seq * heads * dim, dim, heads * dim, 1}};
}

static size_t tensor_bytes(const struct mxt_attention *a, int64_t heads)
{
	return mxt_torch_part((size_t)(a->batch * heads * a->seq * a->head_dim) * mxt_dtype_bytes(a->dtype));
}

static void slot_finish(const struct mxt_torch *torch, struct slot *slot)
{
	struct mxt_tensor *const made[] = {slot->inputs.q, slot->inputs.k, slot->inputs.v, slot->grad_out};
	for (size_t i = 0; i < MXT_ARRAY_LEN(made); i++)
		mxt_tensor_destroy(torch, made[i]);
	mxt_sdpa_saved_finish(torch, &slot->saved);
	*slot = (struct slot){.grad_out = NULL};
}

static void finish(struct mxt_device *device, struct mxt_task *task)
{
	struct attention *attention = task->own;
	for (size_t i = 0; i < attention->n_slots; i++)
		slot_finish(&device->torch, &attention->slots[i]);
	free(attention);
}

/* Views of one window of the arena: q, k, v, then the gradient of the output. */
static int bind_inputs(const struct mxt_device *device, const struct mxt_attention *a, char *window, struct slot *slot,
		       struct mxt_error *err)
{
	const struct mxt_tensor_shape q = heads_shape(a, a->heads), kv = heads_shape(a, a->kv_heads);
	size_t q_bytes = tensor_bytes(a, a->heads), kv_bytes = tensor_bytes(a, a->kv_heads);
	int32_t dtype = device->torch.dtype[a->dtype];
	slot->inputs.causal = a->causal;
	slot->inputs.gqa = a->heads != a->kv_heads;
	int rc = mxt_tensor_view(&device->torch, window, &q, dtype, &slot->inputs.q, err);
	if (rc == 0)
		rc = mxt_tensor_view(&device->torch, window + q_bytes, &kv, dtype, &slot->inputs.k, err);
	if (rc == 0)
		rc = mxt_tensor_view(&device->torch, window + q_bytes + kv_bytes, &kv, dtype, &slot->inputs.v, err);
	if (rc == 0 && a->direction == MXT_BACKWARD)
		rc = mxt_tensor_view(&device->torch, window + q_bytes + 2 * kv_bytes, &q, dtype, &slot->grad_out, err);
	return rc;
}

/* (Re)makes all slots: at the start, and after another problem made the arena move. */
static int bind(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err)
{
	struct attention *attention = task->own;
	const struct mxt_attention *a = &task->problem.as.attention;
	char *base = device->inputs[a->dtype].base;
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < attention->n_slots; i++) {
		struct slot *slot = &attention->slots[i];
		slot_finish(&device->torch, slot);
		rc = bind_inputs(device, a, base + i * task->input_bytes, slot, err);
		if (rc == 0 && i == 0)
			rc = mxt_sdpa_choose(&device->torch, &slot->inputs, &attention->kind, err);
		if (rc == 0 && a->direction == MXT_BACKWARD)
			rc = mxt_sdpa_forward(&device->torch, attention->kind, &slot->inputs, &slot->saved, err);
	}
	attention->arena_base = rc == 0 ? base : NULL;
	attention->next = 0;
	return rc;
}

static int next_slot(struct mxt_device *device, struct mxt_task *task, struct slot **ret_slot, struct mxt_error *err)
{
	struct attention *attention = task->own;
	if (attention->arena_base != device->inputs[task->problem.as.attention.dtype].base) {
		int rc = bind(device, task, err);
		if (rc < 0)
			return rc;
	}
	*ret_slot = &attention->slots[attention->next];
	attention->next = (attention->next + 1) % attention->n_slots;
	return 0;
}

static int run(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err)
{
	const struct attention *attention = task->own;
	struct slot *slot = NULL;
	int rc = next_slot(device, task, &slot, err);
	if (rc < 0)
		return rc;
	if (!slot->grad_out) {
		struct mxt_sdpa_saved saved = {.out = NULL};
		rc = mxt_sdpa_forward(&device->torch, attention->kind, &slot->inputs, &saved, err);
		mxt_sdpa_saved_finish(&device->torch, &saved);
		return rc;
	}
	struct mxt_tensor *grads[3] = {NULL, NULL, NULL};
	rc =
	    mxt_sdpa_backward(&device->torch, attention->kind, &slot->inputs, &slot->saved, slot->grad_out, grads, err);
	for (size_t i = 0; i < 3; i++)
		mxt_tensor_destroy(&device->torch, grads[i]);
	return rc;
}

static int check_slot(const struct mxt_device *device, const struct mxt_task *task, const struct slot *slot,
		      struct mxt_attention_result *result, double *ret_distance, uint8_t bits[32],
		      struct mxt_error *err)
{
	const struct attention *attention = task->own;
	struct mxt_sdpa_saved saved = {.out = NULL};
	int rc = slot->grad_out ? mxt_sdpa_backward(&device->torch, attention->kind, &slot->inputs, &slot->saved,
						    slot->grad_out, result->outputs, err)
				: mxt_sdpa_forward(&device->torch, attention->kind, &slot->inputs, &saved, err);
	if (!slot->grad_out)
		result->outputs[0] = saved.out;
	if (rc == 0)
		rc = mxt_attention_distance(device, result, ret_distance, bits, err);
	for (size_t i = 0; slot->grad_out && i < 3; i++)
		mxt_tensor_destroy(&device->torch, result->outputs[i]);
	mxt_sdpa_saved_finish(&device->torch, &saved);
	return rc;
}

static int check(struct mxt_device *device, struct mxt_task *task, struct mxt_check *ret_check, struct mxt_error *err)
{
	const struct attention *attention = task->own;
	const struct mxt_attention *shape = &task->problem.as.attention;
	struct slot *slot = NULL;
	double distance = INFINITY;
	int rc = next_slot(device, task, &slot, err);
	if (rc < 0)
		return rc;
	struct mxt_attention_result result = {.shape = shape, .inputs = slot->inputs, .grad_out = slot->grad_out};
	rc = check_slot(device, task, slot, &result, &distance, ret_check->bits, err);
	ret_check->error_ppb = mxt_error_ppb(distance);
	ret_check->bound_ppb = mxt_attention_bound_ppb(shape, !device->torch.on_cuda);
	(void)snprintf(ret_check->backend, sizeof ret_check->backend, "%s", mxt_sdpa_name(attention->kind));
	return rc;
}

int mxt_torch_attention_prepare(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err)
{
	static const struct mxt_torch_task_ops ops = {run, check, finish};
	const struct mxt_attention *a = &task->problem.as.attention;
	bool backward = a->direction == MXT_BACKWARD;
	struct attention *attention = calloc(1, sizeof *attention);
	if (!attention)
		return mxt_error_oom(err);
	task->own = attention;
	task->ops = &ops;
	size_t q = tensor_bytes(a, a->heads), kv = tensor_bytes(a, a->kv_heads);
	task->input_bytes = (backward ? 2 : 1) * q + 2 * kv;
	task->output_bytes = 0; /* torch allocates what attention returns, as in training */
	attention->n_slots = mxt_torch_windows(device, task);
	int rc = mxt_torch_reserve(device, task, a->dtype, err);
	return rc < 0 ? rc : bind(device, task, err);
}
