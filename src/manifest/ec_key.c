/* SPDX-License-Identifier: Apache-2.0 */
#include "ec_key.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "error.h"
#include "file.h"
#include "libcrypto.h"
#include "printable.h"

#define KEY_FILE_BYTES  ((size_t)64 << 10)
#define DER_BYTES       256
#define SIGNATURE_BYTES 256

/*
 * How the SubjectPublicKeyInfo of a key on a curve begins (RFC 5480), up to its point, which is not compressed; and
 * which SHA-2 belongs to the curve.
 */
struct mxt_ec_curve {
	size_t start_len, len;
	unsigned digest_bits;
	uint8_t start[26];
};

static const struct mxt_ec_curve curves[] = {
    {26, 91, 256, {0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01,
		   0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00}},
    {23, 120, 384, {0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02,
		    0x01, 0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22, 0x03, 0x62, 0x00}},
    {25, 158, 512, {0x30, 0x81, 0x9b, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02,
		    0x01, 0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x23, 0x03, 0x81, 0x86, 0x00}},
};

static const struct mxt_ec_curve *find_curve(const uint8_t *der, size_t len)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(curves); i++)
		if (len == curves[i].len && memcmp(der, curves[i].start, curves[i].start_len) == 0)
			return &curves[i];
	return NULL;
}

/* RFC 7468: lines of 64 characters, which are 48 bytes. */
static void append_pem(const struct mxt_libcrypto_calls *call, const uint8_t *der, size_t len, struct mxt_buf *pem)
{
	mxt_buf_puts(pem, "-----BEGIN PUBLIC KEY-----\n");
	for (size_t at = 0; at < len; at += 48) {
		unsigned char line[65];
		(void)call->EVP_EncodeBlock(line, der + at, (int)(len - at < 48 ? len - at : 48));
		mxt_buf_printf(pem, "%s\n", (const char *)line);
	}
	mxt_buf_puts(pem, "-----END PUBLIC KEY-----\n");
}

/* NOLINTNEXTLINE(readability-non-const-parameter): its type is OpenSSL's */
static int no_passphrase(char *buf, int size, int writes, void *context)
{
	(void)buf, (void)size, (void)writes;
	*(bool *)context = true;
	return -1;
}

static int refuse(const char *path, const char *why, struct mxt_error *err)
{
	char shown[MXT_PRINTABLE_SIZE];
	return mxt_error_set(err, -EINVAL, MXT_E_EXPORT_KEY,
			     "%s %s; make one with: openssl ecparam -name prime256v1 -genkey -noout -out key.pem",
			     mxt_printable(path, shown), why);
}

/* The text holds a secret: it is wiped before it is given back. */
static int read_pair(const char *path, struct mxt_ec_key *key, struct mxt_error *err)
{
	struct mxt_buf text = MXT_BUF_INIT;
	bool asked = false;
	const struct mxt_libcrypto_calls *call = &key->library->call;
	int rc = mxt_file_read(path, KEY_FILE_BYTES, &text, err);
	struct bio_st *bio = rc == 0 ? call->BIO_new_mem_buf(mxt_buf_text(&text), (int)text.len) : NULL;
	if (bio) {
		key->pair = call->PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, &asked);
		(void)call->BIO_free(bio);
	}
	if (text.data)
		explicit_bzero(text.data, text.capacity);
	mxt_buf_finish(&text);
	if (rc < 0)
		return rc;
	if (key->pair)
		return 0;
	return refuse(path, asked ? "has a passphrase" : "is no private key in PEM", err);
}

int mxt_ec_key_read(const struct mxt_libcrypto *library, const char *path, struct mxt_ec_key *ret_key,
		    struct mxt_error *err)
{
	MXT_CLEANUP_EC_KEY struct mxt_ec_key key = {.library = library, .public_pem = MXT_BUF_INIT};
	int rc = read_pair(path, &key, err);
	if (rc < 0)
		return rc;
	uint8_t der[DER_BYTES], *end = der;
	int len = library->call.i2d_PUBKEY(key.pair, NULL);
	if (len > 0 && (size_t)len <= sizeof der)
		len = library->call.i2d_PUBKEY(key.pair, &end);
	key.curve = len > 0 ? find_curve(der, (size_t)len) : NULL;
	if (!key.curve)
		return refuse(path, "is no key on the curve P-256, P-384 or P-521", err);
	append_pem(&library->call, der, (size_t)len, &key.public_pem);
	rc = mxt_buf_status(&key.public_pem, err);
	if (rc < 0)
		return rc;
	*ret_key = key;
	key = (struct mxt_ec_key)MXT_EC_KEY_INIT;
	return 0;
}

void mxt_ec_key_finish(struct mxt_ec_key *key)
{
	if (key->pair)
		key->library->call.EVP_PKEY_free(key->pair);
	mxt_buf_finish(&key->public_pem);
	*key = (struct mxt_ec_key)MXT_EC_KEY_INIT;
}

static const struct evp_md_st *digest_of(const struct mxt_libcrypto_calls *call, const struct mxt_ec_curve *curve)
{
	if (curve->digest_bits == 256)
		return call->EVP_sha256();
	return curve->digest_bits == 384 ? call->EVP_sha384() : call->EVP_sha512();
}

int mxt_ec_key_sign(const struct mxt_ec_key *key, const void *bytes, size_t len, struct mxt_buf *signature,
		    struct mxt_error *err)
{
	const struct mxt_libcrypto_calls *call = &key->library->call;
	uint8_t der[SIGNATURE_BYTES];
	size_t der_len = sizeof der;
	struct evp_md_ctx_st *context = call->EVP_MD_CTX_new();
	if (!context)
		return mxt_error_oom(err);
	bool done = call->EVP_DigestSignInit(context, NULL, digest_of(call, key->curve), NULL, key->pair) == 1 &&
		    call->EVP_DigestSign(context, der, &der_len, bytes, len) == 1;
	call->EVP_MD_CTX_free(context);
	if (!done)
		return mxt_error_set(err, -EIO, MXT_E_DIGEST_LIBRARY,
				     "OpenSSL (%s) makes no signature with this key; its configuration may forbid it",
				     key->library->dl.file);
	mxt_buf_append(signature, der, der_len);
	return mxt_buf_status(signature, err);
}
