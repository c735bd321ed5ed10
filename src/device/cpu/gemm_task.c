/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products through cblas_sgemm().
 */
#include <blake3.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cpu_state.h"
#include "error.h"
#include "error_bound.h"
#include "reference_gemm.h"
#include "vector_math.h"

/* Where the operands of one call are. */
struct operands {
	const float *a, *b, *bias;
	float *c;
};

/* Of one product. */
static size_t a_floats(const struct mxt_gemm *g)
{
	return (size_t)(g->trans_a ? g->k : g->m) * (size_t)g->lda;
}

static size_t b_floats(const struct mxt_gemm *g)
{
	return (size_t)(g->trans_b ? g->n : g->k) * (size_t)g->ldb;
}

static size_t c_floats(const struct mxt_gemm *g)
{
	return (size_t)g->m * (size_t)g->ldc;
}

static size_t products(const struct mxt_gemm *g)
{
	return g->batch ? (size_t)g->batch : 1;
}

/* A part of a window: an operand of all products. */
static size_t part_bytes(const struct mxt_gemm *g, size_t floats)
{
	return mxt_operand_window(products(g) * floats * sizeof(float));
}

static struct operands next_operands(struct mxt_device *device, const struct mxt_task *task)
{
	const struct mxt_gemm *g = &task->problem.as.gemm;
	const float *inputs = mxt_operand_arena_next(&device->inputs, task->input_bytes);
	const float *b = inputs + part_bytes(g, a_floats(g)) / sizeof(float);
	const float *bias = b + part_bytes(g, b_floats(g)) / sizeof(float);
	return (struct operands){inputs, b, g->bias ? bias : NULL,
				 mxt_operand_arena_next(&device->outputs, task->output_bytes)};
}

/* The same operands in every call. */
static struct operands first_operands(struct mxt_device *device, const struct mxt_task *task)
{
	mxt_operand_arena_rewind(&device->inputs);
	mxt_operand_arena_rewind(&device->outputs);
	return next_operands(device, task);
}

/* Those of one product of a batch. */
static struct operands operands_at(const struct mxt_gemm *g, const struct operands *o, size_t i)
{
	return (struct operands){o->a + i * a_floats(g), o->b + i * b_floats(g), o->bias, o->c + i * c_floats(g)};
}

static void multiply_one(const struct mxt_blas *blas, const struct mxt_gemm *g, const struct operands *o)
{
	blas->call.cblas_sgemm(MXT_CBLAS_ROW_MAJOR, g->trans_a ? MXT_CBLAS_TRANS : MXT_CBLAS_NO_TRANS,
			       g->trans_b ? MXT_CBLAS_TRANS : MXT_CBLAS_NO_TRANS, (int32_t)g->m, (int32_t)g->n,
			       (int32_t)g->k, 1.0F, o->a, (int32_t)g->lda, o->b, (int32_t)g->ldb,
			       g->accumulate ? 1.0F : 0.0F, o->c, (int32_t)g->ldc);
	for (size_t row = 0; o->bias && row < (size_t)g->m; row++)
		mxt_row_add(o->c + row * (size_t)g->ldc, o->bias, (size_t)g->n);
}

static void multiply(const struct mxt_blas *blas, const struct mxt_gemm *g, const struct operands *o)
{
	for (size_t i = 0; i < products(g); i++) {
		const struct operands one = operands_at(g, o, i);
		multiply_one(blas, g, &one);
	}
}

static void run(struct mxt_device *device, struct mxt_task *task)
{
	const struct operands operands = next_operands(device, task);
	multiply(&device->blas, &task->problem.as.gemm, &operands);
}

static void hash_rows(const struct mxt_gemm *g, const float *c, uint8_t bits[32])
{
	blake3_hasher hasher;
	blake3_hasher_init(&hasher);
	for (size_t row = 0; row < products(g) * (size_t)g->m; row++)
		blake3_hasher_update(&hasher, c + row * (size_t)g->ldc, (size_t)g->n * sizeof *c);
	blake3_hasher_finalize(&hasher, bits, 32);
}

