/* SPDX-License-Identifier: Apache-2.0 */
#include "sigstore_bundle.h"

#include <limits.h>

#include "cleanup.h"
#include "ec_key.h"
#include "error.h"
#include "json.h"
#include "libcrypto.h"
#include "sha256.h"

#define PAYLOAD_TYPE "application/vnd.in-toto+json"
#define MEDIA_TYPE   "application/vnd.dev.sigstore.bundle.v0.3+json"

/* NULL: memory ran out, or there is too much for one call of libcrypto. */
static json_t *base64(const struct mxt_libcrypto *library, const struct mxt_buf *bytes)
{
	if (bytes->len > INT_MAX / 2)
		return NULL;
	MXT_CLEANUP_FREE unsigned char *text = malloc(bytes->len / 3 * 4 + 5);
	if (!text)
		return NULL;
	int len = library->call.EVP_EncodeBlock(text, (const unsigned char *)mxt_buf_text(bytes), (int)bytes->len);
	return json_stringn((const char *)text, (size_t)len);
}

/* What a DSSE signature is over. */
static void pre_authentication(const struct mxt_buf *payload, struct mxt_buf *buf)
{
	mxt_buf_printf(buf, "DSSEv1 %zu %s %zu ", sizeof PAYLOAD_TYPE - 1, PAYLOAD_TYPE, payload->len);
	mxt_buf_append(buf, payload->data, payload->len);
}

static int sign(const struct mxt_ec_key *key, const struct mxt_buf *payload, struct mxt_buf *signature,
		struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf signed_bytes = MXT_BUF_INIT;
	pre_authentication(payload, &signed_bytes);
	int rc = mxt_buf_status(&signed_bytes, err);
	return rc < 0 ? rc : mxt_ec_key_sign(key, signed_bytes.data, signed_bytes.len, signature, err);
}

/* By which model-signing tells the key: SHA-256 of the public key's PEM. */
static int key_hint(const struct mxt_ec_key *key, uint8_t ret_digest[MXT_SHA256_SIZE], struct mxt_error *err)
{
	MXT_CLEANUP_SHA256 struct mxt_sha256 sha = MXT_SHA256_INIT;
	int rc = mxt_sha256_init(key->library, &sha, err);
	if (rc < 0)
		return rc;
	mxt_sha256_update(&sha, key->public_pem.data, key->public_pem.len);
	return mxt_sha256_result(&sha, ret_digest, err);
}

static int make_bundle(const struct mxt_ec_key *key, const struct mxt_buf *payload, json_t **ret_bundle,
		       struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf signature = MXT_BUF_INIT;
	uint8_t hint[MXT_SHA256_SIZE];
	int rc = sign(key, payload, &signature, err);
	if (rc == 0)
		rc = key_hint(key, hint, err);
	if (rc < 0)
		return rc;
	json_t *bundle = json_pack("{s:s, s:{s:{s:o}, s:[]}, s:{s:o, s:s, s:[{s:o, s:s}]}}", "mediaType", MEDIA_TYPE,
				   "verificationMaterial", "publicKey", "hint", mxt_json_hash(hint), "tlogEntries",
				   "dsseEnvelope", "payload", base64(key->library, payload), "payloadType",
				   PAYLOAD_TYPE, "signatures", "sig", base64(key->library, &signature), "keyid", "");
	if (!bundle)
		return mxt_error_oom(err);
	*ret_bundle = bundle;
	return 0;
}

int mxt_sigstore_bundle(const json_t *statement, const char *key_path, json_t **ret_bundle, struct mxt_error *err)
{
	MXT_CLEANUP_BUF struct mxt_buf payload = MXT_BUF_INIT;
	MXT_CLEANUP_LIBCRYPTO struct mxt_libcrypto library = MXT_LIBCRYPTO_INIT;
	MXT_CLEANUP_EC_KEY struct mxt_ec_key key = MXT_EC_KEY_INIT;
	int rc = mxt_json_canonical(statement, &payload, err);
	if (rc < 0)
		return rc;
	rc = mxt_libcrypto_open(&library, err);
	if (rc < 0)
		return rc;
	rc = mxt_ec_key_read(&library, key_path, &key, err);
	return rc < 0 ? rc : make_bundle(&key, &payload, ret_bundle, err);
}

int mxt_sigstore_check_key(const char *key_path, struct mxt_error *err)
{
	MXT_CLEANUP_LIBCRYPTO struct mxt_libcrypto library = MXT_LIBCRYPTO_INIT;
	MXT_CLEANUP_EC_KEY struct mxt_ec_key key = MXT_EC_KEY_INIT;
	int rc = mxt_libcrypto_open(&library, err);
	return rc < 0 ? rc : mxt_ec_key_read(&library, key_path, &key, err);
}
