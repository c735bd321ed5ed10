/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The BLAS libraries of a machine as files: which one a worker would load, and what can be told about it without
 * loading it. Inventory and workers use the same search, so that a plan names the library that runs.
 */
#ifndef MXT_CPU_BLAS_FILE_H
#define MXT_CPU_BLAS_FILE_H

#include "library_version.h"

struct mxt_error;
struct mxt_host_cpu;
struct mxt_sysroot;

enum mxt_blas_kind { MXT_BLAS_OPENBLAS, MXT_BLAS_BLIS, MXT_BLAS_KIND_COUNT };

enum mxt_blas_threading { MXT_BLAS_UNKNOWN, MXT_BLAS_SERIAL, MXT_BLAS_PTHREAD, MXT_BLAS_OPENMP };

struct mxt_blas_file {
	char *path;                     /* owned: where it was found; NULL when it is not installed */
	char *target;                   /* owned: the file behind all links */
	char version[MXT_VERSION_SIZE]; /* "unknown" when the file does not tell */
	enum mxt_blas_threading threading;
};

#define MXT_BLAS_FILE_INIT                                                                                             \
	{                                                                                                              \
		NULL, NULL, "", MXT_BLAS_UNKNOWN                                                                       \
	}
#define MXT_CLEANUP_BLAS_FILE MXT_CLEANUP(mxt_blas_file_finish)

const char *mxt_blas_name(enum mxt_blas_kind kind);                 /* "openblas", "blis" */
const char *mxt_blas_title(enum mxt_blas_kind kind);                /* "OpenBLAS", "BLIS" */
const char *mxt_blas_soname(enum mxt_blas_kind kind);               /* "libopenblas.so.0", "libblis.so.4" */
const char *mxt_blas_threading_name(enum mxt_blas_threading value); /* "unknown", "serial", "pthread", "openmp" */

/*
 * Looks for the library in the loader's folders (the live machine: LD_LIBRARY_PATH too) and in those where
 * distributions keep its variants. One that is not installed is no error: path stays NULL.
 */
int mxt_blas_file_find(const struct mxt_sysroot *root, const struct mxt_host_cpu *cpu, enum mxt_blas_kind kind,
		       struct mxt_blas_file *ret_file, struct mxt_error *err);
void mxt_blas_file_finish(struct mxt_blas_file *file);

#endif
