/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attention by the device's backend.
 */
#include <blake3.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_state.h"
#include "error.h"
#include "error_bound.h"
#include "reference_attention.h"
#include "rng.h"
#include "thread_pool.h"

/* Backward problems so small that more would be needed stay closer to the caches: each slot costs a forward call. */
#define MAX_SLOTS 1024

/* Floats in one window of each kind of tensor. */
struct sizes {
	size_t q, kv, lse; /* elements */
	size_t q_window, kv_window, lse_window;
};

static size_t window_floats(size_t elements)
{
	return mxt_operand_window(elements * sizeof(float)) / sizeof(float);
}

static struct sizes sizes_of(const struct mxt_attention *shape)
{
	struct sizes s = {
	    .q = mxt_attention_elements(shape, shape->heads),
	    .kv = mxt_attention_elements(shape, shape->kv_heads),
	    .lse = (size_t)shape->batch * (size_t)shape->heads * (size_t)shape->seq,
	};
	s.q_window = window_floats(s.q);
	s.kv_window = window_floats(s.kv);
	s.lse_window = window_floats(s.lse);
	return s;
}

/* q, k, v and, for backward, grad_out in one window of inputs. */
static void set_inputs(struct mxt_attention_call *call, const struct sizes *s, const float *inputs)
{
	call->q = inputs;
	call->k = call->q + s->q_window;
	call->v = call->k + s->kv_window;
	call->grad_out = call->shape.direction == MXT_BACKWARD ? call->v + s->kv_window : NULL;
}

static void forward_operands(struct mxt_device *device, const struct mxt_task *task, struct mxt_attention_call *call)
{
	const struct sizes s = sizes_of(&task->problem.as.attention);
	*call = (struct mxt_attention_call){.shape = task->problem.as.attention};
	set_inputs(call, &s, mxt_operand_arena_next(&device->inputs, task->input_bytes));
	call->out = mxt_operand_arena_next(&device->outputs, task->output_bytes);
	call->lse = call->out + s.q_window;
}

/* Slot `slot` of what a backward task saved: its inputs are the slot-th window of the arena. */
static void saved_operands(const struct mxt_device *device, const struct mxt_task *task, uint32_t slot,
			   struct mxt_attention_call *call)
{
	const struct sizes s = sizes_of(&task->problem.as.attention);
	*call = (struct mxt_attention_call){.shape = task->problem.as.attention};
	set_inputs(call, &s, device->inputs.base + slot * (task->input_bytes / sizeof(float)));
	call->out = task->saved + slot * (s.q_window + s.lse_window);
	call->lse = call->out + s.q_window;
}

static void backward_operands(struct mxt_device *device, struct mxt_task *task, struct mxt_attention_call *call)
{
	const struct sizes s = sizes_of(&task->problem.as.attention);
	saved_operands(device, task, task->next_slot, call);
	task->next_slot = (task->next_slot + 1) % task->slots;
	call->grad_q = mxt_operand_arena_next(&device->outputs, task->output_bytes);
	call->grad_k = call->grad_q + s.q_window;
	call->grad_v = call->grad_k + s.kv_window;
	if (call->shape.heads != call->shape.kv_heads) {
		call->partial_k = device->partials;
		call->partial_v = device->partials + s.q_window;
	}
}

static void next_call(struct mxt_device *device, struct mxt_task *task, struct mxt_attention_call *call)
{
	if (task->problem.as.attention.direction == MXT_FORWARD)
		forward_operands(device, task, call);
	else
		backward_operands(device, task, call);
}

static void run(struct mxt_device *device, struct mxt_task *task)
{
	struct mxt_attention_call call;
	next_call(device, task, &call);
	mxt_attention_run(device->attention, &device->blas, device->pool, &call, device->scratch);
}

/* Rows that a result tensor and its reference have in common, `stride` floats apart in the result. */
struct comparison {
	const float *result;
	const double *reference;
	size_t rows, columns, stride;
	double least; /* differences are relative to this where the reference is smaller everywhere */
};

