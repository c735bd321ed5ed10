/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuBLASLt, the one that torch loaded, through its C interface: a matrix product, the algorithms that the library ranks
 * for it, and running one of them. Numbers and layouts are those of cublasLt.h and library_types.h (CUDA 13.0).
 */
#ifndef MXT_CUDA_CUBLASLT_H
#define MXT_CUDA_CUBLASLT_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "dltable.h"
#include "problem.h"

struct mxt_error;
struct mxt_gemm_operands;
struct mxt_lt_handle;      /* cublasLtHandle_t points to it */
struct mxt_lt_description; /* cublasLtMatmulDesc_t */
struct mxt_lt_layout;      /* cublasLtMatrixLayout_t */
struct mxt_lt_preference;  /* cublasLtMatmulPreference_t */

enum { /* cudaDataType, cublasComputeType_t, cublasOperation_t, cublasLtEpilogue_t */
       MXT_LT_R_32F = 0,
       MXT_LT_R_16F = 2,
       MXT_LT_R_16BF = 14,
       MXT_LT_COMPUTE_32F = 68,
       MXT_LT_TRANSPOSED = 1,
       MXT_LT_EPILOGUE_BIAS = 4,
};

enum { /* cublasLtMatmulDescAttributes_t, cublasLtMatmulPreferenceAttributes_t */
       MXT_LT_DESC_TRANSA = 3,
       MXT_LT_DESC_TRANSB = 4,
       MXT_LT_DESC_EPILOGUE = 7,
       MXT_LT_DESC_BIAS_POINTER = 8,
       MXT_LT_PREF_MAX_WORKSPACE_BYTES = 1,
};

struct mxt_lt_algorithm { /* cublasLtMatmulAlgo_t */
	uint64_t data[8];
};

struct mxt_lt_choice { /* cublasLtMatmulHeuristicResult_t */
	struct mxt_lt_algorithm algorithm;
	size_t workspace_bytes; /* that it needs */
	int status;             /* 0: the rest is valid */
	float waves;
	int reserved[4];
};

struct mxt_cublaslt_calls {
#define MXT_CUBLASLT_SYMBOL MXT_DL_MEMBER
#include "cublaslt.def"
#undef MXT_CUBLASLT_SYMBOL
};

struct mxt_cublaslt {
	struct mxt_cublaslt_calls call;
	struct mxt_dl library;
	struct mxt_lt_handle *handle; /* NULL: not open */
	size_t version;               /* 130100 is 13.1.0 */
};

/*
 * Finds the library that torch loaded. Statuses of mxt_dl_open(); MXT_E_CUBLASLT_CALL (-EIO) when it does not work on
 * this device.
 */
int mxt_cublaslt_open(struct mxt_cublaslt *ret_lt, struct mxt_error *err) MXT_WUR;
void mxt_cublaslt_close(struct mxt_cublaslt *lt); /* zeroed is fine */

/* A product as torch asks for it. */
struct mxt_lt_product {
	const struct mxt_cublaslt *lt;
	struct mxt_lt_description *description;
	struct mxt_lt_layout *left, *right, *out;
	struct mxt_lt_preference *preference;
	bool bias;
};

/*
 * `workspace_bytes` is what algorithms may use. Operands of later runs are aligned as these are. Borrows the library;
 * to be finished when it returned 0.
 */
int mxt_lt_product_init(struct mxt_lt_product *product, const struct mxt_cublaslt *lt, const struct mxt_gemm *shape,
			const struct mxt_gemm_operands *operands, size_t workspace_bytes,
			struct mxt_error *err) MXT_WUR;
void mxt_lt_product_finish(struct mxt_lt_product *product);

/* The library's ranking, at most `max`, its own choice first. -ENOTSUP when it has none for this product. */
int mxt_lt_product_choices(const struct mxt_lt_product *product, struct mxt_lt_choice *ret_choices, size_t max,
			   size_t *ret_count, struct mxt_error *err) MXT_WUR;

/*
 * Queues one product on the default stream. -ENOTSUP when the algorithm refuses it. `workspace` holds as much as the
 * choice needs.
 */
int mxt_lt_product_run(const struct mxt_lt_product *product, const struct mxt_gemm_operands *operands,
		       const struct mxt_lt_choice *choice, void *workspace, struct mxt_error *err) MXT_WUR;

#endif
