/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenSSL's libcrypto, found at run time: it is needed for the forms of others only, and Debian 12, Ubuntu 22.04 and
 * RHEL 9 have version 3, older systems 1.1. It touches no GPU, so that it may be loaded outside of workers.
 */
#ifndef MXT_MANIFEST_LIBCRYPTO_H
#define MXT_MANIFEST_LIBCRYPTO_H

#include <stddef.h>

#include "dltable.h"

struct mxt_error;

/* OpenSSL's own tags, so that the rows can be held against its headers. */
struct bio_st;
struct engine_st;
struct evp_md_ctx_st;
struct evp_md_st;
struct evp_pkey_ctx_st;
struct evp_pkey_st;

struct mxt_libcrypto_calls {
#define MXT_DL_SYMBOL MXT_DL_MEMBER
#include "libcrypto.def"
#undef MXT_DL_SYMBOL
};

struct mxt_libcrypto {
	struct mxt_libcrypto_calls call;
	struct mxt_dl dl;
};
#define MXT_LIBCRYPTO_INIT                                                                                             \
	{                                                                                                              \
		.dl = MXT_DL_INIT                                                                                      \
	}
#define MXT_CLEANUP_LIBCRYPTO MXT_CLEANUP(mxt_libcrypto_close)

/* MXT_E_DIGEST_LIBRARY: it is not there, or cannot be used. */
int mxt_libcrypto_open(struct mxt_libcrypto *ret_library, struct mxt_error *err) MXT_WUR;
void mxt_libcrypto_close(struct mxt_libcrypto *library);

#endif