/* The largest difference, relative to the largest reference element; infinite where the result is not a number. */
static double compare(const struct comparison *c)
{
	double largest = c->least, worst = 0;
	for (size_t i = 0; i < c->rows; i++)
		for (size_t j = 0; j < c->columns; j++) {
			double reference = c->reference[i * c->columns + j];
			double difference = fabs((double)c->result[i * c->stride + j] - reference);
			largest = fmax(largest, fabs(reference));
			worst = difference <= worst ? worst : isnan(difference) ? INFINITY : difference;
		}
	return largest > 0 ? worst / largest : worst;
}

/* One batch and KV head of a call. */
struct group {
	size_t batch, kv_head, heads; /* heads: query heads that share the KV head */
	size_t q_at, kv_at, lse_at;   /* where its rows begin, in floats */
	size_t q_stride, kv_stride;
};

static struct group group_of(const struct mxt_attention *shape, size_t batch, size_t kv_head)
{
	size_t dim = (size_t)shape->head_dim, seq = (size_t)shape->seq;
	size_t heads = (size_t)(shape->heads / shape->kv_heads);
	struct group g = {.batch = batch, .kv_head = kv_head, .heads = heads};
	g.q_stride = (size_t)shape->heads * dim;
	g.kv_stride = (size_t)shape->kv_heads * dim;
	g.q_at = batch * seq * g.q_stride + kv_head * heads * dim;
	g.kv_at = batch * seq * g.kv_stride + kv_head * dim;
	g.lse_at = (batch * (size_t)shape->heads + kv_head * heads) * seq;
	return g;
}

/* A tensor of query heads against its reference, head by head. */
static double compare_heads(const struct mxt_attention *shape, const struct group *g, const float *result,
			    const double *reference, double least)
{
	size_t dim = (size_t)shape->head_dim, seq = (size_t)shape->seq;
	double worst = 0;
	for (size_t head = 0; head < g->heads; head++) {
		const struct comparison c = {
		    result + g->q_at + head * dim, reference + head * seq * dim, seq, dim, g->q_stride, least};
		worst = fmax(worst, compare(&c));
	}
	return worst;
}

static double compare_kv(const struct mxt_attention *shape, const struct group *g, const float *result,
			 const double *reference, double least)
{
	const struct comparison c = {result + g->kv_at,       reference,    (size_t)shape->seq,
				     (size_t)shape->head_dim, g->kv_stride, least};
	return compare(&c);
}

/*
 * The largest gradient of v. Gradients of q and k are sums of differences of terms of that size or more; where a row
 * keeps one column they are 0, and what is left of roundings is nothing to be relative to.
 */
static double least_gradient(const struct mxt_attention *shape, const struct mxt_attention_reference *reference)
{
	double largest = 0;
	for (size_t i = 0; i < (size_t)shape->seq * (size_t)shape->head_dim; i++)
		largest = fmax(largest, fabs(reference->grad_v[i]));
	return largest;
}

static double compare_call(const struct mxt_attention_call *call, const struct group *g,
			   const struct mxt_attention_reference *reference)
{
	const struct mxt_attention *shape = &call->shape;
	if (shape->direction == MXT_FORWARD) {
		const struct comparison lse = {
		    call->lse + g->lse_at, reference->lse, 1, g->heads * (size_t)shape->seq, 0, 1};
		return fmax(compare_heads(shape, g, call->out, reference->out, 0), compare(&lse));
	}
	double least = least_gradient(shape, reference);
	double q = compare_heads(shape, g, call->grad_q, reference->grad_q, least);
	double k = compare_kv(shape, g, call->grad_k, reference->grad_k, least);
	double v = compare_kv(shape, g, call->grad_v, reference->grad_v, 0);
	return fmax(q, fmax(k, v));
}

/* The parts of a call's results: written as NaN before it, looked at and hashed after it. */
struct part {
	float *at;
	size_t count;
};

