/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attention as torch would compute it under this process's environment: torch itself says which kernels it would take
 * for these tensors, and exactly these are called.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "attention_distance.h"
#include "attention_mask.h"
#include "error.h"
#include "error_bound.h"
#include "torch_device.h"
#include "torch_sdpa.h"
#include "torch_settings.h"
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
	struct mxt_tensor *mask; /* owned, of all slots; NULL: the problem has none */
	size_t n_slots, next;
	bool bound;
	uint32_t arena_moves; /* of the arena when the slots were bound */
	struct slot slots[MXT_TORCH_MAX_SLOTS];
};

static struct mxt_tensor_shape heads_shape(const struct mxt_attention *a, int64_t heads)
{
	int64_t dim = a->head_dim, seq = a->seq; /* stored [batch, seq, heads, dim] */
	return (struct mxt_tensor_shape){4, {a->batch, heads, seq, dim}, {seq * heads * dim, dim, heads * dim, 1}};
}

/* Copies for every query head are dense, head by head. */
static struct mxt_tensor_shape keys_shape(const struct mxt_attention *a)
{
	const int64_t sizes[] = {a->batch, a->kv_heads, a->seq, a->head_dim};
	return a->repeated ? mxt_tensor_dense(MXT_ARRAY_LEN(sizes), sizes) : heads_shape(a, a->kv_heads);
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
	mxt_tensor_destroy(&device->torch, attention->mask);
	free(attention);
}

