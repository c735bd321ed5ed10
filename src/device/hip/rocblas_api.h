/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rocBLAS, the one that torch loaded, through its C interface: a matrix product, the solutions that it lists for it,
 * and running one of them. Numbers are those of rocblas-types.h.
 */
#ifndef MXT_HIP_ROCBLAS_API_H
#define MXT_HIP_ROCBLAS_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "dltable.h"
#include "problem.h"

struct mxt_error;
struct mxt_gemm_operands;
struct mxt_rocblas_handle; /* _rocblas_handle */

enum { /* rocblas_operation, rocblas_datatype, rocblas_gemm_algo, rocblas_atomics_mode */
       MXT_ROCBLAS_PLAIN = 111,
       MXT_ROCBLAS_TRANSPOSED = 112,
       MXT_ROCBLAS_F16 = 150,
       MXT_ROCBLAS_F32 = 151,
       MXT_ROCBLAS_BF16 = 168,
       MXT_ROCBLAS_STANDARD = 0, /* its own choice */
       MXT_ROCBLAS_SOLUTION = 1, /* the one of a number */
       MXT_ROCBLAS_NO_ATOMICS = 0,
       MXT_ROCBLAS_ATOMICS = 1,
};

struct mxt_rocblas_calls {
#define MXT_ROCBLAS_SYMBOL MXT_DL_MEMBER
#include "rocblas.def"
#undef MXT_ROCBLAS_SYMBOL
};

#define MXT_ROCBLAS_TEXT 64

struct mxt_rocblas {
	struct mxt_rocblas_calls call;
	struct mxt_dl library;
	struct mxt_rocblas_handle *handle; /* NULL: not open; for the default stream only */
	char version[MXT_ROCBLAS_TEXT];    /* "rocBLAS 5.2.0.dabb6df2b9" */
};

/*
 * Finds the library. As torch sets it, sums may be added up in any order unless `deterministic`. Statuses of
 * mxt_dl_open(); MXT_E_ROCBLAS_CALL (-EIO) when it does not work on this device.
 */
int mxt_rocblas_open(struct mxt_rocblas *ret_rocblas, bool deterministic, struct mxt_error *err) MXT_WUR;
void mxt_rocblas_close(struct mxt_rocblas *rocblas); /* zeroed is fine */

/* What products may use; borrowed until it is replaced or the library is closed. */
int mxt_rocblas_use_workspace(const struct mxt_rocblas *rocblas, void *workspace, size_t bytes,
			      struct mxt_error *err) MXT_WUR;

struct mxt_rocblas_solutions {
	int32_t *items; /* owned */
	size_t count;
};

/*
 * The numbers of all solutions for a product, its own choice among them, as it orders them. -ENOTSUP when it lists none
 * or cannot list, or when the product has a bias, which rocBLAS does not add.
 */
int mxt_rocblas_list(const struct mxt_rocblas *rocblas, const struct mxt_gemm *shape,
		     const struct mxt_gemm_operands *operands, struct mxt_rocblas_solutions *ret_solutions,
		     struct mxt_error *err) MXT_WUR;
void mxt_rocblas_solutions_finish(struct mxt_rocblas_solutions *solutions); /* zeroed is fine */

/* Queues one product by a solution, or (NULL) by the library's own choice. -ENOTSUP when it refuses. */
int mxt_rocblas_run(const struct mxt_rocblas *rocblas, const struct mxt_gemm *shape,
		    const struct mxt_gemm_operands *operands, const int32_t *solution, struct mxt_error *err) MXT_WUR;

#endif
