/* SPDX-License-Identifier: Apache-2.0 */
#include "attention_distance.h"

#include <blake3.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cleanup.h"
#include "error.h"
#include "rng.h"
#include "wide_tensor.h"

#define SEED        UINT64_C(0x6d696e6458747261) /* every worker looks at the same group */
#define SQUARES     6                            /* score matrices that the reference holds at once, backward */
#define MAX_OUTPUTS 3

#define LOOKED_AT 64 /* documents of a packed sequence */

/* One batch and KV head, or a document in it: its query heads, and where they are. */
struct group {
	int64_t batch, kv_head, heads, dim;
	int64_t first, seq; /* tokens */
	int32_t dtype;      /* torch's number: what the reference is computed in */
};

static int64_t element_bytes(const struct mxt_torch *torch, int32_t dtype)
{
	if (dtype == torch->float64)
		return 8;
	return dtype == torch->dtype[MXT_DTYPE_F32] ? 4 : 2;
}

/*
 * The heads [first, first + heads) of one batch, and the group's tokens, of a [batch, heads, seq, dim] tensor, in the
 * reference's dtype.
 */
static int take_heads(const struct mxt_device *device, const struct group *g, struct mxt_tensor *from, int64_t first,
		      int64_t heads, struct mxt_tensor **ret_tensor, struct mxt_error *err)
{
	const struct mxt_torch *torch = &device->torch;
	struct mxt_tensor_facts part;
	struct mxt_tensor *view = NULL, *copy = NULL;
	int rc = mxt_tensor_look(torch, from, 4, &part, err);
	if (rc < 0)
		return rc;
	const int64_t *s = part.shape.strides;
	part.data =
	    (char *)part.data + (g->batch * s[0] + first * s[1] + g->first * s[2]) * element_bytes(torch, part.dtype);
	part.shape.sizes[0] = 1;
	part.shape.sizes[1] = heads;
	part.shape.sizes[2] = g->seq;
	const struct mxt_tensor_shape dense = mxt_tensor_dense(4, part.shape.sizes);
	rc = mxt_tensor_view(torch, part.data, &part.shape, part.dtype, &view, err);
	if (rc == 0)
		rc = mxt_tensor_create(torch, &dense, g->dtype, &copy, err);
	if (rc == 0)
		rc = mxt_tensor_copy(torch, copy, view, err);
	mxt_tensor_destroy(torch, view);
	if (rc < 0)
		mxt_tensor_destroy(torch, copy);
	else
		*ret_tensor = copy;
	return rc;
}

static int take_queries(const struct mxt_device *device, const struct group *g, struct mxt_tensor *from,
			struct mxt_tensor **ret_tensor, struct mxt_error *err)
{
	return take_heads(device, g, from, g->kv_head * g->heads, g->heads, ret_tensor, err);
}

static int take_keys(const struct mxt_device *device, const struct group *g, struct mxt_tensor *from,
		     struct mxt_tensor **ret_tensor, struct mxt_error *err)
{
	return take_heads(device, g, from, g->kv_head, 1, ret_tensor, err);
}

/* Float64 where its score matrices fit into half of what is left, else float32. */
static int choose_dtype(const struct mxt_device *device, struct group *g, struct mxt_error *err)
{
	double numbers = (double)SQUARES * (double)g->heads * (double)g->seq * (double)g->seq;
	double room = (double)device->platform->memory_left(device->state) / 2;
	g->dtype = numbers * 8 <= room ? device->torch.float64 : device->torch.dtype[MXT_DTYPE_F32];
	if (numbers * 4 <= room)
		return 0;
	return mxt_error_set(err, -ENOMEM, MXT_E_OPERANDS_TOO_LARGE,
			     "checking attention over %lld positions takes %.0f MiB, and half of what is left are "
			     "%.0f MiB",
			     (long long)g->seq, numbers * 4 / 0x1p20, room / 0x1p20);
}

struct reference {
	struct mxt_sdpa_inputs inputs;
	struct mxt_tensor *grad_out;
	struct mxt_sdpa_saved saved;
	struct mxt_tensor *outputs[MAX_OUTPUTS];
};