static size_t parts_of(const struct mxt_attention_call *call, struct part parts[3])
{
	const struct sizes s = sizes_of(&call->shape);
	bool forward = call->shape.direction == MXT_FORWARD;
	parts[0] = forward ? (struct part){call->out, s.q} : (struct part){call->grad_q, s.q};
	parts[1] = forward ? (struct part){call->lse, s.lse} : (struct part){call->grad_k, s.kv};
	parts[2] = (struct part){call->grad_v, s.kv};
	return forward ? 2 : 3;
}

static void spoil(const struct part *parts, size_t n_parts)
{
	for (size_t i = 0; i < n_parts; i++)
		for (size_t j = 0; j < parts[i].count; j++)
			parts[i].at[j] = NAN;
}

/* False when a result anywhere, in the compared group or not, is not finite. */
static bool hash_parts(const struct part *parts, size_t n_parts, uint8_t bits[32])
{
	bool finite = true;
	blake3_hasher hasher;
	blake3_hasher_init(&hasher);
	for (size_t i = 0; i < n_parts; i++) {
		blake3_hasher_update(&hasher, parts[i].at, parts[i].count * sizeof(float));
		for (size_t j = 0; j < parts[i].count; j++)
			finite = finite && isfinite(parts[i].at[j]);
	}
	blake3_hasher_finalize(&hasher, bits, 32);
	return finite;
}

/* Compares a group drawn from the seed, so that every worker looks at the same one. */
static int measure(const struct mxt_device *device, const struct mxt_attention_call *call, double *ret_distance,
		   struct mxt_error *err)
{
	const struct mxt_attention *shape = &call->shape;
	struct mxt_rng rng = {MXT_CPU_SEED};
	size_t batch = mxt_rng_below(&rng, (uint32_t)shape->batch);
	const struct group g = group_of(shape, batch, mxt_rng_below(&rng, (uint32_t)shape->kv_heads));
	const struct mxt_attention_group inputs = {
	    .seq = shape->seq,
	    .head_dim = shape->head_dim,
	    .group = (int32_t)g.heads,
	    .causal = shape->causal,
	    .q_stride = g.q_stride,
	    .kv_stride = g.kv_stride,
	    .q = call->q + g.q_at,
	    .k = call->k + g.kv_at,
	    .v = call->v + g.kv_at,
	    .grad_out = shape->direction == MXT_BACKWARD ? call->grad_out + g.q_at : NULL,
	};
	struct mxt_attention_reference reference;
	int rc = mxt_attention_reference_create(&inputs, device->pool, &reference, err);
	if (rc < 0)
		return rc;
	*ret_distance = compare_call(call, &g, &reference);
	mxt_attention_reference_finish(&reference);
	return 0;
}

/* Runs the first call of all, into results that were spoiled; returns how many parts these have. */
static size_t first_call(struct mxt_device *device, struct mxt_task *task, struct mxt_attention_call *ret_call,
			 struct part parts[3])
{
	mxt_operand_arena_rewind(&device->inputs);
	mxt_operand_arena_rewind(&device->outputs);
	task->next_slot = 0;
	next_call(device, task, ret_call);
	size_t n_parts = parts_of(ret_call, parts);
	spoil(parts, n_parts);
	mxt_attention_run(device->attention, &device->blas, device->pool, ret_call, device->scratch);
	return n_parts;
}

static void again(struct mxt_device *device, struct mxt_task *task, uint8_t bits[32])
{
	struct mxt_attention_call call;
	struct part parts[3];
	size_t n_parts = first_call(device, task, &call, parts);
	(void)hash_parts(parts, n_parts, bits);
}

