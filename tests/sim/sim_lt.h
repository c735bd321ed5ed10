/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cuBLASLt and hipBLASLt have in common: descriptors, layouts and preferences that are attributes by number, and
 * the product that they describe. The numbers are a dialect's.
 */
#ifndef MXT_SIM_LT_H
#define MXT_SIM_LT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim_gemm.h"

#define MXT_SIM_LT_ATTRIBUTES 128

struct mxt_sim_lt { /* a descriptor, a layout, or a preference */
	unsigned char values[MXT_SIM_LT_ATTRIBUTES][8];
};

struct mxt_sim_lt_dialect {
	int transa, transb, epilogue, bias_pointer;          /* of a descriptor */
	int type, rows, cols, ld, batch_count, batch_stride; /* of a layout */
	int64_t not_transposed, with_bias;                   /* an operation, an epilogue */
	int alloc_failed, invalid, not_supported;            /* statuses */
};

struct mxt_sim_lt *mxt_sim_lt_new(void);
/* False: there is no such attribute, or the value is too long. */
bool mxt_sim_lt_set(struct mxt_sim_lt *some, int attribute, const void *value, size_t bytes);
int64_t mxt_sim_lt_get(const struct mxt_sim_lt *some, int attribute);
/* NULL: out of memory. */
struct mxt_sim_lt *mxt_sim_lt_layout(const struct mxt_sim_lt_dialect *dialect, int type, uint64_t rows, uint64_t cols,
				     int64_t ld);

struct mxt_sim_lt_call {
	const struct mxt_sim_lt *desc, *a_layout, *b_layout, *c_layout, *d_layout;
	const void *alpha, *beta, *a, *b, *c;
	void *d;
};

/* 0, or the dialect's status for operands that do not fit or types that are not simulated. */
int mxt_sim_lt_describe(const struct mxt_sim_lt_dialect *dialect, const struct mxt_sim_lt_call *call,
			struct mxt_sim_gemm *ret_gemm);
/* 0, or the dialect's status for a lack of memory. */
int mxt_sim_lt_run(const struct mxt_sim_lt_dialect *dialect, const struct mxt_sim_lt_call *call,
		   const struct mxt_sim_gemm *gemm, unsigned effects);

#endif
