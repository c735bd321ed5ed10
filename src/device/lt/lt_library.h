/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuBLASLt or hipBLASLt, the one that torch loaded, through its C interface.
 */
#ifndef MXT_LT_LT_LIBRARY_H
#define MXT_LT_LT_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "dltable.h"
#include "lt_dialect.h"

#define MXT_LT_VERSION_TEXT 64

struct mxt_lt_library {
	const struct mxt_lt_dialect *dialect;
	struct mxt_lt_calls call;
	struct mxt_dl library;
	struct mxt_lt_handle *handle;      /* NULL: not open; for the default stream only */
	char version[MXT_LT_VERSION_TEXT]; /* "cuBLASLt 13.1.0" */
	size_t stride;                     /* between results; 0: not known for certain yet */
};

/* Finds the library. Statuses of mxt_dl_open(); the dialect's `refused` (-EIO) when it does not work on this device. */
int mxt_lt_library_open(struct mxt_lt_library *ret_lt, const struct mxt_lt_dialect *dialect,
			struct mxt_error *err) MXT_WUR;
void mxt_lt_library_close(struct mxt_lt_library *lt); /* zeroed is fine */

/* The error of a call that gave a status: "hipBLASLt cannot <what>: status 7". Returns rc. */
int mxt_lt_library_refused(const struct mxt_lt_library *lt, int status, int rc, const char *what,
			   struct mxt_error *err);

#endif