static int check(struct mxt_device *device, struct mxt_task *task, struct mxt_check *ret_check, struct mxt_error *err)
{
	struct mxt_attention_call call;
	struct part parts[3];
	size_t n_parts = first_call(device, task, &call, parts);
	double distance;
	int rc = measure(device, &call, &distance, err);
	if (rc < 0)
		return rc;
	bool finite = hash_parts(parts, n_parts, ret_check->bits);
	ret_check->error_ppb = mxt_error_ppb(finite ? distance : INFINITY);
	ret_check->bound_ppb = mxt_attention_bound_ppb(&call.shape, false);
	return 0;
}

static int grow(float **memory, size_t *held_bytes, size_t bytes, struct mxt_error *err)
{
	if (bytes <= *held_bytes)
		return 0;
	int rc = mxt_cpu_check_memory(bytes, err);
	if (rc < 0)
		return rc;
	float *more = aligned_alloc(64, (bytes + 63) / 64 * 64);
	if (!more)
		return mxt_error_oom(err);
	memset(more, 0, bytes);
	free(*memory);
	*memory = more;
	*held_bytes = bytes;
	return 0;
}

/* Scratch for all threads, within the limit for operands: math's grows with the square of the length. */
static int grow_scratch(struct mxt_device *device, const struct mxt_attention *shape, struct mxt_error *err)
{
	size_t threads = mxt_thread_pool_size(device->pool);
	size_t bytes = mxt_attention_scratch(device->attention, shape) * sizeof(float);
	if (bytes > device->outputs.limit / threads)
		return mxt_error_set(
		    err, -ENOTSUP, MXT_E_OPERANDS_TOO_LARGE,
		    "%s attention over %d positions takes %zu MiB of scores for each of %zu threads, and one "
		    "worker may use %zu MiB",
		    device->attention->name, shape->seq, bytes >> 20, threads, device->outputs.limit >> 20);
	return grow(&device->scratch, &device->scratch_bytes, bytes * threads, err);
}

/* Runs forward on each slot, so that backward finds what a forward call leaves. */
static int save_forward(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err)
{
	const struct sizes s = sizes_of(&task->problem.as.attention);
	size_t bytes = task->slots * (s.q_window + s.lse_window) * sizeof(float), held = 0;
	int rc = grow(&task->saved, &held, bytes, err);
	for (uint32_t slot = 0; rc == 0 && slot < task->slots; slot++) {
		struct mxt_attention_call call;
		saved_operands(device, task, slot, &call);
		call.shape.direction = MXT_FORWARD;
		mxt_attention_run(device->attention, &device->blas, device->pool, &call, device->scratch);
	}
	return rc;
}

static int prepare_backward(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err)
{
	const struct mxt_attention *shape = &task->problem.as.attention;
	const struct sizes s = sizes_of(shape);
	int rc = 0;
	if (shape->heads != shape->kv_heads)
		rc = grow(&device->partials, &device->partial_bytes, 2 * s.q_window * sizeof(float), err);
	return rc < 0 ? rc : save_forward(device, task, err);
}

int mxt_cpu_attention_prepare(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err)
{
	static const struct mxt_cpu_task_ops ops = {run, check, again};
	const struct mxt_attention *shape = &task->problem.as.attention;
	const struct sizes s = sizes_of(shape);
	if ((int64_t)shape->heads * shape->head_dim > INT32_MAX)
		return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED,
				     "a row of all heads is beyond the 32-bit integers of the BLAS interface");
	bool backward = shape->direction == MXT_BACKWARD;
	task->ops = &ops;
	task->input_bytes = (s.q_window * (backward ? 2 : 1) + 2 * s.kv_window) * sizeof(float);
	task->output_bytes = (s.q_window + (backward ? 2 * s.kv_window : s.lse_window)) * sizeof(float);
	size_t windows = mxt_cpu_windows(device, task);
	task->slots = windows < MAX_SLOTS ? (uint32_t)windows : MAX_SLOTS;
	int rc = mxt_cpu_reserve(device, task, windows, err);
	if (rc == 0)
		rc = grow_scratch(device, shape, err);
	if (rc == 0 && backward)
		rc = prepare_backward(device, task, err);
	return rc;
}
