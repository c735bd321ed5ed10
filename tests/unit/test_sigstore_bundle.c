/* SPDX-License-Identifier: Apache-2.0 */
/* Statements are signed with keys that serve this test only; signatures are verified by libcrypto's other half. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc_faults.h"
#include "cleanup.h"
#include "cmocka_all.h"
#include "ec_key.h"
#include "error.h"
#include "json.h"
#include "libcrypto.h"
#include "needs_libcrypto.h"
#include "scratch.h"
#include "sigstore_bundle.h"

/* clang-format off */
static const char p256_key[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgDiTTBWomU7vCCIq3\n"
    "Rsax2TbNjZaDRN3VVdNGvNaDZRihRANCAAQalxrSIbtKxGjX4PEwNxa9xHYgCXw/\n"
    "vQxjYt9avNNJ6VveGu1PuFtuY0Go1ELYXww8ZWqKP/3Ht+c9/eCU/u/J\n"
    "-----END PRIVATE KEY-----\n";
static const char p384_key[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDB3tm4+wljacxEbtdF9\n"
    "qxh17laRt+yBCk4XMOcqgNHHtSBHmcCN7CCksZJ+BJh4kaKhZANiAARE2bEBL5pc\n"
    "JtGU+Nt6u9YUT2AoPne+oiP9ve/bF6BTDdkz8GIss770IFig0Zhy9/4xiXQe8NY+\n"
    "LX915N82OMw4QtX4ROVcJBKFufEULpl8KpjUrIJZtmrSV3gw92UivHQ=\n"
    "-----END PRIVATE KEY-----\n";
static const char p521_key[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIBbNpZjU8g1aJX6F04\n"
    "Oc4XH4S1k/MULiyvda7DpL4Ebeusjkt46xA7+p9PxGN2V15T78/ELCdBOWAdpWZc\n"
    "lQlxM6KhgYkDgYYABABtjo/3fG15f0P2Mdub3egORL71gL1nofN2Q/1dc3byjltx\n"
    "gShiqLEEY+Pk2ZnrcBDUKtX+XEdbJX9kKIbMhzjOJgERfhU47+AVv1KaJGvzqwZt\n"
    "70efS4fweeyAzhkA1tcF+rrmQJczjKifauHdak9yBwKRRDS9l7r9fhNM9PMRm7F1\n"
    "pQ==\n"
    "-----END PRIVATE KEY-----\n";
static const char ed25519_key[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEINA3x7+lMw/GqijRGKq8i+7WVfMayqY/w46MC+M55mf2\n"
    "-----END PRIVATE KEY-----\n";
static const char locked_key[] =
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
    "MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiYBXsv6bzHAQICCAAw\n"
    "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEIOKjH0848RpbZIK3FTMQgIEgZBg\n"
    "mv6HuhmixXDLA3LJSK8dXSQti2vNEUbZM3oBraNJW0+p1qRfIGyOaLvT5VgZHEhS\n"
    "gP8jeH8PMsUyDd3wA8OS+S0+j624lL1UHDiAbKNhx78/cglz01X46qml2wRnzOnp\n"
    "4KNpymjVSJ+tjU/IRWjc0wEJ2vRnHJN5TkW9+R4Jze1rY1JSPPd6pAupOpDgk2U=\n"
    "-----END ENCRYPTED PRIVATE KEY-----\n";
/* clang-format on */

/* With the SHA-256 of what `openssl pkey -pubout` prints of them. */
static const struct {
	const char *pem, *hint;
} keys[] = {
    {p256_key, "119c539f27d06373ec511dfde1f8aae19d98bdd44c9d6fe97fab25636308e3fe"},
    {p384_key, "5b9600039dc9b97adfc8eeb23b7df5ac8adc76a0f168e3f11a424c1292c2cf75"},
    {p521_key, "d48bed0cd61a20ecc83d1d76d77d19fdae43529ed3352a9d8c9bd9c92514356e"},
};

struct verifier {
	int (*EVP_DigestVerifyInit)(struct evp_md_ctx_st *context, struct evp_pkey_ctx_st **key_context,
				    const struct evp_md_st *kind, struct engine_st *engine, struct evp_pkey_st *key);
	int (*EVP_DigestVerify)(struct evp_md_ctx_st *context, const unsigned char *signature, size_t len,
				const unsigned char *bytes, size_t bytes_len);
	int (*EVP_DecodeBlock)(unsigned char *bytes, const unsigned char *text, int len);
};

static const struct mxt_dl_row verifier_rows[] = {MXT_DL_ROW(struct verifier, EVP_DigestVerifyInit, true, "1.0.0")
						      MXT_DL_ROW(struct verifier, EVP_DigestVerify, true, "1.1.1")
							  MXT_DL_ROW(struct verifier, EVP_DecodeBlock, true, "0.9.0")};

static json_t *example(void)
{
	return json_pack("{s:s, s:i}", "_type", "a statement with \xc3\xbc", "n", 1);
}

static json_t *signed_with(const char *folder, const char *pem)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(folder, "key.pem", pem);
	MXT_CLEANUP_JSON json_t *statement = example();
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	json_t *bundle = NULL;
	if (mxt_sigstore_check_key(path, &err) < 0 || mxt_sigstore_bundle(statement, path, &bundle, &err) < 0)
		fail_msg("%s", mxt_error_text(&err));
	return bundle;
}

/* Without the padding that EVP_DecodeBlock() counts as bytes. */
static size_t decode(const struct verifier *verifier, const char *text, unsigned char *bytes)
{
	size_t len = strlen(text);
	int n = verifier->EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)len);
	assert_true(n >= 0 && len >= 4);
	return (size_t)n - (text[len - 1] == '=') - (text[len - 2] == '=');
}

static const struct evp_md_st *digest_of(const struct mxt_libcrypto_calls *call, size_t key)
{
	return key == 0 ? call->EVP_sha256() : key == 1 ? call->EVP_sha384() : call->EVP_sha512();
}

/* What DSSE signs, spelled out. */
static void expect_signature(size_t key, const json_t *envelope)
{
	MXT_CLEANUP_LIBCRYPTO struct mxt_libcrypto library = MXT_LIBCRYPTO_INIT;
	const struct mxt_dl_library more = {.rows = verifier_rows, .n_rows = MXT_ARRAY_LEN(verifier_rows)};
	struct verifier verifier = {NULL, NULL, NULL};
	assert_int_equal(mxt_libcrypto_open(&library, NULL), 0);
	assert_int_equal(mxt_dl_resolve(&library.dl, &more, &verifier, NULL), 0);

	unsigned char payload[256], signature[256], text[512];
	size_t payload_len = decode(&verifier, mxt_json_text(envelope, "payload"), payload);
	assert_int_equal(payload_len, 37);
	assert_memory_equal(payload, "{\"_type\":\"a statement with \xc3\xbc\",\"n\":1}", payload_len);
	const json_t *first = json_array_get(json_object_get(envelope, "signatures"), 0);
	size_t len = decode(&verifier, mxt_json_text(first, "sig"), signature);
	int begin = snprintf((char *)text, sizeof text, "DSSEv1 28 application/vnd.in-toto+json 37 ");
	memcpy(text + begin, payload, payload_len);

	struct bio_st *bio = library.call.BIO_new_mem_buf(keys[key].pem, -1);
	struct evp_pkey_st *pair = library.call.PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
	struct evp_md_ctx_st *context = library.call.EVP_MD_CTX_new();
	assert_int_equal(verifier.EVP_DigestVerifyInit(context, NULL, digest_of(&library.call, key), NULL, pair), 1);
	assert_int_equal(verifier.EVP_DigestVerify(context, signature, len, text, (size_t)begin + payload_len), 1);
	library.call.EVP_MD_CTX_free(context);
	library.call.EVP_PKEY_free(pair);
	assert_int_equal(library.call.BIO_free(bio), 1);
}

static void test_bundles(void **state)
{
	for (size_t i = 0; i < MXT_ARRAY_LEN(keys); i++) {
		MXT_CLEANUP_JSON json_t *bundle = signed_with(*state, keys[i].pem);
		const json_t *material = json_object_get(bundle, "verificationMaterial");
		const json_t *envelope = json_object_get(bundle, "dsseEnvelope");
		assert_string_equal(mxt_json_text(bundle, "mediaType"),
				    "application/vnd.dev.sigstore.bundle.v0.3+json");
		assert_string_equal(mxt_json_text(json_object_get(material, "publicKey"), "hint"), keys[i].hint);
		assert_string_equal(mxt_json_text(envelope, "payloadType"), "application/vnd.in-toto+json");
		expect_signature(i, envelope);
	}
}

static void test_keys_that_cannot_sign(void **state)
{
	const struct {
		const char *pem, *words;
	} rows[] = {
	    {"", "no private key"},
	    {"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "no private key"},
	    {ed25519_key, "P-256"},
	    {locked_key, "has a passphrase"},
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++) {
		MXT_CLEANUP_FREE char *path = mxt_scratch_write(*state, "key.pem", rows[i].pem);
		MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
		MXT_CLEANUP_JSON json_t *statement = example();
		json_t *bundle = NULL;
		assert_int_equal(mxt_sigstore_bundle(statement, path, &bundle, &err), -EINVAL);
		assert_null(bundle);
		assert_int_equal(err.id, MXT_E_EXPORT_KEY);
		assert_non_null(strstr(mxt_error_text(&err), rows[i].words));
		mxt_error_clear(&err);
		assert_int_equal(mxt_sigstore_check_key(path, &err), -EINVAL);
	}
}

static int make(void *context)
{
	MXT_CLEANUP_ERROR struct mxt_error err = MXT_ERROR_INIT;
	MXT_CLEANUP_JSON json_t *bundle = NULL;
	MXT_CLEANUP_JSON json_t *statement = example();
	return statement ? mxt_sigstore_bundle(statement, context, &bundle, &err) : -ENOMEM;
}

static void test_memory(void **state)
{
	MXT_CLEANUP_FREE char *path = mxt_scratch_write(*state, "key.pem", p256_key);
	json_set_alloc_funcs(mxt_test_malloc, free);
	assert_true(mxt_test_each_allocation(make, path) >= 20);
	json_set_alloc_funcs(malloc, free);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, mxt_scratch_setup, mxt_scratch_teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_bundles),
	    TEST(test_keys_that_cannot_sign),
	    TEST(test_memory),
	};
	return has_libcrypto() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
