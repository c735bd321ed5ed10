/* SPDX-License-Identifier: Apache-2.0 */
/* The distance of a matrix product from the truth: right products pass, each kind of wrong one is seen. */
#include <math.h>
#include <stdlib.h>

#include "blas.h"
#include "cmocka_all.h"
#include "error_bound.h"
#include "operand_arena.h"
#include "reference_gemm.h"
#include "rng.h"
#include "thread_pool.h"

struct product {
	struct mxt_gemm shape;
	float *a, *b, *c, *before, *bias; /* owned */
};

static float *drawn(size_t count, uint64_t seed)
{
	float *matrix = calloc(count, sizeof *matrix);
	assert_non_null(matrix);
	for (size_t i = 0; i < count; i++)
		matrix[i] = mxt_operand_value(seed, i);
	return matrix;
}

static double element(const float *matrix, bool transposed, int64_t stride, int64_t i, int64_t j)
{
	return (double)matrix[transposed ? j * stride + i : i * stride + j];
}

/* Draws operands and computes c in double precision, rounded once. */
static void product_init(struct product *p, const struct mxt_gemm *shape, uint64_t seed)
{
	const struct mxt_gemm *g = shape;
	*p = (struct product){
	    .shape = *g,
	    .a = drawn((size_t)((g->trans_a ? g->k : g->m) * g->lda), seed),
	    .b = drawn((size_t)((g->trans_b ? g->n : g->k) * g->ldb), seed + 1),
	    .c = drawn((size_t)(g->m * g->ldc), seed + 2),
	    .before = g->accumulate ? drawn((size_t)(g->m * g->ldc), seed + 2) : NULL,
	    .bias = g->bias ? drawn((size_t)g->n, seed + 3) : NULL,
	};
	for (int64_t i = 0; i < g->m; i++)
		for (int64_t j = 0; j < g->n; j++) {
			double sum = p->before ? (double)p->before[i * g->ldc + j] : 0;
			sum += p->bias ? (double)p->bias[j] : 0;
			for (int64_t t = 0; t < g->k; t++)
				sum +=
				    element(p->a, g->trans_a, g->lda, i, t) * element(p->b, g->trans_b, g->ldb, t, j);
			p->c[i * g->ldc + j] = (float)sum;
		}
}

static void product_finish(struct product *p)
{
	free(p->a);
	free(p->b);
	free(p->c);
	free(p->before);
	free(p->bias);
}

static struct mxt_gemm random_shape(struct mxt_rng *rng)
{
	struct mxt_gemm g = {
	    .m = 1 + mxt_rng_below(rng, 70),
	    .n = 1 + mxt_rng_below(rng, 70),
	    .k = 1 + mxt_rng_below(rng, 300),
	    .trans_a = mxt_rng_below(rng, 2),
	    .trans_b = mxt_rng_below(rng, 2),
	    .accumulate = mxt_rng_below(rng, 2),
	    .bias = mxt_rng_below(rng, 2),
	};
	g.lda = (g.trans_a ? g.m : g.k) + mxt_rng_below(rng, 3);
	g.ldb = (g.trans_b ? g.k : g.n) + mxt_rng_below(rng, 3);
	g.ldc = g.n + mxt_rng_below(rng, 3);
	return g;
}

static struct mxt_gemm_distance measure(struct mxt_thread_pool *pool, const struct product *p)
{
	const struct mxt_gemm_result result = {p->shape, p->a, p->b, p->before, p->bias, p->c};
	struct mxt_gemm_distance distance;
	assert_int_equal(mxt_gemm_distance_measure(&result, 11, pool, &distance, NULL), 0);
	return distance;
}

static int set_up(void **state)
{
	return mxt_thread_pool_create(2, (struct mxt_thread_pool **)state, NULL);
}

static int tear_down(void **state)
{
	mxt_thread_pool_destroy(*state);
	return 0;
}

/* Rounded once from double precision: half a unit in the last place. */
static void test_truth(void **state)
{
	struct mxt_rng rng = {21};
	for (int i = 0; i < 60; i++) {
		const struct mxt_gemm shape = random_shape(&rng);
		struct product p;
		product_init(&p, &shape, mxt_rng_u64(&rng));
		const struct mxt_gemm_distance distance = measure(*state, &p);
		assert_true(distance.sampled <= 0x1p-24);
		assert_true(distance.projected <= 0x1p-23);
		product_finish(&p);
	}
}

