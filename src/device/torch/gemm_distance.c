/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_distance.h"

#include <blake3.h>
#include <math.h>
#include <stdlib.h>

#include "cleanup.h"
#include "error.h"
#include "rng.h"
#include "wide_tensor.h"

#define SEED          UINT64_C(0x6d696e6458747261) /* the same vectors in every process */
#define SAMPLED       32                           /* rows, and columns */
#define VECTORS       4
#define BLOCK_NUMBERS ((int64_t)1 << 25) /* of a matrix that are copied to float64 at once: 256 MiB */

/* One matrix of the product as the product sees it. */
struct operand {
	char *data;
	int64_t rows, columns;
	int64_t row_stride, column_stride; /* elements */
	enum mxt_dtype dtype;
};

static struct operand operand_of(char *data, int64_t rows, int64_t columns, int64_t ld, bool transposed,
				 enum mxt_dtype dtype)
{
	return (struct operand){data, rows, columns, transposed ? 1 : ld, transposed ? ld : 1, dtype};
}

static struct operand left_of(const struct mxt_gemm_product *p)
{
	return operand_of(p->a, p->shape->m, p->shape->k, p->shape->lda, p->shape->trans_a, p->shape->dtype);
}

static struct operand right_of(const struct mxt_gemm_product *p)
{
	return operand_of(p->b, p->shape->k, p->shape->n, p->shape->ldb, p->shape->trans_b, p->shape->dtype);
}

/* What lies where c does, or as c does. */
static struct operand result_of(const struct mxt_gemm_product *p, char *data)
{
	return operand_of(data, p->shape->m, p->shape->n, p->shape->ldc, false, p->shape->dtype);
}

/* Rows [first, first + rows) as a float64 tensor. */
static int block_copy(const struct mxt_device *device, const struct operand *o, int64_t first, int64_t rows,
		      struct mxt_tensor **ret_block, struct mxt_error *err)
{
	const struct mxt_tensor_source source = {o->data + first * o->row_stride * (int64_t)mxt_dtype_bytes(o->dtype),
						 {2, {rows, o->columns}, {o->row_stride, o->column_stride}},
						 device->torch.dtype[o->dtype]};
	return mxt_wide_copy(device, &source, ret_block, err);
}

/* One block of rows against every vector, into its places of a device tensor [VECTORS][rows of all]. */
static int project_block(const struct mxt_device *device, const struct operand *o, int64_t first, int64_t rows,
			 double *vectors, double *out, struct mxt_error *err)
{
	const struct mxt_tensor_shape vector_shape = mxt_tensor_dense(1, &o->columns);
	const struct mxt_tensor_shape out_shape = mxt_tensor_dense(1, &rows);
	struct mxt_tensor *block = NULL;
	int rc = block_copy(device, o, first, rows, &block, err);
	for (int64_t v = 0; rc == 0 && v < VECTORS; v++)
		rc = mxt_wide_apply(device, block, vectors + v * o->columns, &vector_shape, out + v * o->rows + first,
				    &out_shape, err);
	mxt_tensor_destroy(&device->torch, block);
	return rc;
}

static int project_blocks(const struct mxt_device *device, const struct operand *o, struct mxt_tensor *vectors,
			  struct mxt_tensor *products, struct mxt_error *err)
{
	struct mxt_tensor_facts in, out;
	int64_t step = BLOCK_NUMBERS / o->columns;
	step = step ? step : 1;
	int rc = mxt_tensor_look(&device->torch, vectors, 1, &in, err);
	if (rc == 0)
		rc = mxt_tensor_look(&device->torch, products, 1, &out, err);
	for (int64_t first = 0; rc == 0 && first < o->rows; first += step) {
		int64_t rows = o->rows - first < step ? o->rows - first : step;
		rc = project_block(device, o, first, rows, in.data, out.data, err);
	}
	return rc;
}

/* out[VECTORS][rows] = matrix vectors[VECTORS][columns], both on the host: block by block, the sums on the device. */
static int project(const struct mxt_device *device, const struct operand *o, const double *vectors, double *out,
		   struct mxt_error *err)
{
	const struct mxt_torch *torch = &device->torch;
	const struct mxt_tensor_shape in_shape = mxt_tensor_dense(1, (const int64_t[]){VECTORS * o->columns});
	const struct mxt_tensor_shape out_shape = mxt_tensor_dense(1, (const int64_t[]){VECTORS * o->rows});
	struct mxt_tensor *uploaded = NULL, *products = NULL;
	int rc = mxt_wide_upload(device, vectors, &in_shape, &uploaded, err);
	if (rc == 0)
		rc = mxt_tensor_create(torch, &out_shape, torch->float64, &products, err);
	if (rc == 0)
		rc = project_blocks(device, o, uploaded, products, err);
	if (rc == 0)
		rc = mxt_wide_fetch(device, products, 1, out, (size_t)(VECTORS * o->rows), err);
	mxt_tensor_destroy(torch, uploaded);
	mxt_tensor_destroy(torch, products);
	return rc;
}

