/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In what cuBLASLt and hipBLASLt differ: names, numbers, the layout of a heuristic result, how a version is told.
 * Sources: cublasLt.h and library_types.h of CUDA 13.0; hipblaslt.h of ROCm 6.0 to 7.2, library_types.h of HIP and
 * hipblas-common.h.
 */
#ifndef MXT_LT_LT_DIALECT_H
#define MXT_LT_LT_DIALECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dltable.h"
#include "error.h"
#include "lt_results.h"
#include "problem.h"

struct mxt_lt_handle;      /* cublasLtHandle_t points to it; hipblasLtHandle_t is void * */
struct mxt_lt_description; /* …MatmulDesc_t */
struct mxt_lt_layout;      /* …MatrixLayout_t */
struct mxt_lt_preference;  /* …MatmulPreference_t */

struct mxt_lt_calls {
#define MXT_LT_CALL(type, member, arguments) type(*member) arguments;
#include "lt_calls.def"
#undef MXT_LT_CALL
};

/* One row of a dialect's table of names. */
#define MXT_LT_ROW(member, symbol, required, since) {#symbol, offsetof(struct mxt_lt_calls, member), required, since},

struct mxt_lt_dialect {
	const char *title; /* "hipBLASLt" */
	const char *file;  /* its key in mxt_loaded_libraries() */
	const struct mxt_dl_row *rows;
	size_t n_rows;
	enum mxt_error_id refused;              /* when it refuses a call */
	int32_t types[MXT_DTYPE_COUNT];         /* data types */
	int32_t compute_f32, scale_f32;         /* sums in float32, alpha and beta in float32 */
	int32_t transposed;                     /* value of the two transpose attributes */
	int32_t epilogue_bias;                  /* value of the epilogue attribute */
	int transpose_a, transpose_b, epilogue; /* attributes of a description */
	int bias_pointer;
	int workspace; /* attribute of a preference */
	struct mxt_lt_result_layout result;
	int most;      /* algorithms that are asked for */
	int most_soon; /* and where there is little time, because it tries each that is beyond its first ranking; 0: the
			  same */
	/* Appends version and revision to the title: "hipBLASLt 1.2.2 (dabb6df2b9)". 0 or a status of the library. */
	int (*describe)(const struct mxt_lt_calls *call, struct mxt_lt_handle *handle, char *text, size_t bytes);
};

extern const struct mxt_lt_dialect mxt_cublaslt, mxt_hipblaslt;

#endif
