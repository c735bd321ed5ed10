/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With scores s = q k^T / sqrt(d), weights p = softmax(s), out = p v:
 *
 *   dv = p^T dout,  dp = dout v^T,  ds = p (dp - sum(dp p)),  dq = ds k / sqrt(d),  dk = ds^T q / sqrt(d)
 *
 * Each is one batched product over batch x heads, as torch issues it: operands are made dense first, KV heads are
 * repeated for the query heads that share them, and their gradients summed at the end.
 */
#include "sdpa_math.h"

#include <math.h>

#include "error.h"
#include "torch_call.h"
#include "torch_tensor.h"

/* Everything that one backward call makes, so that it can end it. */
enum slot { Q, K, V, GRAD, WEIGHTS, WEIGHTS_T, V_T, GRAD_WEIGHTS, GRAD_SCORES, GRAD_SCORES_T, SLOT_COUNT };

struct backward {
	const struct mxt_torch *torch;
	int64_t batch, heads, kv_heads, seq, dim;
	int32_t dtype;
	struct mxt_tensor *slots[SLOT_COUNT];
};

static struct mxt_tensor_shape batched(const struct backward *b, int64_t rows, int64_t columns)
{
	return mxt_tensor_dense(3, (const int64_t[]){b->batch * b->heads, rows, columns});
}

/* A [batch, heads, seq, dim] or [batch, kv_heads, seq, dim] tensor as a dense [batch x heads, seq, dim] one. */
static int gather(struct backward *b, enum slot slot, struct mxt_tensor *from, int64_t heads, struct mxt_error *err)
{
	struct mxt_tensor_facts source, target;
	struct mxt_tensor *from_view = NULL, *to_view = NULL;
	const struct mxt_tensor_shape dense = batched(b, b->seq, b->dim);
	int rc = mxt_tensor_create(b->torch, &dense, b->dtype, &b->slots[slot], err);
	if (rc == 0)
		rc = mxt_tensor_look(b->torch, from, 4, &source, err);
	if (rc == 0)
		rc = mxt_tensor_look(b->torch, b->slots[slot], 3, &target, err);
	if (rc != 0)
		return rc;
	int64_t group = b->heads / heads;
	const int64_t *s = source.shape.strides;
	const struct mxt_tensor_shape repeated = {
	    5, {b->batch, heads, group, b->seq, b->dim}, {s[0], s[1], 0, s[2], s[3]}};
	const struct mxt_tensor_shape split = mxt_tensor_dense(5, repeated.sizes);
	rc = mxt_tensor_view(b->torch, source.data, &repeated, source.dtype, &from_view, err);
	if (rc == 0)
		rc = mxt_tensor_view(b->torch, target.data, &split, b->dtype, &to_view, err);
	if (rc == 0)
		rc = mxt_tensor_copy(b->torch, to_view, from_view, err);
	mxt_tensor_destroy(b->torch, from_view);
	mxt_tensor_destroy(b->torch, to_view);
	return rc;
}

/* Views dense [n, rows, columns] memory as [n, columns, rows]; rows and columns are those of the source. */
static int transpose(struct backward *b, enum slot to, struct mxt_tensor *from, int64_t rows, int64_t columns,
		     struct mxt_error *err)
{
	struct mxt_tensor_facts facts;
	int rc = mxt_tensor_look(b->torch, from, 3, &facts, err);
	if (rc < 0)
		return rc;
	const struct mxt_tensor_shape turned = {3, {b->batch * b->heads, columns, rows}, {rows * columns, 1, columns}};
	return mxt_tensor_view(b->torch, facts.data, &turned, b->dtype, &b->slots[to], err);
}

static int multiply_into(const struct mxt_torch *torch, struct mxt_tensor *out, struct mxt_tensor *left,
			 struct mxt_tensor *right, struct mxt_error *err)
{
	struct mxt_torch_call call;
	mxt_torch_call_init(&call, torch);
	mxt_push_tensor(&call, left);
	mxt_push_tensor(&call, right);
	mxt_push_tensor(&call, out);
	int rc = mxt_torch_call_run(&call, "aten::bmm", "out", 1, err);
	mxt_drop_result(&call);
	return rc;
}

