/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call of scaled dot-product attention in float32, and the two ways in which the built-in provider computes it.
 *
 * Both work through the heads of all batches with the pool's threads, each of which calls the BLAS library
 * single-threaded: so the threads in force are those that the library was given, whatever its own threading, and
 * results do not depend on which thread did what.
 */
#ifndef MXT_CPU_ATTENTION_CALL_H
#define MXT_CPU_ATTENTION_CALL_H

#include <stddef.h>

#include "problem.h"

struct mxt_blas;
struct mxt_thread_pool;

/*
 * All tensors are dense: q, out, grad_out, grad_q [batch, seq, heads, head_dim]; k, v, grad_k, grad_v [batch, seq,
 * kv_heads, head_dim]; lse (the logarithm of the sum of exponentials of each row of scores) [batch, heads, seq].
 * Forward reads q, k, v and writes out, lse; backward reads all of these and grad_out, and writes the other gradients.
 * Unused ones may be NULL. Borrowed.
 */
struct mxt_attention_call {
	struct mxt_attention shape;
	const float *q, *k, *v, *grad_out;
	float *out, *lse;
	float *grad_q, *grad_k, *grad_v;
	/*
	 * Backward with kv_heads < heads: gradients of k and v for each query head, shaped like q, before they are
	 * summed over each group.
	 */
	float *partial_k, *partial_v;
};

/* Elements of a tensor with `heads` heads. */
static inline size_t mxt_attention_elements(const struct mxt_attention *shape, int32_t heads)
{
	return (size_t)shape->batch * (size_t)shape->seq * (size_t)heads * (size_t)shape->head_dim;
}

struct mxt_attention_backend {
	const char *name;
	/* Floats of scratch memory that each thread needs. */
	size_t (*scratch)(const struct mxt_attention *shape);
	/* Items are independent of each other; `scratch` is the thread's own. */
	uint32_t (*items)(const struct mxt_attention *shape);
	void (*forward)(const struct mxt_blas *blas, const struct mxt_attention_call *call, uint32_t item,
			float *scratch);
	void (*backward)(const struct mxt_blas *blas, const struct mxt_attention_call *call, uint32_t item,
			 float *scratch);
};

/* The whole score matrix of a head at a time, masked elements included: the plain formula in matrix products. */
extern const struct mxt_attention_backend mxt_attention_math;

/*
 * Blocks of scores with a running softmax; blocks that the mask empties are left out; backward computes scores again.
 */
extern const struct mxt_attention_backend mxt_attention_flash;

/* By name; NULL when unknown. */
const struct mxt_attention_backend *mxt_attention_backend_find(const char *name);

/* Floats of scratch memory for each thread, rounded up to whole cache lines. */
size_t mxt_attention_scratch(const struct mxt_attention_backend *backend, const struct mxt_attention *shape);

/* Does the call's direction. `scratch` holds mxt_attention_scratch() floats for each thread of the pool. */
void mxt_attention_run(const struct mxt_attention_backend *backend, const struct mxt_blas *blas,
		       struct mxt_thread_pool *pool, const struct mxt_attention_call *call, float *scratch);

#endif
