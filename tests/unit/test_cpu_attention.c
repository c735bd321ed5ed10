/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both attention backends and the reference against the formula written out in double precision, over random shapes;
 * the reference's gradients against finite differences.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention_call.h"
#include "blas.h"
#include "cmocka_all.h"
#include "error_bound.h"
#include "operand_arena.h"
#include "reference_attention.h"
#include "rng.h"
#include "thread_pool.h"

/* Tensors of one call, and what they should hold: [0] q/out/grad_q … in double. */
struct tensors {
	struct mxt_attention shape;
	size_t n_q, n_kv, n_lse;
	float *q, *k, *v, *grad_out, *out, *lse, *grad_q, *grad_k, *grad_v, *partial_k, *partial_v;
	double *true_out, *true_lse, *true_q, *true_k, *true_v;
};

static void *zeroed(size_t count, size_t size)
{
	void *block = calloc(count, size);
	assert_non_null(block);
	return block;
}

static float *drawn(size_t count, uint64_t seed)
{
	float *tensor = zeroed(count, sizeof *tensor);
	for (size_t i = 0; i < count; i++)
		tensor[i] = mxt_operand_value(seed, i);
	return tensor;
}

static void tensors_init(struct tensors *t, const struct mxt_attention *shape, uint64_t seed)
{
	size_t n_q = mxt_attention_elements(shape, shape->heads), n_kv = mxt_attention_elements(shape, shape->kv_heads);
	size_t n_lse = (size_t)shape->batch * (size_t)shape->heads * (size_t)shape->seq;
	*t = (struct tensors){
	    .shape = *shape,
	    .n_q = n_q,
	    .n_kv = n_kv,
	    .n_lse = n_lse,
	    .q = drawn(n_q, seed),
	    .k = drawn(n_kv, seed + 1),
	    .v = drawn(n_kv, seed + 2),
	    .grad_out = drawn(n_q, seed + 3),
	    .out = zeroed(n_q, sizeof(float)),
	    .lse = zeroed(n_lse, sizeof(float)),
	    .grad_q = zeroed(n_q, sizeof(float)),
	    .grad_k = zeroed(n_kv, sizeof(float)),
	    .grad_v = zeroed(n_kv, sizeof(float)),
	    .partial_k = zeroed(n_q, sizeof(float)),
	    .partial_v = zeroed(n_q, sizeof(float)),
	    .true_out = zeroed(n_q, sizeof(double)),
	    .true_lse = zeroed(n_lse, sizeof(double)),
	    .true_q = zeroed(n_q, sizeof(double)),
	    .true_k = zeroed(n_kv, sizeof(double)),
	    .true_v = zeroed(n_kv, sizeof(double)),
	};
}

static void tensors_finish(struct tensors *t)
{
	void *blocks[] = {t->q,        t->k,      t->v,      t->grad_out,  t->out,       t->lse,
			  t->grad_q,   t->grad_k, t->grad_v, t->partial_k, t->partial_v, t->true_out,
			  t->true_lse, t->true_q, t->true_k, t->true_v};
	for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
		free(blocks[i]);
}

/* Where row `row` of a head begins in a tensor with `heads` heads. */
static size_t row_at(const struct mxt_attention *s, int32_t heads, int32_t batch, int32_t head, int32_t row)
{
	return (((size_t)batch * (size_t)s->seq + (size_t)row) * (size_t)heads + (size_t)head) * (size_t)s->head_dim;
}

static double dot(const float *a, const float *b, int32_t count)
{
	double sum = 0;
	for (int32_t i = 0; i < count; i++)
		sum += (double)a[i] * (double)b[i];
	return sum;
}