/* A gradient [batch, heads, seq, dim] = left right, batched. */
static int gradient(struct backward *b, enum slot left, enum slot right, struct mxt_tensor **ret_grad,
		    struct mxt_error *err)
{
	struct mxt_tensor *grad = NULL, *flat = NULL;
	struct mxt_tensor_facts facts;
	const struct mxt_tensor_shape shape =
	    mxt_tensor_dense(4, (const int64_t[]){b->batch, b->heads, b->seq, b->dim});
	const struct mxt_tensor_shape flat_shape = batched(b, b->seq, b->dim);
	int rc = mxt_tensor_create(b->torch, &shape, b->dtype, &grad, err);
	if (rc == 0)
		rc = mxt_tensor_look(b->torch, grad, 4, &facts, err);
	if (rc == 0)
		rc = mxt_tensor_view(b->torch, facts.data, &flat_shape, b->dtype, &flat, err);
	if (rc == 0)
		rc = multiply_into(b->torch, flat, b->slots[left], b->slots[right], err);
	mxt_tensor_destroy(b->torch, flat);
	if (rc < 0)
		mxt_tensor_destroy(b->torch, grad);
	else
		*ret_grad = grad;
	return rc;
}

static int sum_into(struct backward *b, struct mxt_tensor *ones, struct mxt_tensor *whole, struct mxt_tensor *sum,
		    struct mxt_error *err)
{
	struct mxt_tensor *from = NULL, *to = NULL;
	struct mxt_tensor_facts whole_facts, sum_facts;
	int64_t n = b->batch * b->kv_heads, group = b->heads / b->kv_heads, row = b->seq * b->dim;
	const struct mxt_tensor_shape from_shape = mxt_tensor_dense(3, (const int64_t[]){n, group, row});
	const struct mxt_tensor_shape to_shape = mxt_tensor_dense(3, (const int64_t[]){n, 1, row});
	int rc = mxt_tensor_look(b->torch, whole, 4, &whole_facts, err);
	if (rc == 0)
		rc = mxt_tensor_look(b->torch, sum, 4, &sum_facts, err);
	if (rc == 0)
		rc = mxt_tensor_view(b->torch, whole_facts.data, &from_shape, b->dtype, &from, err);
	if (rc == 0)
		rc = mxt_tensor_view(b->torch, sum_facts.data, &to_shape, b->dtype, &to, err);
	if (rc == 0)
		rc = multiply_into(b->torch, to, ones, from, err);
	mxt_tensor_destroy(b->torch, from);
	mxt_tensor_destroy(b->torch, to);
	return rc;
}

/* Replaces a gradient of repeated heads by the sum over each group of them. */
static int sum_group(struct backward *b, struct mxt_tensor **grad, struct mxt_error *err)
{
	struct mxt_tensor *ones = NULL, *sum = NULL;
	int64_t group = b->heads / b->kv_heads;
	if (group == 1)
		return 0;
	const struct mxt_tensor_shape ones_shape =
	    mxt_tensor_dense(3, (const int64_t[]){b->batch * b->kv_heads, 1, group});
	const struct mxt_tensor_shape shape =
	    mxt_tensor_dense(4, (const int64_t[]){b->batch, b->kv_heads, b->seq, b->dim});
	int rc = mxt_tensor_create(b->torch, &ones_shape, b->dtype, &ones, err);
	if (rc == 0)
		rc = mxt_tensor_fill(b->torch, ones, 1, err);
	if (rc == 0)
		rc = mxt_tensor_create(b->torch, &shape, b->dtype, &sum, err);
	if (rc == 0)
		rc = sum_into(b, ones, *grad, sum, err);
	mxt_tensor_destroy(b->torch, ones);
	if (rc < 0) {
		mxt_tensor_destroy(b->torch, sum);
		return rc;
	}
	mxt_tensor_destroy(b->torch, *grad);
	*grad = sum;
	return 0;
}

static int softmax_gradient(struct backward *b, struct mxt_error *err)
{
	struct mxt_torch_call call;
	mxt_torch_call_init(&call, b->torch);
	mxt_push_tensor(&call, b->slots[GRAD_WEIGHTS]);
	mxt_push_tensor(&call, b->slots[WEIGHTS]);
	mxt_push_integer(&call, -1);
	mxt_push_integer(&call, b->dtype);
	int rc = mxt_torch_call_run(&call, "aten::_softmax_backward_data", "", 1, err);
	b->slots[GRAD_SCORES] = mxt_take_tensor(&call, 0);
	return rc;
}

