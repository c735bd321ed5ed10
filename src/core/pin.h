/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pin: a matrix product, and the solution of the plan's library that is to compute it.
 *
 * Files that pins are written to describe a product as torch passes it to the BLAS libraries. Those are column-major,
 * so that they compute the transpose of a row-major result: their left operand is our right one, and their m is our n.
 * (torch: at::native::cublasCommonArgs of aten/src/ATen/native/cuda/Blas.cpp.)
 */
#ifndef MXT_CORE_PIN_H
#define MXT_CORE_PIN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "problem.h"

struct mxt_pin {
	struct mxt_gemm product;
	int32_t solution;
};

/*
 * A member of decision.gemm.pins. -EINVAL unless its problem is just what mxt_problem_json() says of it, which leaves
 * defaults out; -ENOMEM.
 */
int mxt_pin_read(const json_t *json, struct mxt_pin *ret_pin) MXT_WUR;

/* One call as torch makes it: column-major, leading dimensions in elements. */
struct mxt_blas_call {
	bool trans_a, trans_b;
	int64_t m, n, k;
	int64_t lda, ldb, ldc;
	int32_t batch; /* products in it, at least 1 */
};

struct mxt_blas_call mxt_blas_call(const struct mxt_gemm *product);

#endif