/* What c holds before: random numbers to add to, or NaN, which a product that overwrites must not let through. */
static void fill_before(const struct mxt_gemm *g, float *c, float *copy)
{
	for (size_t i = 0; i < products(g) * c_floats(g); i++) {
		c[i] = g->accumulate ? mxt_operand_value(~MXT_CPU_SEED, i) : NAN;
		if (copy)
			copy[i] = c[i];
	}
}

static void again(struct mxt_device *device, struct mxt_task *task, uint8_t bits[32])
{
	const struct mxt_gemm *g = &task->problem.as.gemm;
	const struct operands o = first_operands(device, task);
	fill_before(g, o.c, NULL);
	multiply(&device->blas, g, &o);
	hash_rows(g, o.c, bits);
}

#define LOOKED_AT 4 /* products of a batch */

/* The worst of some products, evenly spaced, the last among them. */
static int measure(const struct mxt_device *device, const struct mxt_gemm *g, const struct operands *o,
		   const float *before, double *ret_distance, struct mxt_error *err)
{
	size_t count = products(g) < LOOKED_AT ? products(g) : LOOKED_AT;
	double worst = 0;
	for (size_t n = 1; n <= count; n++) {
		size_t i = n * products(g) / count - 1;
		const struct operands one = operands_at(g, o, i);
		const struct mxt_gemm_result result = {.shape = *g,
						       .a = one.a,
						       .b = one.b,
						       .before = before ? before + i * c_floats(g) : NULL,
						       .bias = one.bias,
						       .c = one.c};
		struct mxt_gemm_distance distance;
		int rc = mxt_gemm_distance_measure(&result, MXT_CPU_SEED, device->pool, &distance, err);
		if (rc < 0)
			return rc;
		worst = fmax(worst, fmax(distance.sampled, distance.projected));
	}
	*ret_distance = worst;
	return 0;
}

static int check(struct mxt_device *device, struct mxt_task *task, struct mxt_check *ret_check, struct mxt_error *err)
{
	const struct mxt_gemm *g = &task->problem.as.gemm;
	MXT_CLEANUP_FREE float *before = g->accumulate ? malloc(products(g) * c_floats(g) * sizeof *before) : NULL;
	if (g->accumulate && !before)
		return mxt_error_oom(err);
	const struct operands o = first_operands(device, task);
	fill_before(g, o.c, before);
	multiply(&device->blas, g, &o);
	double distance = INFINITY;
	int rc = measure(device, g, &o, before, &distance, err);
	if (rc < 0)
		return rc;
	ret_check->error_ppb = mxt_error_ppb(distance);
	ret_check->bound_ppb = mxt_gemm_bound_ppb(g->dtype, g->k);
	hash_rows(g, o.c, ret_check->bits);
	return 0;
}

static bool fits(int64_t value)
{
	return value <= INT32_MAX;
}

int mxt_cpu_gemm_prepare(struct mxt_device *device, struct mxt_task *task, struct mxt_error *err)
{
	static const struct mxt_cpu_task_ops ops = {run, check, again};
	const struct mxt_gemm *g = &task->problem.as.gemm;
	if (!fits(g->m) || !fits(g->n) || !fits(g->k) || !fits(g->lda) || !fits(g->ldb) || !fits(g->ldc))
		return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED,
				     "a dimension is beyond the 32-bit integers of the BLAS interface");
	task->ops = &ops;
	task->input_bytes = part_bytes(g, a_floats(g)) + part_bytes(g, b_floats(g)) +
			    (g->bias ? mxt_operand_window((size_t)g->n * sizeof(float)) : 0);
	task->output_bytes = part_bytes(g, c_floats(g));
	return mxt_cpu_reserve(device, task, mxt_cpu_windows(device, task), err);
}
