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

/*
 * The functions of both libraries that are the same but for the beginning of their names and their statuses. The
 * numbers of layouts are those of the library's own table `dialect`.
 */
#define MXT_SIM_LT_OBJECTS(library, success, invalid, alloc_failed)                                                    \
	MXT_SIM_EXPORT int library##MatmulPreferenceCreate(struct mxt_sim_lt **ret);                                   \
	int library##MatmulPreferenceCreate(struct mxt_sim_lt **ret)                                                   \
	{                                                                                                              \
		*ret = mxt_sim_lt_new();                                                                               \
		return *ret ? (success) : (alloc_failed);                                                              \
	}                                                                                                              \
	MXT_SIM_EXPORT int library##MatrixLayoutCreate(struct mxt_sim_lt **ret, int type, uint64_t rows,               \
						       uint64_t cols, int64_t ld);                                     \
	int library##MatrixLayoutCreate(struct mxt_sim_lt **ret, int type, uint64_t rows, uint64_t cols, int64_t ld)   \
	{                                                                                                              \
		*ret = mxt_sim_lt_layout(&dialect, type, rows, cols, ld);                                              \
		return *ret ? (success) : (alloc_failed);                                                              \
	}                                                                                                              \
	MXT_SIM_LT_OBJECT(library##MatmulDesc, success, invalid)                                                       \
	MXT_SIM_LT_OBJECT(library##MatrixLayout, success, invalid)                                                     \
	MXT_SIM_LT_OBJECT(library##MatmulPreference, success, invalid)

#define MXT_SIM_LT_OBJECT(object, success, invalid)                                                                    \
	MXT_SIM_EXPORT int object##SetAttribute(struct mxt_sim_lt *some, int attribute, const void *value,             \
						size_t bytes);                                                         \
	int object##SetAttribute(struct mxt_sim_lt *some, int attribute, const void *value, size_t bytes)              \
	{                                                                                                              \
		return mxt_sim_lt_set(some, attribute, value, bytes) ? (success) : (invalid);                          \
	}                                                                                                              \
	MXT_SIM_EXPORT int object##Destroy(struct mxt_sim_lt *some);                                                   \
	int object##Destroy(struct mxt_sim_lt *some)                                                                   \
	{                                                                                                              \
		free(some);                                                                                            \
		return (success);                                                                                      \
	}

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