static void reference_finish(const struct mxt_torch *torch, struct reference *r, bool backward)
{
	struct mxt_tensor *const made[] = {r->inputs.q, r->inputs.k, r->inputs.v, r->grad_out};
	for (size_t i = 0; i < MXT_ARRAY_LEN(made); i++)
		mxt_tensor_destroy(torch, made[i]);
	for (size_t i = 0; backward && i < MAX_OUTPUTS; i++)
		mxt_tensor_destroy(torch, r->outputs[i]);
	mxt_sdpa_saved_finish(torch, &r->saved);
}

static int reference_compute(const struct mxt_device *device, const struct group *g,
			     const struct mxt_attention_result *result, struct reference *r, struct mxt_error *err)
{
	const struct mxt_torch *torch = &device->torch;
	r->inputs.causal = result->shape->causal; /* whatever mask the kernel was given */
	r->inputs.gqa = g->heads > 1;
	int rc = take_queries(device, g, result->inputs.q, &r->inputs.q, err);
	if (rc == 0)
		rc = take_keys(device, g, result->inputs.k, &r->inputs.k, err);
	if (rc == 0)
		rc = take_keys(device, g, result->inputs.v, &r->inputs.v, err);
	if (rc == 0 && result->grad_out)
		rc = take_queries(device, g, result->grad_out, &r->grad_out, err);
	if (rc == 0)
		rc = mxt_sdpa_forward(torch, MXT_SDPA_MATH, &r->inputs, &r->saved, err);
	if (rc < 0 || !result->grad_out) {
		r->outputs[0] = r->saved.out;
		return rc;
	}
	return mxt_sdpa_backward(torch, MXT_SDPA_MATH, &r->inputs, &r->saved, r->grad_out, r->outputs, err);
}

/* A result and its reference on the host. */
struct pair {
	double *found, *expected; /* owned, `count` each */
	size_t count;
};

static void pair_finish(struct pair *pair)
{
	free(pair->found);
	free(pair->expected);
}

/* Brings a dense tensor of the reference's dtype to the host, as float64. */
static int fetch(const struct mxt_device *device, struct mxt_tensor *tensor, double *ret_values, size_t count,
		 struct mxt_error *err)
{
	struct mxt_tensor_facts facts;
	struct mxt_tensor *wide = NULL;
	int rc = mxt_tensor_look(&device->torch, tensor, 4, &facts, err);
	if (rc < 0)
		return rc;
	const struct mxt_tensor_source source = {facts.data, facts.shape, facts.dtype};
	rc = mxt_wide_copy(device, &source, &wide, err);
	if (rc == 0)
		rc = mxt_wide_fetch(device, wide, 4, ret_values, count, err);
	mxt_tensor_destroy(&device->torch, wide);
	return rc;
}

static int pair_fetch(const struct mxt_device *device, const struct group *g, struct mxt_tensor *found,
		      struct mxt_tensor *expected, bool keys, struct pair *pair, struct mxt_error *err)
{
	pair->count = (size_t)((keys ? 1 : g->heads) * g->seq * g->dim);
	pair->found = calloc(pair->count, sizeof *pair->found);
	pair->expected = calloc(pair->count, sizeof *pair->expected);
	if (!pair->found || !pair->expected)
		return mxt_error_oom(err);
	struct mxt_tensor *part = NULL;
	int rc = keys ? take_keys(device, g, found, &part, err) : take_queries(device, g, found, &part, err);
	if (rc == 0)
		rc = fetch(device, part, pair->found, pair->count, err);
	mxt_tensor_destroy(&device->torch, part);
	return rc == 0 ? fetch(device, expected, pair->expected, pair->count, err) : rc;
}

static double largest(const struct pair *pair)
{
	double worst = 0;
	for (size_t i = 0; i < pair->count; i++)
		worst = fmax(worst, fabs(pair->expected[i]));
	return worst;
}

static double difference(const struct pair *pair)
{
	double worst = 0;
	for (size_t i = 0; i < pair->count; i++) {
		double size = fabs(pair->found[i] - pair->expected[i]);
		worst = isfinite(size) ? fmax(worst, size) : INFINITY;
	}
	return worst;
}

