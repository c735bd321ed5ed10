/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_sdpa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim_cache.h"
#include "sim_call.h"
#include "sim_number.h"

const struct mxt_sim_sdpa_backend
    mxt_sim_sdpa_math = {.backend = MXT_SIM_MATH,
			 .sites = {"attention.math.forward", "attention.math.backward"},
			 .rounding = MXT_SIM_ROUND_ALL,
			 .groups = true,
			 .lse_multiple = 1},
    mxt_sim_sdpa_flash = {.backend = MXT_SIM_FLASH,
			  .sites = {"attention.flash.forward", "attention.flash.backward"},
			  .rounding = MXT_SIM_ROUND_EXPONENTIALS,
			  .half_only = true,
			  .groups = true,
			  .max_dim = 256,
			  .lse_multiple = 1,
			  .stored_by_position = true},
    mxt_sim_sdpa_efficient = {.backend = MXT_SIM_EFFICIENT,
			      .sites = {"attention.efficient.forward", "attention.efficient.backward"},
			      .rounding = MXT_SIM_ROUND_WEIGHTS,
			      .lse_multiple = 32,
			      .stored_by_position = true},
    mxt_sim_sdpa_cudnn = {.backend = MXT_SIM_CUDNN,
			  .sites = {"attention.cudnn.forward", "attention.cudnn.backward"},
			  .rounding = MXT_SIM_ROUND_NOTHING,
			  .half_only = true,
			  .groups = true,
			  .max_dim = 256,
			  .lse_multiple = 1,
			  .lse_column = true,
			  .stored_by_position = true},
    mxt_sim_sdpa_aotriton = {.backend = MXT_SIM_FLASH,
			     .sites = {"attention.aotriton.forward", "attention.aotriton.backward"},
			     .rounding = MXT_SIM_ROUND_EXPONENTIALS,
			     .half_only = true,
			     .groups = true,
			     .max_dim = 256,
			     .lse_multiple = 1,
			     .stored_by_position = true},
    mxt_sim_sdpa_ck = {.backend = MXT_SIM_CK,
		       .sites = {"attention.ck.forward", "attention.ck.backward"},
		       .rounding = MXT_SIM_ROUND_NOTHING,
		       .half_only = true,
		       .groups = true,
		       .max_dim = 256,
		       .lse_multiple = 1,
		       .stored_by_position = true},
    mxt_sim_sdpa_cpu = {.backend = MXT_SIM_FLASH,
			.sites = {"attention.cpu.forward", "attention.cpu.backward"},
			.rounding = MXT_SIM_ROUND_EXPONENTIALS,
			.groups = true,
			.lse_multiple = 1,
			.stored_by_position = true};

static const char *complaint(const struct mxt_sim_sdpa *sdpa)
{
	const struct mxt_sim_tensor *q = sdpa->q, *k = sdpa->k, *v = sdpa->v;
	const struct mxt_sim_sdpa_backend *backend = sdpa->backend;
	if (!q || !k || !v || q->ndim != 4 || k->ndim != 4 || v->ndim != 4)
		return "query, key and value must be defined and have 4 dimensions";
	if (q->dtype != k->dtype || q->dtype != v->dtype || q->place != k->place || q->place != v->place)
		return "query, key and value must be of one type, on one device";
	if (q->sizes[0] != k->sizes[0] || q->sizes[3] != k->sizes[3] || k->sizes[2] != v->sizes[2] ||
	    k->sizes[0] != v->sizes[0] || k->sizes[1] != v->sizes[1] || k->sizes[1] == 0)
		return "the shapes of query, key and value do not fit";
	if (q->sizes[1] % k->sizes[1] != 0 || (q->sizes[1] != k->sizes[1] && !backend->groups))
		return "the number of heads of key and value must be that of query";
	if (backend->half_only && q->dtype != MXT_SIM_BFLOAT16 && q->dtype != MXT_SIM_FLOAT16)
		return "expected half or bfloat16";
	if (backend->max_dim && q->sizes[3] > backend->max_dim)
		return "the head dimension is too large";
	if (sdpa->dropout != 0)
		return "the stand-in has no dropout";
	return NULL;
}

bool mxt_sim_sdpa_check(const struct mxt_sim_sdpa *sdpa, bool raise)
{
	const char *why = complaint(sdpa);
	if (why && raise)
		(void)mxt_sim_raise("%s: %s", sdpa->backend->sites[MXT_SIM_FORWARD], why);
	return !why;
}

/* The numbers that a call works on. */
struct numbers {
	struct mxt_sim_attention a;
	double *q, *k, *v, *mask, *out, *lse, *grad; /* owned */
	struct mxt_sim_key key;
};

