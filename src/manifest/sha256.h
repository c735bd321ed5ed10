/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 by libcrypto.
 */
#ifndef MXT_MANIFEST_SHA256_H
#define MXT_MANIFEST_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

struct evp_md_ctx_st;
struct mxt_error;
struct mxt_libcrypto;

#define MXT_SHA256_SIZE 32

struct mxt_sha256 {
	const struct mxt_libcrypto *library; /* borrowed */
	struct evp_md_ctx_st *context;       /* owned */
	bool failed;                         /* mxt_sha256_result() will say so */
};
#define MXT_SHA256_INIT                                                                                                \
	{                                                                                                              \
		NULL, NULL, false                                                                                      \
	}
#define MXT_CLEANUP_SHA256 MXT_CLEANUP(mxt_sha256_finish)

int mxt_sha256_init(const struct mxt_libcrypto *library, struct mxt_sha256 *ret_sha, struct mxt_error *err) MXT_WUR;
void mxt_sha256_finish(struct mxt_sha256 *sha);

void mxt_sha256_update(struct mxt_sha256 *sha, const void *bytes, size_t len);

/* Of everything since the last result; the next one begins. */
int mxt_sha256_result(struct mxt_sha256 *sha, uint8_t ret_digest[MXT_SHA256_SIZE], struct mxt_error *err) MXT_WUR;

#endif
