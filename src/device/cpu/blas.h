/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loaded BLAS library, behind its C interface. Only in worker processes. Calls are thread-safe; the number of threads
 * that a call uses is one setting of the whole process.
 */
#ifndef MXT_CPU_BLAS_H
#define MXT_CPU_BLAS_H

#include <jansson.h>
#include <stdint.h>

#include "blas_file.h"
#include "dltable.h"

struct mxt_error;

/* The values are those of every cblas.h. */
enum mxt_cblas_layout { MXT_CBLAS_ROW_MAJOR = 101 };
enum mxt_cblas_transpose { MXT_CBLAS_NO_TRANS = 111, MXT_CBLAS_TRANS = 112 };

struct mxt_blas_calls {
#define MXT_DL_SYMBOL MXT_DL_MEMBER
#include "blis.def"
#include "cblas.def"
#include "openblas.def"
#undef MXT_DL_SYMBOL
};

struct mxt_blas {
	enum mxt_blas_kind kind;
	struct mxt_dl dl;
	struct mxt_blas_calls call; /* those of the other kind are NULL */
	uint32_t threads;           /* in force when it was loaded, at least 1 */
};

#define MXT_BLAS_INIT                                                                                                  \
	{                                                                                                              \
		.dl = MXT_DL_INIT                                                                                      \
	}

/*
 * Loads the library at `path` (or found by the loader under that name). -ENOSYS: absent; -ELIBBAD: it lacks symbols,
 * cannot be loaded, or was built with 64-bit integers.
 */
int mxt_blas_load(enum mxt_blas_kind kind, const char *path, struct mxt_blas *ret_blas, struct mxt_error *err) MXT_WUR;
void mxt_blas_unload(struct mxt_blas *blas);

/* How many threads each of the following calls uses; the caller's own threads may then call side by side with 1. */
void mxt_blas_set_threads(const struct mxt_blas *blas, uint32_t threads);

/* What was loaded and is in force: library, file, version, core_type, threading, threads. NULL when memory ran out. */
json_t *mxt_blas_facts(const struct mxt_blas *blas);

#endif