static void numbers_finish(struct numbers *n)
{
	double *all[] = {n->q, n->k, n->v, n->mask, n->out, n->lse, n->grad};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		free(all[i]);
}

static double *take(struct numbers *n, const struct mxt_sim_tensor *tensor)
{
	double *numbers = mxt_sim_read(tensor);
	mxt_sim_key_add(&n->key, numbers, (size_t)mxt_sim_count(tensor));
	return numbers;
}

/* A mask of any dimension up to 4, broadcast. */
static void take_mask(struct numbers *n, const struct mxt_sim_tensor *mask)
{
	int64_t stride = 1;
	n->mask = take(n, mask);
	n->a.mask = n->mask;
	for (int64_t i = 0; i < mask->ndim && i < 4; i++) {
		int64_t size = mask->sizes[mask->ndim - 1 - i];
		n->a.mask_strides[3 - i] = size > 1 ? stride : 0;
		stride *= size;
	}
}

/* Logsumexp without its padding. */
static double *take_lse(struct numbers *n, const struct mxt_sim_tensor *lse)
{
	double *padded = take(n, lse), *rows = mxt_sim_memory((size_t)(n->a.batch * n->a.heads * n->a.queries), 8);
	for (int64_t i = 0; i < n->a.batch * n->a.heads; i++)
		memcpy(&rows[i * n->a.queries], &padded[i * lse->sizes[2]], (size_t)n->a.queries * sizeof *rows);
	free(padded);
	return rows;
}

static void numbers_init(struct numbers *n, const struct mxt_sim_sdpa *sdpa)
{
	const struct mxt_sim_tensor *q = sdpa->q, *k = sdpa->k, *v = sdpa->v;
	*n = (struct numbers){.a = {.batch = q->sizes[0],
				    .heads = q->sizes[1],
				    .kv_heads = k->sizes[1],
				    .queries = q->sizes[2],
				    .keys = k->sizes[2],
				    .dim = q->sizes[3],
				    .value_dim = v->sizes[3],
				    .scale = sdpa->has_scale ? sdpa->scale : 1 / sqrt((double)q->sizes[3]),
				    .causal = sdpa->causal,
				    .rounding = sdpa->backend->rounding,
				    .dtype = q->dtype},
			      .key = MXT_SIM_KEY_INIT};
	const double facts[] = {
	    (double)n->a.batch, (double)n->a.heads, (double)n->a.kv_heads, (double)n->a.queries,  (double)n->a.keys,
	    (double)n->a.dim,   n->a.scale,         (double)n->a.causal,   (double)n->a.rounding, (double)q->dtype};
	mxt_sim_key_add(&n->key, facts, sizeof facts / sizeof facts[0]);
	n->q = take(n, q);
	n->k = take(n, k);
	n->v = take(n, v);
	if (sdpa->mask)
		take_mask(n, sdpa->mask);
	if (!sdpa->grad)
		return;
	n->out = take(n, sdpa->out);
	n->lse = take_lse(n, sdpa->lse);
	n->grad = take(n, sdpa->grad);
}

static struct mxt_sim_attention_operands operands_of(const struct numbers *n)
{
	return (struct mxt_sim_attention_operands){n->q, n->k, n->v, n->out, n->lse, n->grad};
}

static double flops(const struct mxt_sim_attention *a, enum mxt_sim_direction direction)
{
	double cells = (double)a->batch * (double)a->heads * (double)a->queries * (double)a->keys;
	double forward = 2 * cells * (double)(a->dim + a->value_dim) * (a->causal ? 0.5 : 1);
	return direction == MXT_SIM_FORWARD ? forward : 2.5 * forward;
}

static int64_t power_of_two(int64_t length)
{
	int64_t power = 1;
	while (power < length)
		power *= 2;
	return power;
}

/* As torch does: with this switch lengths are rounded up to powers of two, where there is no mask. */
static bool shares_plans(const struct mxt_sim_sdpa *sdpa)
{
	const char *set = getenv("TORCH_CUDNN_SDPA_AVOID_RECOMPILE");
	return set && strcmp(set, "1") == 0 && sdpa->backend->backend == MXT_SIM_CUDNN && !sdpa->mask;
}