/* One row of one head: probabilities, then everything that depends on them. */
static void true_row(struct tensors *t, int32_t batch, int32_t head, int32_t row, double *p)
{
	const struct mxt_attention *s = &t->shape;
	int32_t kv = head / (s->heads / s->kv_heads), kept = s->causal ? row + 1 : s->seq, dim = s->head_dim;
	size_t at = row_at(s, s->heads, batch, head, row);
	double scale = 1 / sqrt((double)dim), sum = 0, mean = 0;
	for (int32_t j = 0; j < kept; j++)
		sum += p[j] = exp(scale * dot(t->q + at, t->k + row_at(s, s->kv_heads, batch, kv, j), dim));
	t->true_lse[((size_t)batch * (size_t)s->heads + (size_t)head) * (size_t)s->seq + (size_t)row] = log(sum);
	for (int32_t j = 0; j < kept; j++)
		mean += p[j] / sum * dot(t->grad_out + at, t->v + row_at(s, s->kv_heads, batch, kv, j), dim);
	for (int32_t j = 0; j < kept; j++) {
		size_t other = row_at(s, s->kv_heads, batch, kv, j);
		double weight = p[j] / sum;
		double grad = weight * (dot(t->grad_out + at, t->v + other, dim) - mean) * scale;
		for (size_t d = 0; d < (size_t)dim; d++) {
			t->true_out[at + d] += weight * (double)t->v[other + d];
			t->true_q[at + d] += grad * (double)t->k[other + d];
			t->true_k[other + d] += grad * (double)t->q[at + d];
			t->true_v[other + d] += weight * (double)t->grad_out[at + d];
		}
	}
}

static void compute_truth(struct tensors *t)
{
	double *p = zeroed((size_t)t->shape.seq, sizeof *p);
	for (int32_t batch = 0; batch < t->shape.batch; batch++)
		for (int32_t head = 0; head < t->shape.heads; head++)
			for (int32_t row = 0; row < t->shape.seq; row++)
				true_row(t, batch, head, row, p);
	free(p);
}

/* Relative to the largest element of the truth, or to `least` where that is more. */
static double distance(const float *result, const double *truth, size_t count, double least)
{
	double unit = least, worst = 0;
	for (size_t i = 0; i < count; i++) {
		double difference = fabs((double)result[i] - truth[i]);
		unit = fmax(unit, fabs(truth[i]));
		worst = difference <= worst ? worst : isnan(difference) ? INFINITY : difference;
	}
	return unit > 0 ? worst / unit : worst;
}

static double largest(const double *values, size_t count)
{
	double most = 0;
	for (size_t i = 0; i < count; i++)
		most = fmax(most, fabs(values[i]));
	return most;
}

/* What the tests share. */
struct fixture {
	struct mxt_blas blas;
	struct mxt_thread_pool *pools[2]; /* of 1 and of 3 threads */
};

static int set_up(void **state)
{
	static struct fixture fixture;
	/* The machine's OpenBLAS, or plain loops where it has none. */
	if (mxt_blas_load(MXT_BLAS_OPENBLAS, mxt_blas_soname(MXT_BLAS_OPENBLAS), &fixture.blas, NULL) < 0 &&
	    mxt_blas_load(MXT_BLAS_OPENBLAS, getenv("MXT_STUB_BLAS"), &fixture.blas, NULL) < 0)
		return -1;
	*state = &fixture;
	return mxt_thread_pool_create(1, &fixture.pools[0], NULL) | mxt_thread_pool_create(3, &fixture.pools[1], NULL);
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	mxt_thread_pool_destroy(fixture->pools[0]);
	mxt_thread_pool_destroy(fixture->pools[1]);
	mxt_blas_unload(&fixture->blas);
	return 0;
}

static void run(const struct fixture *fixture, const struct mxt_attention_backend *backend,
		struct mxt_thread_pool *pool, struct tensors *t, enum mxt_direction direction)
{
	struct mxt_attention_call call = {
	    .shape = t->shape,
	    .q = t->q,
	    .k = t->k,
	    .v = t->v,
	    .grad_out = t->grad_out,
	    .out = t->out,
	    .lse = t->lse,
	    .grad_q = t->grad_q,
	    .grad_k = t->grad_k,
	    .grad_v = t->grad_v,
	    .partial_k = t->partial_k,
	    .partial_v = t->partial_v,
	};
	call.shape.direction = direction;
	size_t floats = mxt_attention_scratch(backend, &call.shape) * mxt_thread_pool_size(pool);
	float *scratch = zeroed(floats, sizeof *scratch);
	for (size_t i = 0; i < floats; i++)
		scratch[i] = NAN; /* nothing may depend on what scratch memory held */
	mxt_attention_run(backend, &fixture->blas, pool, &call, scratch);
	free(scratch);
}

