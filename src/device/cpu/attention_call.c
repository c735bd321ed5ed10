/* SPDX-License-Identifier: Apache-2.0 */
#include "attention_call.h"

#include <string.h>

#include "blas.h"
#include "thread_pool.h"
#include "vector_math.h"

const struct mxt_attention_backend *mxt_attention_backend_find(const char *name)
{
	static const struct mxt_attention_backend *const backends[] = {&mxt_attention_flash, &mxt_attention_math};
	for (size_t i = 0; i < MXT_ARRAY_LEN(backends); i++)
		if (strcmp(backends[i]->name, name) == 0)
			return backends[i];
	return NULL;
}

size_t mxt_attention_scratch(const struct mxt_attention_backend *backend, const struct mxt_attention *shape)
{
	const size_t step = 64;
	return (backend->scratch(shape) + step - 1) / step * step;
}

struct run {
	const struct mxt_attention_backend *backend;
	const struct mxt_blas *blas;
	const struct mxt_attention_call *call;
	float *scratch;
	size_t scratch_stride;
};

static void run_item(void *context, uint32_t thread, uint32_t item)
{
	const struct run *run = context;
	float *scratch = run->scratch + thread * run->scratch_stride;
	if (run->call->shape.direction == MXT_FORWARD)
		run->backend->forward(run->blas, run->call, item, scratch);
	else
		run->backend->backward(run->blas, run->call, item, scratch);
}

/* Sums a position's partial gradients over each group of heads, which lie side by side. */
static void sum_groups(const struct mxt_attention *shape, const float *partial, float *total)
{
	size_t head_dim = (size_t)shape->head_dim, group = (size_t)(shape->heads / shape->kv_heads);
	for (int32_t i = 0; i < shape->kv_heads; i++) {
		memcpy(total, partial, head_dim * sizeof *total);
		for (size_t j = 1; j < group; j++)
			mxt_row_add(total, partial + j * head_dim, head_dim);
		partial += group * head_dim;
		total += head_dim;
	}
}

/* One position of one batch. */
static void reduce_item(void *context, uint32_t thread, uint32_t item)
{
	(void)thread;
	const struct mxt_attention_call *call = context;
	size_t dim = (size_t)call->shape.head_dim;
	size_t wide = item * (size_t)call->shape.heads * dim, narrow = item * (size_t)call->shape.kv_heads * dim;
	sum_groups(&call->shape, call->partial_k + wide, call->grad_k + narrow);
	sum_groups(&call->shape, call->partial_v + wide, call->grad_v + narrow);
}

void mxt_attention_run(const struct mxt_attention_backend *backend, const struct mxt_blas *blas,
		       struct mxt_thread_pool *pool, const struct mxt_attention_call *call, float *scratch)
{
	const struct mxt_attention *shape = &call->shape;
	struct run run = {.backend = backend, .blas = blas, .call = call};
	struct mxt_attention_call reduced = *call;
	run.scratch = scratch;
	run.scratch_stride = mxt_attention_scratch(backend, shape);
	mxt_blas_set_threads(blas, 1);
	mxt_thread_pool_run(pool, run_item, &run, backend->items(shape));
	if (shape->direction == MXT_BACKWARD && shape->heads != shape->kv_heads)
		mxt_thread_pool_run(pool, reduce_item, &reduced, (uint32_t)shape->batch * (uint32_t)shape->seq);
	mxt_blas_set_threads(blas, blas->threads);
}