static double worse(double worst, double difference)
{
	double size = fabs(difference);
	return isnan(size) ? INFINITY : fmax(worst, size);
}

static int fetch_bias(const struct mxt_device *device, const struct mxt_gemm_product *p, double *ret_bias,
		      struct mxt_error *err)
{
	struct mxt_tensor *bias = NULL;
	const struct mxt_tensor_source source = {
	    p->bias, {1, {p->shape->n}, {1}}, device->torch.dtype[p->shape->dtype]};
	int rc = mxt_wide_copy(device, &source, &bias, err);
	if (rc == 0)
		rc = mxt_wide_fetch(device, bias, 1, ret_bias, (size_t)p->shape->n, err);
	mxt_tensor_destroy(&device->torch, bias);
	return rc;
}

/* What the bias adds to each projection. */
static int add_bias(const struct mxt_device *device, const struct mxt_gemm_product *p, const double *signs,
		    double *expected, struct mxt_error *err)
{
	size_t m = (size_t)p->shape->m, n = (size_t)p->shape->n;
	MXT_CLEANUP_FREE double *bias = calloc(n, sizeof *bias);
	if (!bias)
		return mxt_error_oom(err);
	int rc = fetch_bias(device, p, bias, err);
	for (size_t v = 0; rc == 0 && v < VECTORS; v++) {
		double sum = 0;
		for (size_t j = 0; j < n; j++)
			sum += bias[j] * signs[v * n + j];
		for (size_t i = 0; i < m; i++)
			expected[v * m + i] += sum;
	}
	return rc;
}

/* What was there before adds to each projection. */
static int add_before(const struct mxt_device *device, const struct mxt_gemm_product *p, const double *signs,
		      double *expected, struct mxt_error *err)
{
	const struct operand before = result_of(p, p->before);
	size_t count = (size_t)p->shape->m * VECTORS;
	MXT_CLEANUP_FREE double *projected = calloc(count, sizeof *projected);
	if (!projected)
		return mxt_error_oom(err);
	int rc = project(device, &before, signs, projected, err);
	for (size_t i = 0; rc == 0 && i < count; i++)
		expected[i] += projected[i];
	return rc;
}

/* The worst row of c r - a (b r) - bias r - before r over sqrt(n). */
static int measure_projections(const struct mxt_device *device, const struct mxt_gemm_product *p, blake3_hasher *hasher,
			       double *ret_worst, struct mxt_error *err)
{
	size_t m = (size_t)p->shape->m, n = (size_t)p->shape->n, k = (size_t)p->shape->k;
	MXT_CLEANUP_FREE double *signs = calloc(n * VECTORS, sizeof *signs);
	MXT_CLEANUP_FREE double *middle = calloc(k * VECTORS, sizeof *middle);
	MXT_CLEANUP_FREE double *expected = calloc(m * VECTORS, sizeof *expected);
	MXT_CLEANUP_FREE double *found = calloc(m * VECTORS, sizeof *found);
	if (!signs || !middle || !expected || !found)
		return mxt_error_oom(err);
	struct mxt_rng rng = {SEED};
	for (size_t i = 0; i < n * VECTORS; i++)
		signs[i] = mxt_rng_u64(&rng) >> 63 ? 1 : -1;
	const struct operand left = left_of(p), right = right_of(p), result = result_of(p, p->c);
	int rc = project(device, &right, signs, middle, err);
	if (rc == 0)
		rc = project(device, &left, middle, expected, err);
	if (rc == 0)
		rc = project(device, &result, signs, found, err);
	if (rc == 0 && p->bias)
		rc = add_bias(device, p, signs, expected, err);
	if (rc == 0 && p->before)
		rc = add_before(device, p, signs, expected, err);
	if (rc < 0)
		return rc;
	blake3_hasher_update(hasher, found, m * VECTORS * sizeof *found);
	double worst = 0;
	for (size_t i = 0; i < m * VECTORS; i++)
		worst = worse(worst, found[i] - expected[i]);
	*ret_worst = worst / sqrt((double)n);
	return 0;
}

/* Every `*ret_step`-th of `extent`, the last one among them. */
static int64_t spaced(int64_t extent, int64_t *ret_first, int64_t *ret_step)
{
	int64_t count = extent < SAMPLED ? extent : SAMPLED;
	*ret_step = extent / count;
	*ret_first = extent - 1 - (count - 1) * *ret_step;
	return count;
}

/* The operand with only every so-many-th row or column left. */
static struct operand thin_rows(struct operand o)
{
	int64_t first = 0, step = 1;
	int64_t count = spaced(o.rows, &first, &step);
	o.data += first * o.row_stride * (int64_t)mxt_dtype_bytes(o.dtype);
	o.rows = count;
	o.row_stride *= step;
	return o;
}