/* Dense operands, and the weights as one batch. */
static int gather_operands(struct backward *b, const struct mxt_sdpa_inputs *inputs,
			   const struct mxt_tensor_facts *weights, struct mxt_tensor *grad_out, struct mxt_error *err)
{
	const struct mxt_tensor_shape square = batched(b, b->seq, b->seq);
	int rc = mxt_tensor_view(b->torch, weights->data, &square, b->dtype, &b->slots[WEIGHTS], err);
	if (rc == 0)
		rc = gather(b, Q, inputs->q, b->heads, err);
	if (rc == 0)
		rc = gather(b, K, inputs->k, b->kv_heads, err);
	if (rc == 0)
		rc = gather(b, V, inputs->v, b->kv_heads, err);
	return rc == 0 ? gather(b, GRAD, grad_out, b->heads, err) : rc;
}

static int score_gradients(struct backward *b, struct mxt_error *err)
{
	const struct mxt_tensor_shape square = batched(b, b->seq, b->seq);
	int rc = transpose(b, V_T, b->slots[V], b->seq, b->dim, err);
	if (rc == 0)
		rc = mxt_tensor_create(b->torch, &square, b->dtype, &b->slots[GRAD_WEIGHTS], err);
	if (rc == 0)
		rc = multiply_into(b->torch, b->slots[GRAD_WEIGHTS], b->slots[GRAD], b->slots[V_T], err);
	if (rc == 0)
		rc = softmax_gradient(b, err);
	if (rc == 0)
		rc = transpose(b, GRAD_SCORES_T, b->slots[GRAD_SCORES], b->seq, b->seq, err);
	return rc == 0 ? transpose(b, WEIGHTS_T, b->slots[WEIGHTS], b->seq, b->seq, err) : rc;
}

static int gradients(struct backward *b, struct mxt_tensor *grads[3], struct mxt_error *err)
{
	double factor = 1 / sqrt((double)b->dim);
	int rc = gradient(b, GRAD_SCORES, K, &grads[0], err);
	if (rc == 0)
		rc = gradient(b, GRAD_SCORES_T, Q, &grads[1], err);
	if (rc == 0)
		rc = gradient(b, WEIGHTS_T, GRAD, &grads[2], err);
	if (rc == 0)
		rc = mxt_tensor_scale(b->torch, grads[0], factor, err);
	if (rc == 0)
		rc = mxt_tensor_scale(b->torch, grads[1], factor, err);
	if (rc == 0)
		rc = sum_group(b, &grads[1], err);
	return rc == 0 ? sum_group(b, &grads[2], err) : rc;
}

static int read_shapes(struct backward *b, const struct mxt_sdpa_inputs *inputs, const struct mxt_sdpa_saved *saved,
		       struct mxt_tensor_facts *ret_weights, struct mxt_error *err)
{
	struct mxt_tensor_facts q, k;
	int rc = mxt_tensor_look(b->torch, inputs->q, 4, &q, err);
	if (rc == 0)
		rc = mxt_tensor_look(b->torch, inputs->k, 4, &k, err);
	if (rc == 0)
		rc = mxt_tensor_look(b->torch, saved->logsumexp, 4, ret_weights, err);
	if (rc != 0)
		return rc;
	b->batch = q.shape.sizes[0];
	b->heads = q.shape.sizes[1];
	b->seq = q.shape.sizes[2];
	b->dim = q.shape.sizes[3];
	b->kv_heads = k.shape.sizes[1];
	b->dtype = ret_weights->dtype;
	return 0;
}

int mxt_sdpa_math_backward(const struct mxt_torch *torch, const struct mxt_sdpa_inputs *inputs,
			   const struct mxt_sdpa_saved *saved, struct mxt_tensor *grad_out,
			   struct mxt_tensor *ret_grads[3], struct mxt_error *err)
{
	struct backward b = {.torch = torch};
	struct mxt_tensor_facts weights;
	struct mxt_tensor *grads[3] = {NULL, NULL, NULL};
	int rc = read_shapes(&b, inputs, saved, &weights, err);
	if (rc == 0)
		rc = gather_operands(&b, inputs, &weights, grad_out, err);
	if (rc == 0)
		rc = score_gradients(&b, err);
	if (rc == 0)
		rc = gradients(&b, grads, err);
	for (size_t i = 0; i < SLOT_COUNT; i++)
		mxt_tensor_destroy(torch, b.slots[i]);
	for (size_t i = 0; i < 3; i++) {
		if (rc < 0)
			mxt_tensor_destroy(torch, grads[i]);
		else
			ret_grads[i] = grads[i];
	}
	return rc;
}
