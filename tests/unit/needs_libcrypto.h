/* SPDX-License-Identifier: Apache-2.0 */
/* For tests that are nothing without OpenSSL. */
#ifndef MXT_TESTS_NEEDS_LIBCRYPTO_H
#define MXT_TESTS_NEEDS_LIBCRYPTO_H

#include <stdbool.h>
#include <stdio.h>

#include "error.h"
#include "libcrypto.h"

/* Says why where it is not there: main() returns 77 then. */
static inline bool has_libcrypto(void)
{
	MXT_CLEANUP_LIBCRYPTO struct mxt_libcrypto library = MXT_LIBCRYPTO_INIT;
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	bool found = mxt_libcrypto_open(&library, &err) == 0;
	if (!found)
		(void)printf("skipped: %s\n", mxt_error_text(&err));
	return found;
}

#endif