/* The larger of both distances after one element was made wrong by `error` of the largest possible kind. */
static void test_one_wrong_element(void **state)
{
	const struct mxt_gemm shape = {.m = 300, .n = 200, .k = 64, .lda = 64, .ldb = 200, .ldc = 200};
	struct mxt_rng rng = {22};
	struct product p;
	product_init(&p, &shape, 1);
	for (int i = 0; i < 50; i++) {
		float *element_c = &p.c[mxt_rng_below(&rng, 300 * 200)], right = *element_c;
		*element_c += 0.1F; /* about 0.3 % of the largest element */
		const struct mxt_gemm_distance distance = measure(*state, &p);
		assert_true(mxt_error_ppb(fmax(distance.sampled, distance.projected)) >
			    mxt_gemm_bound_ppb(MXT_DTYPE_F32, shape.k));
		*element_c = NAN;
		assert_true(isinf(measure(*state, &p).projected));
		*element_c = INFINITY;
		assert_true(isinf(measure(*state, &p).projected));
		*element_c = right;
	}
	product_finish(&p);
}

/* Errors a little above the bound everywhere: too small to be seen in one element by its projection. */
static void test_many_small_errors(void **state)
{
	const struct mxt_gemm shape = {.m = 64, .n = 128, .k = 256, .lda = 256, .ldb = 128, .ldc = 128};
	struct mxt_rng rng = {23};
	const size_t count = (size_t)64 * 128;
	struct product p;
	product_init(&p, &shape, 2);
	double largest = 0;
	for (size_t i = 0; i < count; i++)
		largest = fmax(largest, fabs((double)p.c[i]));
	double error = 3e-9 * (double)mxt_gemm_bound_ppb(MXT_DTYPE_F32, 256) * largest;
	for (size_t i = 0; i < count; i++)
		p.c[i] += (float)(mxt_rng_below(&rng, 2) ? error : -error);
	const struct mxt_gemm_distance distance = measure(*state, &p);
	assert_true(mxt_error_ppb(distance.sampled) > mxt_gemm_bound_ppb(MXT_DTYPE_F32, 256));
	assert_true(mxt_error_ppb(distance.projected) > mxt_gemm_bound_ppb(MXT_DTYPE_F32, 256));
	product_finish(&p);
}

/* Another function: what was asked for differs from what was computed in one property. */
static void test_other_function(void **state)
{
	const struct mxt_gemm shape = {
	    .m = 48, .n = 48, .k = 48, .lda = 48, .ldb = 48, .ldc = 48, .accumulate = true, .bias = true};
	struct product p;
	product_init(&p, &shape, 3);
	float *before = p.before, *bias = p.bias;
	assert_true(measure(*state, &p).sampled < 1e-7);
	p.before = NULL;
	assert_true(measure(*state, &p).sampled > 1e-2);
	assert_true(measure(*state, &p).projected > 1e-2);
	p.before = before;
	p.bias = NULL;
	assert_true(measure(*state, &p).sampled > 1e-2);
	assert_true(measure(*state, &p).projected > 1e-2);
	p.bias = bias;
	p.shape.trans_a = true;
	assert_true(measure(*state, &p).sampled > 1e-2);
	p.shape.trans_a = false;
	p.shape.trans_b = true;
	assert_true(measure(*state, &p).projected > 1e-2);
	product_finish(&p);
}

static void test_zero(void **state)
{
	const struct mxt_gemm shape = {.m = 3, .n = 2, .k = 4, .lda = 4, .ldb = 2, .ldc = 2};
	struct product p;
	product_init(&p, &shape, 4);
	for (size_t i = 0; i < 12; i++)
		p.a[i] = 0;
	for (size_t i = 0; i < 6; i++)
		p.c[i] = 0;
	assert_true(measure(*state, &p).sampled == 0);
	p.c[5] = 1e-3F;
	assert_true(measure(*state, &p).sampled > 1e-4);
	product_finish(&p);
}

static void test_error_ppb(void **state)
{
	(void)state;
	assert_int_equal(mxt_error_ppb(0), 0);
	assert_int_equal(mxt_error_ppb(1.5e-9), 2);
	assert_int_equal(mxt_error_ppb(1), 1000000000);
	assert_true(mxt_error_ppb(INFINITY) == UINT64_MAX);
	assert_true(mxt_error_ppb(NAN) == UINT64_MAX);
	assert_true(mxt_error_ppb(1e30) == UINT64_MAX);
	assert_true(mxt_gemm_bound_ppb(MXT_DTYPE_BF16, 64) > mxt_gemm_bound_ppb(MXT_DTYPE_F16, 64));
	assert_true(mxt_gemm_bound_ppb(MXT_DTYPE_F16, 64) > mxt_gemm_bound_ppb(MXT_DTYPE_F32, 64));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_truth),
	    cmocka_unit_test(test_one_wrong_element),
	    cmocka_unit_test(test_many_small_errors),
	    cmocka_unit_test(test_other_function),
	    cmocka_unit_test(test_zero),
	    cmocka_unit_test(test_error_ppb),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
