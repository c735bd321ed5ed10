/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that are found at run time. Their symbols live in a .def table of rows
 *
 *     MXT_DL_SYMBOL(return type, symbol, (arguments), required, since)
 *
 * that is included twice: into a struct of function pointers with MXT_DL_MEMBER, and into an array of struct mxt_dl_row
 * with MXT_DL_ROW; a test includes it a third time to hold it against the library's own header where that is installed.
 *
 * A library that is not there is absent (-ENOSYS, MXT_E_LIBRARY_ABSENT: a reason, nothing is wrong). One that is there
 * but cannot be used (a missing symbol or dependency, a file of another kind) is broken (-ELIBBAD,
 * MXT_E_LIBRARY_BROKEN): it is reported, and no other name is tried in its place.
 */
#ifndef MXT_BASE_DLTABLE_H
#define MXT_BASE_DLTABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

struct mxt_error;

/* What a row becomes inside the struct of pointers, and inside the array of rows about it. */
#define MXT_DL_MEMBER(type, symbol, arguments, required, since) type(*symbol) arguments;
#define MXT_DL_ROW(table, symbol, required, since)              {#symbol, offsetof(table, symbol), required, since},
/* The same where the member has a name of ours. */
#define MXT_DL_ROW_AS(table, member, symbol, required, since) {#symbol, offsetof(table, member), required, since},

struct mxt_dl_row {
	const char *symbol; /* as exported */
	size_t offset;      /* of its function pointer in the table */
	bool required;      /* the pointer of an optional symbol may stay NULL */
	const char *since;  /* first version that has it, for messages */
};

struct mxt_dl_library {
	const char *title;        /* "OpenBLAS" */
	const char *const *names; /* NULL-ended: versioned names or absolute paths, the first that is there is taken */
	const struct mxt_dl_row *rows;
	size_t n_rows;
	bool global; /* its symbols serve libraries that are loaded later (RTLD_GLOBAL): only torch needs that */
};

struct mxt_dl {
	void *handle;
	char *file; /* owned: the file that was loaded */
};

#define MXT_DL_INIT                                                                                                    \
	{                                                                                                              \
		NULL, NULL                                                                                             \
	}

/*
 * Loads the library (RTLD_NOW, RTLD_LOCAL unless it says global) and writes the pointers of its rows into *table;
 * members without a row are left alone. After a failure the table's content is undefined. Only for worker processes:
 * initialisers of foreign libraries run here.
 */
int mxt_dl_open(const struct mxt_dl_library *library, void *table, struct mxt_dl *ret_dl,
		struct mxt_error *err) MXT_WUR;

/* The same for further rows of a library that is open: library->names is not used. */
int mxt_dl_resolve(const struct mxt_dl *dl, const struct mxt_dl_library *library, void *table,
		   struct mxt_error *err) MXT_WUR;

/* Gives the handle back; the library itself stays in memory. A zeroed or closed one is left alone. */
void mxt_dl_close(struct mxt_dl *dl);

#endif