/* Views of one window of the arena: q, k, v, then the gradient of the output. */
static int bind_inputs(const struct mxt_device *device, const struct mxt_attention *a, char *window,
		       struct mxt_tensor *mask, struct slot *slot, struct mxt_error *err)
{
	const struct mxt_tensor_shape q = heads_shape(a, a->heads), kv = keys_shape(a);
	size_t q_bytes = tensor_bytes(a, a->heads), kv_bytes = tensor_bytes(a, a->kv_heads);
	int32_t dtype = device->torch.dtype[a->dtype];
	slot->inputs.bias = mask;
	slot->inputs.causal = a->causal && !mask; /* torch takes one of them */
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

/* A mask whose rows begin `row` elements apart, instead of any other. */
static int make_mask(const struct mxt_device *device, const struct mxt_attention *a, int64_t row,
		     struct attention *attention, struct mxt_error *err)
{
	mxt_tensor_destroy(&device->torch, attention->mask);
	attention->mask = NULL;
	return mxt_attention_mask_create(device, a, row, &attention->mask, err);
}

/* Efficient attention gets its mask padded: in a job by torch's front, which is not called here. */
static int choose(const struct mxt_device *device, const struct mxt_attention *a, struct attention *attention,
		  struct slot *slot, struct mxt_error *err)
{
	int rc = mxt_sdpa_choose(&device->torch, &slot->inputs, &attention->kind, err);
	int64_t over = a->seq % MXT_SDPA_BIAS_ALIGNMENT;
	if (rc < 0 || !attention->mask || attention->kind != MXT_SDPA_EFFICIENT || over == 0)
		return rc;
	rc = make_mask(device, a, a->seq - over + MXT_SDPA_BIAS_ALIGNMENT, attention, err);
	slot->inputs.bias = attention->mask;
	return rc;
}

static int bind(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err)
{
	struct attention *attention = task->own;
	const struct mxt_attention *a = &task->problem.as.attention;
	const struct mxt_torch_arena *arena = &device->inputs[a->dtype];
	int rc = mxt_attention_has_mask(a) ? make_mask(device, a, a->seq, attention, err) : 0;
	for (size_t i = 0; rc == 0 && i < attention->n_slots; i++) {
		struct slot *slot = &attention->slots[i];
		slot_finish(&device->torch, slot);
		rc = bind_inputs(device, a, (char *)arena->base + i * task->input_bytes, attention->mask, slot, err);
		if (rc == 0 && i == 0)
			rc = choose(device, a, attention, slot, err);
		if (rc == 0 && a->direction == MXT_BACKWARD)
			rc = mxt_sdpa_forward(&device->torch, attention->kind, &slot->inputs, &slot->saved, err);
	}
	attention->bound = rc == 0;
	attention->arena_moves = arena->moves;
	attention->next = 0;
	return rc;
}

/* Another problem may have made the arena move, to another place or with other numbers to the same one. */
static int ready(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err)
{
	const struct attention *attention = task->own;
	uint32_t moves = device->inputs[task->problem.as.attention.dtype].moves;
	return attention->bound && attention->arena_moves == moves ? 0 : bind(device, task, err);
}

static struct slot *next_slot(const struct mxt_task *task)
{
	struct attention *attention = task->own;
	struct slot *slot = &attention->slots[attention->next];
	attention->next = (attention->next + 1) % attention->n_slots;
	return slot;
}

static int run(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err)
{
	const struct attention *attention = task->own;
	struct slot *slot = next_slot(task);
	if (!slot->grad_out) {
		struct mxt_sdpa_saved saved = {.out = NULL};
		int rc = mxt_sdpa_forward(&device->torch, attention->kind, &slot->inputs, &saved, err);
		mxt_sdpa_saved_finish(&device->torch, &saved);
		return rc;
	}
	struct mxt_tensor *grads[3] = {NULL, NULL, NULL};
	int rc =
	    mxt_sdpa_backward(&device->torch, attention->kind, &slot->inputs, &slot->saved, slot->grad_out, grads, err);
	for (size_t i = 0; i < 3; i++)
		mxt_tensor_destroy(&device->torch, grads[i]);
	return rc;
}

/* The output, or the gradients of q, k and v; the caller's. */
static int compute(const struct mxt_device *device, const struct attention *attention, const struct slot *slot,
		   struct mxt_tensor *ret_outputs[3], struct mxt_error *err)
{
	if (slot->grad_out)
		return mxt_sdpa_backward(&device->torch, attention->kind, &slot->inputs, &slot->saved, slot->grad_out,
					 ret_outputs, err);
	struct mxt_sdpa_saved saved = {.out = NULL};
	int rc = mxt_sdpa_forward(&device->torch, attention->kind, &slot->inputs, &saved, err);
	ret_outputs[0] = saved.out;
	saved.out = NULL;
	mxt_sdpa_saved_finish(&device->torch, &saved);
	return rc;
}

static void destroy_outputs(const struct mxt_torch *torch, struct mxt_tensor *outputs[3])
{
	for (size_t i = 0; i < 3; i++)
		mxt_tensor_destroy(torch, outputs[i]);
}

/* Computes once more; *ret_same: whether the bits are those of `first`. */
static int again(const struct mxt_device *device, const struct attention *attention, const struct slot *slot,
		 struct mxt_tensor *const first[3], bool *ret_same, struct mxt_error *err)
{
	struct mxt_tensor *outputs[3] = {NULL, NULL, NULL};
	bool same = true;
	int rc = compute(device, attention, slot, outputs, err);
	for (size_t i = 0; rc == 0 && same && i < 3 && outputs[i]; i++)
		rc = mxt_tensor_same_bits(&device->torch, outputs[i], first[i], 4, &same, err);
	destroy_outputs(&device->torch, outputs);
	if (rc == 0)
		*ret_same = same;
	return rc;
}

static int repeat(const struct mxt_device *device, const struct attention *attention, const struct slot *slot,
		  struct mxt_tensor *const first[3], bool *ret_same, struct mxt_error *err)
{
	bool same = true;
	int rc = 0;
	for (int i = 1; rc == 0 && same && i < MXT_CHECK_RUNS; i++)
		rc = again(device, attention, slot, first, &same, err);
	if (rc == 0)
		*ret_same = same;
	return rc;
}

const char *mxt_torch_attention_name(const struct mxt_torch *torch, enum mxt_sdpa_kind kind)
{
	bool asks = torch->backend == MXT_TORCH_HIP && kind == MXT_SDPA_FLASH;
	const char *library = asks ? mxt_torch_fa_library(torch) : "";
	return library[0] ? library : mxt_sdpa_name(kind);
}

static int check(struct mxt_device *device, struct mxt_task *task, struct mxt_check *ret_check, struct mxt_error *err)
{
	const struct attention *attention = task->own;
	const struct mxt_attention *shape = &task->problem.as.attention;
	const struct slot *slot = next_slot(task);
	double distance = INFINITY;
	struct mxt_attention_result result = {.shape = shape, .inputs = slot->inputs, .grad_out = slot->grad_out};
	int rc = compute(device, attention, slot, result.outputs, err);
	if (rc == 0)
		rc = mxt_attention_distance(device, &result, &distance, ret_check->bits, err);
	if (rc == 0 && device->deterministic)
		rc = repeat(device, attention, slot, result.outputs, &ret_check->repeatable, err);
	destroy_outputs(&device->torch, result.outputs);
	ret_check->error_ppb = mxt_error_ppb(distance);
	ret_check->bound_ppb = mxt_attention_bound_ppb(shape, !device->torch.on_gpu);
	(void)snprintf(ret_check->backend, sizeof ret_check->backend, "%s",
		       mxt_torch_attention_name(&device->torch, attention->kind));
	return rc;
}

int mxt_torch_attention_prepare(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err)
{
	static const struct mxt_torch_task_ops ops = {ready, run, check, finish};
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
	int rc = mxt_torch_reserve(device, task, err);
	return rc < 0 ? rc : bind(device, task, err);
}

int mxt_torch_common_attention(struct mxt_device *device, enum mxt_sdpa_kind *ret_kind, struct mxt_error *err)
{
	const struct mxt_torch *torch = &device->torch;
	const struct mxt_tensor_shape shape = mxt_tensor_dense(4, (const int64_t[]){1, 8, 128, 128});
	struct mxt_sdpa_inputs inputs = {.causal = true};
	int32_t dtype = torch->dtype[MXT_DTYPE_BF16];
	int rc = mxt_tensor_create(torch, &shape, dtype, &inputs.q, err);
	if (rc == 0)
		rc = mxt_tensor_create(torch, &shape, dtype, &inputs.k, err);
	if (rc == 0)
		rc = mxt_tensor_create(torch, &shape, dtype, &inputs.v, err);
	if (rc == 0)
		rc = mxt_sdpa_choose(torch, &inputs, ret_kind, err);
	struct mxt_tensor *const made[] = {inputs.q, inputs.k, inputs.v};
	for (size_t i = 0; i < MXT_ARRAY_LEN(made); i++)
		mxt_tensor_destroy(torch, made[i]);
	return rc;
}
