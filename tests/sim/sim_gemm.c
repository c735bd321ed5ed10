/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_gemm.h"

#include <stdlib.h>

#include "sim_cache.h"
#include "sim_number.h"
#include "sim_product.h"

/* A matrix as it is stored. */
struct stored {
	const char *at;
	int64_t rows, cols, ld;
	int32_t dtype;
};

static void take(struct mxt_sim_key *key, const struct stored *matrix)
{
	size_t bytes = mxt_sim_dtype_bytes(matrix->dtype);
	for (int64_t j = 0; j < matrix->cols; j++)
		mxt_sim_key_add_bytes(key, matrix->at + (size_t)(j * matrix->ld) * bytes, (size_t)matrix->rows * bytes);
}

/* Its numbers row by row, or column by column: new memory, or NULL. */
MXT_SIM_PLAIN static double *numbers_of(const struct stored *matrix, bool by_columns)
{
	int64_t rows = matrix->rows, cols = matrix->cols;
	double *out = calloc((size_t)(rows * cols) + 1, sizeof *out);
	for (int64_t j = 0; out && j < cols; j++)
		for (int64_t i = 0; i < rows; i++)
			out[by_columns ? j * rows + i : i * cols + j] =
			    mxt_sim_load(matrix->at, j * matrix->ld + i, matrix->dtype);
	return out;
}

/* op(A) op(B), row-major, into `to`. */
static int multiply(const struct mxt_sim_gemm *gemm, const struct stored *a, const struct stored *b, double *to)
{
	const struct mxt_sim_product product = {gemm->m, gemm->n, gemm->k};
	double *left = numbers_of(a, gemm->ta), *right = numbers_of(b, gemm->tb);
	if (left && right)
		mxt_sim_product_compute(&product, left, right, to);
	int rc = left && right ? 0 : -1;
	free(left);
	free(right);
	return rc;
}

MXT_SIM_PLAIN static void store(const struct mxt_sim_gemm *gemm, const struct mxt_sim_gemm_operands *operands,
				int64_t number, const double *product)
{
	for (int64_t j = 0; j < gemm->n; j++)
		for (int64_t i = 0; i < gemm->m; i++) {
			double value = operands->alpha * product[i * gemm->n + j];
			if (operands->beta != 0)
				value += operands->beta *
					 mxt_sim_load(operands->c, number * operands->stride_c + j * operands->ldc + i,
						      operands->c_dtype);
			if (operands->bias)
				value += mxt_sim_load(operands->bias, i, operands->d_dtype);
			if ((operands->effects & MXT_SIM_WRONG) && (i + j) % 7 == 0)
				value = 1.5 * value + 0.01;
			if ((operands->effects & MXT_SIM_NAN) && i + j == 0)
				value = strtod("nan", NULL);
			mxt_sim_store(operands->d, number * operands->stride_d + j * gemm->ldd + i, operands->d_dtype,
				      value);
		}
}

static int run_one(const struct mxt_sim_gemm *gemm, const struct mxt_sim_gemm_operands *operands, int64_t number)
{
	size_t bytes = mxt_sim_dtype_bytes(gemm->dtype), count = (size_t)(gemm->m * gemm->n);
	const struct stored a = {(const char *)operands->a + (size_t)(number * operands->stride_a) * bytes,
				 gemm->ta ? gemm->k : gemm->m, gemm->ta ? gemm->m : gemm->k, gemm->lda, gemm->dtype};
	const struct stored b = {(const char *)operands->b + (size_t)(number * operands->stride_b) * bytes,
				 gemm->tb ? gemm->n : gemm->k, gemm->tb ? gemm->k : gemm->n, gemm->ldb, gemm->dtype};
	struct mxt_sim_key key = MXT_SIM_KEY_INIT;
	const double what[] = {(double)gemm->m,  (double)gemm->n,  (double)gemm->k,
			       (double)gemm->ta, (double)gemm->tb, (double)gemm->dtype};
	mxt_sim_key_add(&key, what, sizeof what / sizeof what[0]);
	take(&key, &a);
	take(&key, &b);
	const double *known = mxt_sim_cache_find(&key, count);
	double *product = known ? NULL : calloc(count + 1, sizeof *product);
	if (!known && (!product || multiply(gemm, &a, &b, product))) {
		free(product);
		return -1;
	}
	store(gemm, operands, number, known ? known : product);
	if (product)
		mxt_sim_cache_put(&key, product, count);
	free(product);
	return 0;
}

int mxt_sim_gemm_run(const struct mxt_sim_gemm *gemm, const struct mxt_sim_gemm_operands *operands)
{
	int rc = 0;
	for (int64_t i = 0; rc == 0 && i < gemm->batch; i++)
		rc = run_one(gemm, operands, i);
	return rc;
}

double mxt_sim_gemm_flops(const struct mxt_sim_gemm *gemm)
{
	return 2 * (double)gemm->batch * (double)gemm->m * (double)gemm->n * (double)gemm->k;
}

double mxt_sim_gemm_bytes(const struct mxt_sim_gemm *gemm)
{
	double m = (double)gemm->m, n = (double)gemm->n, k = (double)gemm->k;
	return (double)gemm->batch * (m * k + k * n + m * n) * (double)mxt_sim_dtype_bytes(gemm->dtype);
}

uint64_t mxt_sim_gemm_hash(const struct mxt_sim_gemm *gemm)
{
	const int64_t what[] = {gemm->ta, gemm->tb, gemm->m, gemm->n, gemm->k, gemm->batch, gemm->dtype};
	return mxt_sim_hash(MXT_SIM_HASH_START, what, sizeof what);
}