/* What is built once: a plan for these operands, or for all lengths that are rounded alike. */
static uint64_t shape_of(const struct mxt_sim_sdpa *sdpa, const struct mxt_sim_attention *a, const char *site)
{
	uint64_t hash = mxt_sim_hash(MXT_SIM_HASH_START, site, strlen(site));
	if (!shares_plans(sdpa))
		return mxt_sim_shape(mxt_sim_shape(hash, sdpa->q), sdpa->k);
	const int64_t rounded[] = {
	    a->batch, a->heads, a->kv_heads, a->dim, power_of_two(a->queries), power_of_two(a->keys)};
	return mxt_sim_hash(hash, rounded, sizeof rounded);
}

static int begin(const struct mxt_sim_sdpa *sdpa, const struct mxt_sim_attention *a, enum mxt_sim_direction direction,
		 unsigned *ret_effects)
{
	const struct mxt_sim_sdpa_backend *backend = sdpa->backend;
	const char *site = backend->sites[direction];
	const struct mxt_sim_work work = {
	    .site = site,
	    .place = sdpa->q->place,
	    .cost = mxt_sim_scenario()->attention[backend->backend][direction],
	    .dims = {a->queries, a->heads, a->dim},
	    .flops = flops(a, direction),
	    .bytes = (2 * mxt_sim_bytes(sdpa->q) + mxt_sim_bytes(sdpa->k) + mxt_sim_bytes(sdpa->v)) *
		     (direction == MXT_SIM_FORWARD ? 1 : 2),
	    .shape = shape_of(sdpa, a, site)};
	return mxt_sim_begin(&work, ret_effects);
}

/* A result with the sizes given, in the backend's layout. */
static int new_result(const struct mxt_sim_sdpa *sdpa, const int64_t sizes[4], struct mxt_sim_tensor **ret_tensor)
{
	const int64_t strides[] = {sizes[1] * sizes[2] * sizes[3], sizes[3], sizes[1] * sizes[3], 1};
	return mxt_sim_tensor_new(4, sizes, sdpa->backend->stored_by_position ? strides : NULL, sdpa->q->dtype,
				  sdpa->q->place, ret_tensor);
}

static int new_lse(const struct mxt_sim_sdpa *sdpa, const double *rows, struct mxt_sim_tensor **ret_lse)
{
	const struct mxt_sim_sdpa_backend *backend = sdpa->backend;
	const struct mxt_sim_tensor *q = sdpa->q;
	int64_t multiple = backend->lse_multiple, queries = q->sizes[2];
	int64_t padded = (queries + multiple - 1) / multiple * multiple;
	const int64_t sizes[] = {q->sizes[0], q->sizes[1], padded, 1};
	struct mxt_sim_tensor *lse;
	if (mxt_sim_tensor_new(backend->lse_column ? 4 : 3, sizes, NULL, MXT_SIM_FLOAT32, q->place, &lse))
		return 1;
	for (int64_t i = 0; i < q->sizes[0] * q->sizes[1] * padded; i++)
		mxt_sim_store(lse->data, i, MXT_SIM_FLOAT32,
			      i % padded < queries ? rows[i / padded * queries + i % padded] : (double)INFINITY);
	*ret_lse = lse;
	return 0;
}

static int new_weights(const struct mxt_sim_sdpa *sdpa, struct numbers *n, const double *lse,
		       struct mxt_sim_tensor **ret_weights)
{
	const int64_t sizes[] = {n->a.batch, n->a.heads, n->a.queries, n->a.keys};
	if (mxt_sim_tensor_new(4, sizes, NULL, sdpa->q->dtype, sdpa->q->place, ret_weights))
		return 1;
	double *weights = mxt_sim_memory((size_t)mxt_sim_count(*ret_weights), sizeof *weights);
	struct mxt_sim_attention_operands operands = operands_of(n);
	operands.lse = lse;
	mxt_sim_attention_weights(&n->a, &operands, weights);
	mxt_sim_write(*ret_weights, weights);
	free(weights);
	return 0;
}

/* out and logsumexp one after the other: new memory. */
static double *compute_forward(struct numbers *n, size_t out_count, size_t lse_count)
{
	double *both = mxt_sim_memory(out_count + lse_count, sizeof *both);
	const double *known = mxt_sim_cache_find(&n->key, out_count + lse_count);
	if (known) {
		memcpy(both, known, (out_count + lse_count) * sizeof *both);
		return both;
	}
	struct mxt_sim_attention_operands operands = operands_of(n);
	mxt_sim_attention_forward(&n->a, &operands, both, both + out_count);
	mxt_sim_cache_put(&n->key, both, out_count + lse_count);
	return both;
}

