/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a matrix product is from the truth, whatever device it comes from, in double precision and at a cost far
 * below that of the product. Inputs are the very values that the device used, as float32.
 */
#ifndef MXT_CPU_REFERENCE_GEMM_H
#define MXT_CPU_REFERENCE_GEMM_H

#include "problem.h"

struct mxt_error;
struct mxt_thread_pool;

/* The matrices of one product, as its shape says. Borrowed. */
struct mxt_gemm_result {
	struct mxt_gemm shape;
	const float *a, *b;
	const float *before; /* what c held before the product, laid out as c; NULL unless shape.accumulate */
	const float *bias;   /* [n]; NULL unless shape.bias */
	const float *c;
};

/*
 * Distances relative to the largest reference element among the sampled ones; infinite when c holds NaN or infinity
 * where it was looked at.
 *
 * sampled: the worst of 1,024 elements (all of them, when there are fewer) at crossings of random rows and columns, the
 * last of each always among them; each is computed in full.
 *
 * projected: Freivalds' test. For a vector r of random signs, c r must equal a (b r) + ...; that costs three products
 * of a matrix with a vector. The worst row for 4 such vectors, divided by sqrt(n): errors of all elements, independent
 * of each other, add up to that many times one of them. An error e in one element alone shows as e / sqrt(n).
 */
struct mxt_gemm_distance {
	double sampled;
	double projected;
};

/* `seed` draws elements and vectors. */
int mxt_gemm_distance_measure(const struct mxt_gemm_result *result, uint64_t seed, struct mxt_thread_pool *pool,
			      struct mxt_gemm_distance *ret_distance, struct mxt_error *err);

#endif