static struct operand flip(struct operand o)
{
	return (struct operand){o.data, o.columns, o.rows, o.column_stride, o.row_stride, o.dtype};
}

static struct operand thin_columns(struct operand o)
{
	return flip(thin_rows(flip(o)));
}

/* Fetches the sampled elements of c and of the reference, [rows][columns]. */
static int fetch_samples(const struct mxt_device *device, const struct mxt_gemm_product *p, double *found,
			 double *expected, struct mxt_error *err)
{
	const struct operand left = thin_rows(left_of(p)), right = thin_columns(right_of(p));
	const struct operand result = thin_columns(thin_rows(result_of(p, p->c)));
	size_t count = (size_t)(result.rows * result.columns);
	struct mxt_tensor *a = NULL, *b = NULL, *c = NULL, *product = NULL;
	int rc = block_copy(device, &left, 0, left.rows, &a, err);
	if (rc == 0)
		rc = block_copy(device, &right, 0, right.rows, &b, err);
	if (rc == 0)
		rc = mxt_wide_multiply(device, a, b, &product, err);
	if (rc == 0)
		rc = mxt_wide_fetch(device, product, 2, expected, count, err);
	if (rc == 0)
		rc = block_copy(device, &result, 0, result.rows, &c, err);
	if (rc == 0)
		rc = mxt_wide_fetch(device, c, 2, found, count, err);
	struct mxt_tensor *const made[] = {a, b, c, product};
	for (size_t i = 0; i < MXT_ARRAY_LEN(made); i++)
		mxt_tensor_destroy(&device->torch, made[i]);
	return rc;
}

/* The bias of each sampled column, added to the reference. */
static int bias_samples(const struct mxt_device *device, const struct mxt_gemm_product *p, int64_t rows,
			double *expected, struct mxt_error *err)
{
	MXT_CLEANUP_FREE double *bias = calloc((size_t)p->shape->n, sizeof *bias);
	if (!bias)
		return mxt_error_oom(err);
	int rc = fetch_bias(device, p, bias, err);
	int64_t first = 0, step = 1;
	int64_t columns = spaced(p->shape->n, &first, &step);
	for (int64_t i = 0; rc == 0 && i < rows * columns; i++)
		expected[i] += bias[first + i % columns * step];
	return rc;
}

/* What each sampled element was added to, added to the reference. */
static int before_samples(const struct mxt_device *device, const struct mxt_gemm_product *p, double *expected,
			  struct mxt_error *err)
{
	double found[SAMPLED * SAMPLED];
	const struct operand before = thin_columns(thin_rows(result_of(p, p->before)));
	int64_t count = before.rows * before.columns;
	struct mxt_tensor *block = NULL;
	int rc = block_copy(device, &before, 0, before.rows, &block, err);
	if (rc == 0)
		rc = mxt_wide_fetch(device, block, 2, found, (size_t)count, err);
	mxt_tensor_destroy(&device->torch, block);
	for (int64_t i = 0; rc == 0 && i < count; i++)
		expected[i] += found[i];
	return rc;
}

static int measure_samples(const struct mxt_device *device, const struct mxt_gemm_product *p, blake3_hasher *hasher,
			   double *ret_worst, double *ret_largest, struct mxt_error *err)
{
	double found[SAMPLED * SAMPLED], expected[SAMPLED * SAMPLED];
	int64_t first = 0, step = 1;
	int64_t rows = spaced(p->shape->m, &first, &step), columns = spaced(p->shape->n, &first, &step);
	int rc = fetch_samples(device, p, found, expected, err);
	if (rc == 0 && p->bias)
		rc = bias_samples(device, p, rows, expected, err);
	if (rc == 0 && p->before)
		rc = before_samples(device, p, expected, err);
	if (rc < 0)
		return rc;
	size_t count = (size_t)(rows * columns);
	blake3_hasher_update(hasher, found, count * sizeof *found);
	double worst = 0, largest = 0;
	for (size_t i = 0; i < count; i++) {
		largest = worse(largest, expected[i]);
		worst = worse(worst, found[i] - expected[i]);
	}
	*ret_worst = worst;
	*ret_largest = largest;
	return 0;
}

int mxt_gemm_product_distance(const struct mxt_device *device, const struct mxt_gemm_product *product,
			      double *ret_distance, uint8_t bits[32], struct mxt_error *err)
{
	double sampled = 0, projected = 0, largest = 0;
	blake3_hasher hasher;
	blake3_hasher_init(&hasher);
	int rc = measure_samples(device, product, &hasher, &sampled, &largest, err);
	if (rc == 0)
		rc = measure_projections(device, product, &hasher, &projected, err);
	if (rc < 0)
		return rc;
	blake3_hasher_finalize(&hasher, bits, 32);
	double worst = fmax(sampled, projected);
	*ret_distance = largest > 0 ? worst / largest : worst;
	return 0;
}