/*
 * Gradients of q and k are sums of differences of terms as large as v's gradient or larger; where a row keeps one
 * column they are 0, and what is left of roundings is nothing to be relative to.
 */
static double distance_of(const struct pair *pairs, size_t n_pairs)
{
	double least = n_pairs == 1 ? 0 : largest(&pairs[2]);
	double worst = 0;
	for (size_t i = 0; i < n_pairs; i++) {
		double scale = fmax(least, largest(&pairs[i]));
		double off = difference(&pairs[i]);
		worst = fmax(worst, scale > 0 ? off / scale : off);
	}
	return worst;
}

static int compare(const struct mxt_device *device, const struct group *g, const struct mxt_attention_result *result,
		   const struct reference *r, struct pair pairs[MAX_OUTPUTS], struct mxt_error *err)
{
	size_t n_pairs = result->grad_out ? MAX_OUTPUTS : 1;
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < n_pairs; i++)
		rc = pair_fetch(device, g, result->outputs[i], r->outputs[i], i > 0, &pairs[i], err);
	return rc;
}

static void hash_pairs(const struct pair *pairs, size_t n_pairs, blake3_hasher *hasher)
{
	for (size_t i = 0; i < n_pairs; i++)
		blake3_hasher_update(hasher, pairs[i].found, pairs[i].count * sizeof(double));
}

/* The tokens of one group, which see nothing but each other. */
static int measure(const struct mxt_device *device, struct group *g, const struct mxt_attention_result *result,
		   blake3_hasher *hasher, double *ret_distance, struct mxt_error *err)
{
	struct reference reference = {.grad_out = NULL};
	struct pair pairs[MAX_OUTPUTS] = {{NULL, NULL, 0}};
	size_t n_pairs = result->grad_out ? MAX_OUTPUTS : 1;
	int rc = choose_dtype(device, g, err);
	if (rc == 0)
		rc = reference_compute(device, g, result, &reference, err);
	if (rc == 0)
		rc = compare(device, g, result, &reference, pairs, err);
	if (rc == 0) {
		*ret_distance = distance_of(pairs, n_pairs);
		hash_pairs(pairs, n_pairs, hasher);
	}
	for (size_t i = 0; i < MAX_OUTPUTS; i++)
		pair_finish(&pairs[i]);
	reference_finish(&device->torch, &reference, result->grad_out != NULL);
	return rc;
}

/* The worst of some documents, evenly spaced, the last among them: each computed as if it were alone. */
static int measure_documents(const struct mxt_device *device, struct group *g,
			     const struct mxt_attention_result *result, blake3_hasher *hasher, double *ret_distance,
			     struct mxt_error *err)
{
	const struct mxt_attention *shape = result->shape;
	uint32_t n = shape->n_documents, count = n < LOOKED_AT ? n : LOOKED_AT, looked_at = 0;
	double worst = 0;
	for (uint32_t i = 0; i < n; g->first += shape->documents[i++]) {
		if (i != (looked_at + 1) * n / count - 1)
			continue;
		double distance = INFINITY;
		g->seq = shape->documents[i];
		int rc = measure(device, g, result, hasher, &distance, err);
		if (rc < 0)
			return rc;
		worst = fmax(worst, distance);
		looked_at++;
	}
	*ret_distance = worst;
	return 0;
}

int mxt_attention_distance(const struct mxt_device *device, const struct mxt_attention_result *result,
			   double *ret_distance, uint8_t bits[32], struct mxt_error *err)
{
	const struct mxt_attention *shape = result->shape;
	struct mxt_rng rng = {SEED};
	struct group g = {.batch = mxt_rng_below(&rng, (uint32_t)shape->batch),
			  .kv_head = mxt_rng_below(&rng, (uint32_t)shape->kv_heads),
			  .heads = shape->heads / shape->kv_heads,
			  .seq = shape->seq,
			  .dim = shape->head_dim};
	blake3_hasher hasher;
	blake3_hasher_init(&hasher);
	int rc = shape->n_documents ? measure_documents(device, &g, result, &hasher, ret_distance, err)
				    : measure(device, &g, result, &hasher, ret_distance, err);
	if (rc == 0)
		blake3_hasher_finalize(&hasher, bits, 32);
	return rc;
}
