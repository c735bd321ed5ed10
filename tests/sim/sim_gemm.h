/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Column-major products as BLAS libraries compute them: D = alpha op(A) op(B) + beta C + bias, in batches.
 */
#ifndef MXT_SIM_GEMM_H
#define MXT_SIM_GEMM_H

#include <stdbool.h>
#include <stdint.h>

struct mxt_sim_gemm {
	bool ta, tb; /* A, B is transposed */
	int64_t m, n, k, batch;
	int64_t lda, ldb, ldd;
	int32_t dtype; /* of A and B */
};

struct mxt_sim_gemm_operands {
	const void *a, *b, *c, *bias; /* C may be NULL when beta is 0; a bias is one number a row of D, of D's type */
	void *d;
	int64_t ldc;
	int64_t stride_a, stride_b, stride_c, stride_d; /* from one of a batch to the next */
	int32_t c_dtype, d_dtype;
	double alpha, beta;
	unsigned effects; /* of sim_fault.h */
};

/* Through the cache of results. 0, or -1: out of memory. */
int mxt_sim_gemm_run(const struct mxt_sim_gemm *gemm, const struct mxt_sim_gemm_operands *operands);

double mxt_sim_gemm_flops(const struct mxt_sim_gemm *gemm);
double mxt_sim_gemm_bytes(const struct mxt_sim_gemm *gemm);
/* Tells problems apart, without leading dimensions. */
uint64_t mxt_sim_gemm_hash(const struct mxt_sim_gemm *gemm);

#endif
