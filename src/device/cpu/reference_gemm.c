/* SPDX-License-Identifier: Apache-2.0 */
#include "reference_gemm.h"

#include <math.h>
#include <stdlib.h>

#include "cleanup.h"
#include "error.h"
#include "rng.h"
#include "thread_pool.h"
#include "wide_math.h"

#define SAMPLES       1024
#define SAMPLED_ROWS  32
#define VECTORS       4
#define ROWS_PER_ITEM 256

/* A matrix as the product sees it: element (i, j) is at [i * stride + j], or at [j * stride + i] when transposed. */
struct matrix {
	const float *at;
	size_t rows, columns, stride;
	bool transposed;
};

static struct matrix left_of(const struct mxt_gemm_result *r)
{
	return (struct matrix){r->a, (size_t)r->shape.m, (size_t)r->shape.k, (size_t)r->shape.lda, r->shape.trans_a};
}

static struct matrix right_of(const struct mxt_gemm_result *r)
{
	return (struct matrix){r->b, (size_t)r->shape.k, (size_t)r->shape.n, (size_t)r->shape.ldb, r->shape.trans_b};
}

static struct matrix like_c(const struct mxt_gemm_result *r, const float *at)
{
	return (struct matrix){at, (size_t)r->shape.m, (size_t)r->shape.n, (size_t)r->shape.ldc, false};
}

static double element(const struct matrix *matrix, size_t i, size_t j)
{
	return (double)matrix->at[matrix->transposed ? j * matrix->stride + i : i * matrix->stride + j];
}

/* A difference that is not a number is as bad as any. */
static double worse(double worst, double difference)
{
	double size = fabs(difference);
	if (isnan(size))
		return INFINITY;
	return size > worst ? size : worst;
}