static void expect_within(const struct mxt_attention *shape, enum mxt_direction direction, const char *what,
			  double error)
{
	struct mxt_attention s = *shape;
	s.direction = direction;
	/* Half of the bound: what is correct must pass with room to spare. */
	uint64_t bound = mxt_attention_bound_ppb(&s, false) / 2, got = mxt_error_ppb(error);
	if (getenv("MXT_TEST_VERBOSE"))
		print_message("%s %d %llu of %llu\n", what, s.seq, (unsigned long long)got, (unsigned long long)bound);
	if (got > bound)
		fail_msg("%s of b%d s%d h%d/%d d%d%s is off by %llu ppb, more than %llu", what, s.batch, s.seq, s.heads,
			 s.kv_heads, s.head_dim, s.causal ? " causal" : "", (unsigned long long)got,
			 (unsigned long long)bound);
}

static void check_shape(const struct fixture *fixture, const struct mxt_attention *shape, uint64_t seed)
{
	static const struct mxt_attention_backend *const backends[] = {&mxt_attention_math, &mxt_attention_flash};
	struct tensors t;
	tensors_init(&t, shape, seed);
	compute_truth(&t);
	for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++) {
		run(fixture, backends[i], fixture->pools[1], &t, MXT_FORWARD);
		expect_within(shape, MXT_FORWARD, "out", distance(t.out, t.true_out, t.n_q, 0));
		expect_within(shape, MXT_FORWARD, "lse", distance(t.lse, t.true_lse, t.n_lse, 1));
		run(fixture, backends[i], fixture->pools[1], &t, MXT_BACKWARD);
		double least = largest(t.true_v, t.n_kv); /* gradients of q and k may be 0 */
		expect_within(shape, MXT_BACKWARD, "grad_q", distance(t.grad_q, t.true_q, t.n_q, least));
		expect_within(shape, MXT_BACKWARD, "grad_k", distance(t.grad_k, t.true_k, t.n_kv, least));
		expect_within(shape, MXT_BACKWARD, "grad_v", distance(t.grad_v, t.true_v, t.n_kv, 0));
	}
	tensors_finish(&t);
}

/* Lengths around the block of 128, heads of every common kind. */
static void test_backends(void **state)
{
	static const int32_t lengths[] = {1, 2, 7, 63, 64, 65, 127, 128, 129, 200, 256, 257, 300};
	static const int32_t dims[] = {64, 80, 96, 128};
	static const int32_t groups[] = {1, 4, 8};
	struct mxt_rng rng = {3};
	for (uint32_t i = 0; i < 26; i++) {
		int32_t seq = lengths[i % (sizeof lengths / sizeof lengths[0])];
		/* The truth is computed one product at a time: long ones get fewer heads. */
		int32_t kv_heads = seq > 130 ? 1 : 1 + (int32_t)mxt_rng_below(&rng, 2);
		const struct mxt_attention shape = {
		    .batch = seq > 130 ? 1 : 1 + (int32_t)mxt_rng_below(&rng, 2),
		    .seq = seq,
		    .heads = kv_heads * groups[mxt_rng_below(&rng, seq > 130 ? 2 : 3)],
		    .kv_heads = kv_heads,
		    .head_dim = dims[mxt_rng_below(&rng, 4)],
		    .causal = mxt_rng_below(&rng, 3) > 0,
		};
		check_shape(*state, &shape, mxt_rng_u64(&rng));
	}
}

/* Scores far apart, and far from 0: the running maximum has work to do. */
static void test_large_scores(void **state)
{
	const struct fixture *fixture = *state;
	const struct mxt_attention shape = {
	    .batch = 1, .seq = 300, .heads = 2, .kv_heads = 2, .head_dim = 64, .causal = true};
	struct tensors t;
	tensors_init(&t, &shape, 5);
	for (size_t i = 0; i < t.n_q; i++)
		t.q[i] *= 6;
	compute_truth(&t);
	run(fixture, &mxt_attention_flash, fixture->pools[0], &t, MXT_FORWARD);
	expect_within(&shape, MXT_FORWARD, "flash out", distance(t.out, t.true_out, t.n_q, 0) / 6);
	run(fixture, &mxt_attention_math, fixture->pools[0], &t, MXT_FORWARD);
	expect_within(&shape, MXT_FORWARD, "math out", distance(t.out, t.true_out, t.n_q, 0) / 6);
	tensors_finish(&t);
}