int mxt_sim_sdpa_forward(const struct mxt_sim_sdpa *sdpa, struct mxt_sim_tensor **ret_out,
			 struct mxt_sim_tensor **ret_lse, struct mxt_sim_tensor **ret_weights)
{
	struct numbers n;
	struct mxt_sim_tensor *out = NULL, *lse = NULL, *weights = NULL;
	unsigned effects;
	if (!mxt_sim_sdpa_check(sdpa, true))
		return 1;
	numbers_init(&n, sdpa);
	const int64_t sizes[] = {n.a.batch, n.a.heads, n.a.queries, n.a.value_dim};
	size_t lse_count = (size_t)(sizes[0] * sizes[1] * sizes[2]), out_count = lse_count * (size_t)sizes[3];
	double *both = NULL;
	int failed = begin(sdpa, &n.a, MXT_SIM_FORWARD, &effects) || new_result(sdpa, sizes, &out);
	if (!failed) {
		both = compute_forward(&n, out_count, lse_count);
		failed = new_lse(sdpa, both + out_count, &lse) ||
			 (ret_weights && new_weights(sdpa, &n, both + out_count, &weights));
	}
	numbers_finish(&n);
	if (failed) {
		free(both);
		mxt_sim_tensor_unref(out);
		mxt_sim_tensor_unref(lse);
		return 1;
	}
	mxt_sim_spoil(both, out_count, effects);
	mxt_sim_write(out, both);
	free(both);
	*ret_out = out;
	*ret_lse = lse;
	if (ret_weights)
		*ret_weights = weights;
	return 0;
}

static bool same_sizes(const struct mxt_sim_tensor *a, const struct mxt_sim_tensor *b)
{
	return a->ndim == b->ndim && memcmp(a->sizes, b->sizes, (size_t)a->ndim * sizeof a->sizes[0]) == 0;
}

static int check_backward(const struct mxt_sim_sdpa *sdpa)
{
	const struct mxt_sim_tensor *q = sdpa->q, *lse = sdpa->lse;
	if (!mxt_sim_sdpa_check(sdpa, true))
		return 1;
	if (!sdpa->grad || !sdpa->out || !lse || !same_sizes(sdpa->grad, sdpa->out))
		return mxt_sim_raise("%s: grad_out, out and logsumexp must be defined and fit",
				     sdpa->backend->sites[MXT_SIM_BACKWARD]);
	if (lse->dtype != MXT_SIM_FLOAT32 || lse->ndim != (sdpa->backend->lse_column ? 4 : 3) ||
	    lse->sizes[0] != q->sizes[0] || lse->sizes[1] != q->sizes[1] || lse->sizes[2] < q->sizes[2])
		return mxt_sim_raise("%s: logsumexp is not that of this query", sdpa->backend->sites[MXT_SIM_BACKWARD]);
	return 0;
}

/* The three gradients one after the other: new memory. */
static double *compute_backward(struct numbers *n, const size_t counts[3])
{
	size_t all = counts[0] + counts[1] + counts[2];
	double *grads = mxt_sim_memory(all, sizeof *grads);
	const double *known = mxt_sim_cache_find(&n->key, all);
	if (known) {
		memcpy(grads, known, all * sizeof *grads);
		return grads;
	}
	struct mxt_sim_attention_operands operands = operands_of(n);
	mxt_sim_attention_backward(&n->a, &operands, grads, grads + counts[0], grads + counts[0] + counts[1]);
	mxt_sim_cache_put(&n->key, grads, all);
	return grads;
}

int mxt_sim_sdpa_backward(const struct mxt_sim_sdpa *sdpa, struct mxt_sim_tensor *ret_grads[3])
{
	const struct mxt_sim_tensor *sources[] = {sdpa->q, sdpa->k, sdpa->v};
	struct mxt_sim_tensor *grads[3] = {NULL};
	struct numbers n;
	unsigned effects = 0;
	if (check_backward(sdpa))
		return 1;
	numbers_init(&n, sdpa);
	int failed = begin(sdpa, &n.a, MXT_SIM_BACKWARD, &effects);
	size_t counts[3];
	for (int i = 0; i < 3; i++) {
		counts[i] = (size_t)mxt_sim_count(sources[i]);
		failed = failed || new_result(sdpa, sources[i]->sizes, &grads[i]);
	}
	double *all = failed ? NULL : compute_backward(&n, counts);
	numbers_finish(&n);
	if (all)
		mxt_sim_spoil(all, counts[0] + counts[1] + counts[2], effects);
	for (size_t i = 0, at = 0; i < 3; at += counts[i++]) {
		if (all)
			mxt_sim_write(grads[i], all + at);
		else
			mxt_sim_tensor_unref(grads[i]);
		ret_grads[i] = all ? grads[i] : NULL;
	}
	free(all);
	return failed;
}
