/* SPDX-License-Identifier: Apache-2.0 */
#include "error_bound.h"

#include <math.h>

#include "compiler.h"

/*
 * A sum of n products in float32, each step rounded to within u = 2^-24, is off by about u sqrt(n) of its own size when
 * roundings are independent, whatever the order of the sum; the worst of many elements is a few times that, and blocked
 * sums are better. Softmax adds the error of its exponents, which is the same for short and long rows. The constants
 * leave a factor of 3 to the worst that correct kernels showed (OpenBLAS's for Prescott, Haswell, SkylakeX and
 * Cooperlake, BLIS's generic ones; products up to k = 50,000, attention up to 2,048 positions); the unit tests keep
 * a factor of 1.5. Wrong kernels are off by far more: one product left out of 4,096 is an error of about 0.3 % of the
 * largest element, 3,000,000 ppb.
 */
#define UNIT_PPB 59.6 /* 2^-24 */

struct dtype_row {
	double rounding_ppb; /* of each result when it is stored: half a unit in the last place */
};

/*
 * A product in less than float32 is looked at in sums of many of its elements, too, whose worst row was off by 0.8
 * roundings on an H200, of the largest element that was sampled: small products have few samples to find it among.
 */
#define PRODUCT_ROUNDINGS 2

/*
 * Attention in less than float32 rounds its weights, and in the backward pass the gradients of its scores, before they
 * are multiplied; what a sum of those is off by is a few roundings of the largest result.
 */
#define FORWARD_ROUNDINGS  2 /* correct kernels on an H200 were off by up to 0.9 */
#define BACKWARD_ROUNDINGS 3

/*
 * torch's flash attention on hosts adds gradients up where it returns them: they are rounded after each block of
 * queries, of each head that shares the KV head. torch 2.15 was off by 4 roundings with 64 such sums, by 6 with 256.
 */
#define QUERIES_PER_SUM 32

static const struct dtype_row dtypes[MXT_DTYPE_COUNT] = {
    [MXT_DTYPE_F32] = {0},
    [MXT_DTYPE_BF16] = {3906250}, /* 2^-8, doubled: some kernels store twice */
    [MXT_DTYPE_F16] = {976563},
};

uint64_t mxt_gemm_bound_ppb(enum mxt_dtype dtype, int64_t k)
{
	return (uint64_t)(UNIT_PPB * (16 + sqrt((double)k)) + PRODUCT_ROUNDINGS * dtypes[dtype].rounding_ppb);
}

static double backward_roundings(const struct mxt_attention *shape, bool rounded_sums)
{
	if (!rounded_sums)
		return BACKWARD_ROUNDINGS;
	double heads = (double)shape->heads / (double)shape->kv_heads;
	return BACKWARD_ROUNDINGS + sqrt(heads * (double)shape->seq / QUERIES_PER_SUM);
}

uint64_t mxt_attention_bound_ppb(const struct mxt_attention *shape, bool rounded_sums)
{
	double terms = (double)shape->head_dim + (double)shape->seq;
	double roundings =
	    shape->direction == MXT_BACKWARD ? backward_roundings(shape, rounded_sums) : FORWARD_ROUNDINGS;
	return (uint64_t)(UNIT_PPB * (48 + 2 * sqrt(terms)) + roundings * dtypes[shape->dtype].rounding_ppb);
}

uint64_t mxt_error_ppb(double relative)
{
	double ppb = ceil(relative * 1e9);
	return ppb < 0x1p63 ? (uint64_t)ppb : UINT64_MAX;
}
