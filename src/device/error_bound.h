/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a correct kernel may be from the double-precision reference, relative to the largest reference element, in
 * parts per billion.
 */
#ifndef MXT_DEVICE_ERROR_BOUND_H
#define MXT_DEVICE_ERROR_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "problem.h"

/* k: products for each element. */
uint64_t mxt_gemm_bound_ppb(enum mxt_dtype dtype, int64_t k);

/* rounded_sums: the backward pass may add up in the dtype that it returns, instead of in float32. */
uint64_t mxt_attention_bound_ppb(const struct mxt_attention *shape, bool rounded_sums);

/* A relative error in ppb, rounded up; UINT64_MAX for what is not finite. */
uint64_t mxt_error_ppb(double relative);

#endif
