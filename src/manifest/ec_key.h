/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A private key on one of the elliptic curves that sigstore's bundles know, and ECDSA with it, by libcrypto.
 */
#ifndef MXT_MANIFEST_EC_KEY_H
#define MXT_MANIFEST_EC_KEY_H

#include "buf.h"
#include "compiler.h"

struct evp_pkey_st;
struct mxt_ec_curve;
struct mxt_error;
struct mxt_libcrypto;

struct mxt_ec_key {
	const struct mxt_libcrypto *library; /* borrowed */
	const struct mxt_ec_curve *curve;    /* static */
	struct evp_pkey_st *pair;            /* owned */
	struct mxt_buf public_pem;           /* owned: SubjectPublicKeyInfo as PEM */
};
#define MXT_EC_KEY_INIT                                                                                                \
	{                                                                                                              \
		.public_pem = MXT_BUF_INIT                                                                             \
	}
#define MXT_CLEANUP_EC_KEY MXT_CLEANUP(mxt_ec_key_finish)

/*
 * Reads a PEM file without a passphrase: P-256, P-384 or P-521. MXT_E_EXPORT_KEY says what else it is. Nothing is asked
 * on a terminal.
 */
int mxt_ec_key_read(const struct mxt_libcrypto *library, const char *path, struct mxt_ec_key *ret_key,
		    struct mxt_error *err) MXT_WUR;
void mxt_ec_key_finish(struct mxt_ec_key *key);

/* Appends the DER of an ECDSA signature over the bytes, with the digest that belongs to the curve. */
int mxt_ec_key_sign(const struct mxt_ec_key *key, const void *bytes, size_t len, struct mxt_buf *signature,
		    struct mxt_error *err) MXT_WUR;

#endif