/* `count` of the indices below `extent`, the last one first; all of them when that many are asked for. */
static void draw_indices(struct mxt_rng *rng, size_t *indices, size_t count, size_t extent)
{
	for (size_t i = 0; i < count; i++)
		indices[i] = count == extent ? i : mxt_rng_below(rng, (uint32_t)extent);
	indices[0] = count == extent ? 0 : extent - 1;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

struct samples {
	size_t n_rows, n_columns;
	size_t rows[SAMPLED_ROWS], columns[SAMPLES];
};

static void samples_draw(struct samples *samples, const struct mxt_gemm *shape, struct mxt_rng *rng)
{
	samples->n_rows = smaller((size_t)shape->m, SAMPLED_ROWS);
	samples->n_columns = smaller((size_t)shape->n, SAMPLES / samples->n_rows);
	draw_indices(rng, samples->rows, samples->n_rows, (size_t)shape->m);
	draw_indices(rng, samples->columns, samples->n_columns, (size_t)shape->n);
}

struct sampling {
	const struct mxt_gemm_result *result;
	const struct samples *samples;
	float *left;       /* the sampled rows of op(a) */
	double *reference; /* [rows, columns] */
	double *columns;   /* one for each thread */
};

/* One sampled column: its k elements of op(b), then its elements of c. */
static void sample_column(void *context, uint32_t thread, uint32_t item)
{
	const struct sampling *s = context;
	const struct mxt_gemm *shape = &s->result->shape;
	size_t k = (size_t)shape->k, j = s->samples->columns[item];
	const struct matrix right = right_of(s->result);
	double *column = s->columns + thread * k;
	for (size_t t = 0; t < k; t++)
		column[t] = element(&right, t, j);
	for (size_t row = 0; row < s->samples->n_rows; row++) {
		size_t at = s->samples->rows[row] * (size_t)shape->ldc + j;
		double value = mxt_wide_dot(column, s->left + row * k, k);
		value += s->result->before ? (double)s->result->before[at] : 0;
		value += s->result->bias ? (double)s->result->bias[j] : 0;
		s->reference[row * s->samples->n_columns + item] = value;
	}
}

static void gather_left(const struct sampling *s)
{
	const struct matrix left = left_of(s->result);
	for (size_t row = 0; row < s->samples->n_rows; row++)
		for (size_t t = 0; t < left.columns; t++)
			s->left[row * left.columns + t] = (float)element(&left, s->samples->rows[row], t);
}

/* The largest reference element, and the largest difference from it. */
static void compare_samples(const struct sampling *s, double *ret_largest, double *ret_difference)
{
	const struct samples *samples = s->samples;
	double largest = 0, difference = 0;
	for (size_t row = 0; row < samples->n_rows; row++)
		for (size_t column = 0; column < samples->n_columns; column++) {
			double reference = s->reference[row * samples->n_columns + column];
			size_t at = samples->rows[row] * (size_t)s->result->shape.ldc + samples->columns[column];
			largest = worse(largest, reference);
			difference = worse(difference, (double)s->result->c[at] - reference);
		}
	*ret_largest = largest;
	*ret_difference = difference;
}

static int measure_samples(const struct mxt_gemm_result *result, struct mxt_rng *rng, struct mxt_thread_pool *pool,
			   double *ret_largest, double *ret_difference)
{
	struct samples samples;
	samples_draw(&samples, &result->shape, rng);
	size_t k = (size_t)result->shape.k;
	MXT_CLEANUP_FREE float *left = calloc(samples.n_rows * k, sizeof *left);
	MXT_CLEANUP_FREE double *reference = calloc(samples.n_rows * samples.n_columns, sizeof *reference);
	MXT_CLEANUP_FREE double *columns = calloc(mxt_thread_pool_size(pool) * k, sizeof *columns);
	if (!left || !reference || !columns)
		return -1;
	struct sampling sampling = {result, &samples, left, reference, columns};
	gather_left(&sampling);
	mxt_thread_pool_run(pool, sample_column, &sampling, (uint32_t)samples.n_columns);
	compare_samples(&sampling, ret_largest, ret_difference);
	return 0;
}

/* out[VECTORS][rows] += sign * matrix in[VECTORS][columns] */
struct application {
	struct matrix matrix;
	const double *in;
	double *out;
	double sign;
};

static void apply_item(void *context, uint32_t thread, uint32_t item)
{
	(void)thread;
	const struct application *a = context;
	const struct matrix *x = &a->matrix;
	size_t first = (size_t)item * ROWS_PER_ITEM, end = smaller(first + ROWS_PER_ITEM, x->rows);
	for (size_t i = first; i < end && !x->transposed; i++)
		for (size_t v = 0; v < VECTORS; v++)
			a->out[v * x->rows + i] +=
			    a->sign * mxt_wide_dot(a->in + v * x->columns, x->at + i * x->stride, x->columns);
	for (size_t t = 0; t < x->columns && x->transposed; t++)
		for (size_t v = 0; v < VECTORS; v++)
			mxt_wide_add(a->out + v * x->rows + first, a->sign * a->in[v * x->columns + t],
				     x->at + t * x->stride + first, end - first);
}

static void apply(struct mxt_thread_pool *pool, struct matrix matrix, const double *in, double sign, double *out)
{
	struct application application = {.matrix = matrix, .in = in, .sign = sign};
	application.out = out;
	mxt_thread_pool_run(pool, apply_item, &application,
			    (uint32_t)((matrix.rows + ROWS_PER_ITEM - 1) / ROWS_PER_ITEM));
}

static void draw_signs(struct mxt_rng *rng, double *signs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		signs[i] = mxt_rng_u64(rng) >> 63 ? 1 : -1;
}

static void subtract_bias(const struct mxt_gemm_result *result, const double *signs, double *rest)
{
	size_t m = (size_t)result->shape.m, n = (size_t)result->shape.n;
	for (size_t v = 0; v < VECTORS; v++) {
		double sum = mxt_wide_dot(signs + v * n, result->bias, n);
		for (size_t i = 0; i < m; i++)
			rest[v * m + i] -= sum;
	}
}

/* rest = c r - a (b r) - before r - bias r, for VECTORS vectors r; returns its largest element. */
static int measure_projections(const struct mxt_gemm_result *result, struct mxt_rng *rng, struct mxt_thread_pool *pool,
			       double *ret_difference)
{
	size_t m = (size_t)result->shape.m, n = (size_t)result->shape.n, k = (size_t)result->shape.k;
	MXT_CLEANUP_FREE double *signs = calloc(VECTORS * n, sizeof *signs);
	MXT_CLEANUP_FREE double *middle = calloc(VECTORS * k, sizeof *middle);
	MXT_CLEANUP_FREE double *rest = calloc(VECTORS * m, sizeof *rest);
	if (!signs || !middle || !rest)
		return -1;
	draw_signs(rng, signs, VECTORS * n);
	apply(pool, right_of(result), signs, 1, middle);
	apply(pool, left_of(result), middle, -1, rest);
	apply(pool, like_c(result, result->c), signs, 1, rest);
	if (result->before)
		apply(pool, like_c(result, result->before), signs, -1, rest);
	if (result->bias)
		subtract_bias(result, signs, rest);
	double difference = 0;
	for (size_t i = 0; i < VECTORS * m; i++)
		difference = worse(difference, rest[i]);
	*ret_difference = difference / sqrt((double)n);
	return 0;
}

int mxt_gemm_distance_measure(const struct mxt_gemm_result *result, uint64_t seed, struct mxt_thread_pool *pool,
			      struct mxt_gemm_distance *ret_distance, struct mxt_error *err)
{
	struct mxt_rng rng = {seed};
	double largest, sampled, projected;
	if (measure_samples(result, &rng, pool, &largest, &sampled) < 0 ||
	    measure_projections(result, &rng, pool, &projected) < 0)
		return mxt_error_oom(err);
	double unit = largest > 0 ? largest : 1; /* a zero matrix: absolute distances */
	*ret_distance = (struct mxt_gemm_distance){sampled / unit, projected / unit};
	return 0;
}