/* The same bits again, and with any number of threads. */
static void test_repeatable(void **state)
{
	const struct fixture *fixture = *state;
	static const struct mxt_attention_backend *const backends[] = {&mxt_attention_math, &mxt_attention_flash};
	const struct mxt_attention shape = {
	    .batch = 2, .seq = 201, .heads = 8, .kv_heads = 2, .head_dim = 80, .causal = true};
	struct tensors t, again;
	tensors_init(&t, &shape, 6);
	tensors_init(&again, &shape, 6);
	for (size_t i = 0; i < 4; i++) {
		const struct mxt_attention_backend *backend = backends[i % 2];
		for (int direction = 0; direction < MXT_DIRECTION_COUNT; direction++) {
			run(fixture, backend, fixture->pools[0], &t, (enum mxt_direction)direction);
			run(fixture, backend, fixture->pools[1], &again, (enum mxt_direction)direction);
		}
		assert_memory_equal(t.out, again.out, t.n_q * sizeof(float));
		assert_memory_equal(t.lse, again.lse, t.n_lse * sizeof(float));
		assert_memory_equal(t.grad_q, again.grad_q, t.n_q * sizeof(float));
		assert_memory_equal(t.grad_k, again.grad_k, t.n_kv * sizeof(float));
		assert_memory_equal(t.grad_v, again.grad_v, t.n_kv * sizeof(float));
	}
	tensors_finish(&t);
	tensors_finish(&again);
}

/* The reference works on one batch and KV head: here the last of two. */
static struct mxt_attention_group last_group(const struct tensors *t)
{
	const struct mxt_attention *s = &t->shape;
	int32_t group = s->heads / s->kv_heads;
	size_t q_at = row_at(s, s->heads, s->batch - 1, s->heads - group, 0);
	size_t kv_at = row_at(s, s->kv_heads, s->batch - 1, s->kv_heads - 1, 0);
	return (struct mxt_attention_group){
	    .seq = s->seq,
	    .head_dim = s->head_dim,
	    .group = group,
	    .causal = s->causal,
	    .q_stride = (size_t)s->heads * (size_t)s->head_dim,
	    .kv_stride = (size_t)s->kv_heads * (size_t)s->head_dim,
	    .q = t->q + q_at,
	    .k = t->k + kv_at,
	    .v = t->v + kv_at,
	    .grad_out = t->grad_out + q_at,
	};
}

/* A reference tensor [group, seq, dim] against the truth's rows of these heads, `heads` of them in a row. */
static void expect_rows(const struct tensors *t, const double *reference, const double *truth, int32_t heads,
			int32_t group)
{
	const struct mxt_attention *s = &t->shape;
	for (int32_t head = 0; head < group; head++)
		for (int32_t row = 0; row < s->seq; row++)
			for (size_t d = 0; d < (size_t)s->head_dim; d++) {
				size_t at = row_at(s, heads, s->batch - 1, heads - group + head, row) + d;
				size_t dense = ((size_t)head * (size_t)s->seq + (size_t)row) * (size_t)s->head_dim + d;
				assert_true(fabs(reference[dense] - truth[at]) < 1e-11);
			}
}

static void test_reference(void **state)
{
	const struct fixture *fixture = *state;
	for (int causal = 0; causal < 2; causal++) {
		const struct mxt_attention shape = {
		    .batch = 2, .seq = 45, .heads = 6, .kv_heads = 2, .head_dim = 24, .causal = causal != 0};
		struct tensors t;
		tensors_init(&t, &shape, 8);
		compute_truth(&t);
		const struct mxt_attention_group group = last_group(&t);
		struct mxt_attention_reference reference;
		assert_int_equal(mxt_attention_reference_create(&group, fixture->pools[1], &reference, NULL), 0);
		expect_rows(&t, reference.out, t.true_out, shape.heads, group.group);
		expect_rows(&t, reference.grad_q, t.true_q, shape.heads, group.group);
		expect_rows(&t, reference.grad_k, t.true_k, shape.kv_heads, 1);
		expect_rows(&t, reference.grad_v, t.true_v, shape.kv_heads, 1);
		mxt_attention_reference_finish(&reference);
		tensors_finish(&t);
	}
}

