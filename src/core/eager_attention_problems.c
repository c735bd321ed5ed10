/* SPDX-License-Identifier: Apache-2.0 */
#include "eager_attention_problems.h"

#include "attention_problems.h"

enum score_product { QUERY_KEY, PROBABILITY_VALUE, VALUE_GRADIENT, PROBABILITY_GRADIENT, QUERY_GRADIENT, KEY_GRADIENT };

static struct mxt_gemm dense(int64_t m, int64_t n, int64_t k, bool trans_a, bool trans_b)
{
	return (struct mxt_gemm){.m = m,
				 .n = n,
				 .k = k,
				 .lda = trans_a ? m : k,
				 .ldb = trans_b ? k : n,
				 .ldc = n,
				 .trans_a = trans_a,
				 .trans_b = trans_b};
}

static struct mxt_gemm product_shape(const struct mxt_attention *a, bool repeated, enum score_product product)
{
	int64_t s = a->seq, d = a->head_dim;
	switch (product) {
	case QUERY_KEY:
		return dense(s, s, d, false, repeated);
	case PROBABILITY_VALUE:
		return dense(s, d, s, false, false);
	case VALUE_GRADIENT:
		return dense(s, d, s, true, false);
	case PROBABILITY_GRADIENT:
		return dense(s, s, d, false, true);
	case QUERY_GRADIENT:
		return dense(s, d, s, false, !repeated);
	case KEY_GRADIENT:
		break;
	}
	return dense(d, s, s, true, false);
}

static struct mxt_problem as_problem(const struct mxt_problem_builder *b, const struct mxt_attention *call,
				     enum score_product product)
{
	const struct mxt_model *m = &b->workload->model;
	struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM,
				      .as.gemm = product_shape(call, m->kv_heads != m->heads, product)};
	problem.as.gemm.batch = call->batch * call->heads;
	problem.as.gemm.dtype = call->dtype;
	return problem;
}

/* All shapes with their shares (windows change masks only); a shape that a job never runs is not worth a product. */
static void multiply(struct mxt_problem_builder *b, enum score_product product, uint32_t layers)
{
	struct mxt_attention_shape shape, real;
	for (size_t i = 0; i < mxt_attention_rows(b) && mxt_attention_shape_at(b, i, true, &shape) &&
			   mxt_attention_shape_at(b, i, false, &real);
	     i++) {
		struct mxt_problem problem = as_problem(b, &shape.call, product),
				   whole = as_problem(b, &real.call, product);
		if (shape.share_ppm == 0)
			continue;
		uint32_t index = mxt_builder_add(b, &problem, layers, shape.share_ppm);
		b->set->step_flops[MXT_PROBLEM_GEMM] += mxt_problem_flops(&whole) * layers * shape.share_ppm / MXT_PPM;
		b->set->scaled = b->set->scaled || !mxt_problem_equal(&problem, &whole);
		if (i == 0)
			mxt_builder_step(b, index);
	}
}

/* Streams over all scores, `values` of the step's dtype and `floats` of float32 each. */
static void stream_scores(struct mxt_problem_builder *b, int values, int floats)
{
	struct mxt_attention_shape shape;
	if (!mxt_attention_shape_at(b, 0, true, &shape))
		return;
	int64_t scores = (int64_t)shape.call.batch * shape.call.heads * shape.call.seq * shape.call.seq;
	mxt_builder_filler(b, scores * (values * (int64_t)mxt_dtype_bytes(b->dtype) + floats * INT64_C(4)));
}

static bool is_excluded(const struct mxt_problem_builder *b)
{
	return (b->workload->excluded & MXT_PART_ATTENTION) != 0;
}

void mxt_eager_forward(struct mxt_problem_builder *b, uint32_t layers)
{
	if (is_excluded(b))
		return;
	multiply(b, QUERY_KEY, layers);
	stream_scores(b, 6, 2); /* scale, mask, softmax to float32 and back */
	multiply(b, PROBABILITY_VALUE, layers);
}

void mxt_eager_backward(struct mxt_problem_builder *b, struct mxt_eager_gradients gradients, uint32_t layers)
{
	if (is_excluded(b))
		return;
	if (gradients.v)
		multiply(b, VALUE_GRADIENT, layers);
	if (!gradients.q && !gradients.k)
		return;
	multiply(b, PROBABILITY_GRADIENT, layers);
	stream_scores(b, 4, 4); /* softmax from float32 and back, scale */
	if (gradients.k)
		multiply(b, KEY_GRADIENT, layers);
	if (gradients.q)
		multiply(b, QUERY_GRADIENT, layers);
}