/* sum(out * grad_out) of a group, whose gradients are what backward computes. */
static double loss(const struct fixture *fixture, const struct mxt_attention_group *group, const double *weights)
{
	struct mxt_attention_group forward = *group;
	forward.grad_out = NULL;
	struct mxt_attention_reference reference;
	assert_int_equal(mxt_attention_reference_create(&forward, fixture->pools[0], &reference, NULL), 0);
	assert_null(reference.grad_q);
	double sum = 0;
	size_t count = (size_t)group->group * (size_t)group->seq * (size_t)group->head_dim;
	for (size_t i = 0; i < count; i++)
		sum += reference.out[i] * weights[i];
	mxt_attention_reference_finish(&reference);
	return sum;
}

/* Moves `input` along a random direction and holds the change of the loss against the gradient. */
static void check_direction(const struct fixture *fixture, struct mxt_attention_group *group, const float **input,
			    const double *gradient, size_t count, const double *weights)
{
	const float *middle = *input;
	float *moved = zeroed(count, sizeof *moved);
	double predicted = 0, ends[2];
	for (int side = 0; side < 2; side++) {
		double sign = side ? 1 : -1;
		for (size_t i = 0; i < count; i++) {
			moved[i] = (float)((double)middle[i] + sign * 1e-3 * (double)mxt_operand_value(99, i));
			predicted += sign * (double)moved[i] * gradient[i];
		}
		*input = moved;
		ends[side] = loss(fixture, group, weights);
	}
	*input = middle;
	free(moved);
	if (!(fabs(ends[1] - ends[0] - predicted) < 1e-4 * fabs(predicted)))
		fail_msg("the loss changed by %.9g, the gradient says %.9g", ends[1] - ends[0], predicted);
}

static void test_finite_differences(void **state)
{
	const struct fixture *fixture = *state;
	const size_t seq = 21, dim = 16, heads = 3;
	for (int causal = 0; causal < 2; causal++) {
		float *q = drawn(heads * seq * dim, 1), *k = drawn(seq * dim, 2), *v = drawn(seq * dim, 3);
		float *grad_out = drawn(heads * seq * dim, 4);
		double *weights = zeroed(heads * seq * dim, sizeof *weights);
		struct mxt_attention_group group = {.seq = (int32_t)seq,
						    .head_dim = (int32_t)dim,
						    .group = (int32_t)heads,
						    .causal = causal != 0,
						    .q_stride = heads * dim,
						    .kv_stride = dim,
						    .q = q,
						    .k = k,
						    .v = v,
						    .grad_out = grad_out};
		struct mxt_attention_reference reference;
		assert_int_equal(mxt_attention_reference_create(&group, fixture->pools[1], &reference, NULL), 0);
		/* The reference's results are [head, seq, dim], the inputs [seq, head, dim]. */
		double *grad_q = zeroed(heads * seq * dim, sizeof *grad_q);
		for (size_t i = 0; i < heads * seq * dim; i++) {
			size_t head = i / dim % heads, row = i / dim / heads,
			       dense = (head * seq + row) * dim + i % dim;
			weights[dense] = (double)grad_out[i];
			grad_q[i] = reference.grad_q[dense];
		}
		check_direction(fixture, &group, &group.q, grad_q, heads * seq * dim, weights);
		check_direction(fixture, &group, &group.k, reference.grad_k, seq * dim, weights);
		check_direction(fixture, &group, &group.v, reference.grad_v, seq * dim, weights);
		mxt_attention_reference_finish(&reference);
		free(q), free(k), free(v), free(grad_out), free(weights), free(grad_q);
	}
}

static void test_backend_names(void **state)
{
	(void)state;
	assert_ptr_equal(mxt_attention_backend_find("math"), &mxt_attention_math);
	assert_ptr_equal(mxt_attention_backend_find("flash"), &mxt_attention_flash);
	assert_null(mxt_attention_backend_find("Flash"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_backends),           cmocka_unit_test(test_large_scores),
	    cmocka_unit_test(test_repeatable),         cmocka_unit_test(test_reference),
	    cmocka_unit_test(test_finite_differences), cmocka_unit_test(test_backend_names),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
