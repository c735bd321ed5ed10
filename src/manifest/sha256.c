/* SPDX-License-Identifier: Apache-2.0 */
#include "sha256.h"

#include <errno.h>

#include "error.h"
#include "libcrypto.h"

static void begin(struct mxt_sha256 *sha)
{
	const struct mxt_libcrypto_calls *call = &sha->library->call;
	sha->failed = call->EVP_DigestInit_ex(sha->context, call->EVP_sha256(), NULL) != 1;
}

int mxt_sha256_init(const struct mxt_libcrypto *library, struct mxt_sha256 *ret_sha, struct mxt_error *err)
{
	struct mxt_sha256 sha = {library, library->call.EVP_MD_CTX_new(), false};
	if (!sha.context)
		return mxt_error_oom(err);
	begin(&sha);
	*ret_sha = sha;
	return 0;
}

void mxt_sha256_finish(struct mxt_sha256 *sha)
{
	if (sha->context)
		sha->library->call.EVP_MD_CTX_free(sha->context);
	*sha = (struct mxt_sha256)MXT_SHA256_INIT;
}

void mxt_sha256_update(struct mxt_sha256 *sha, const void *bytes, size_t len)
{
	if (!sha->failed)
		sha->failed = sha->library->call.EVP_DigestUpdate(sha->context, bytes, len) != 1;
}

int mxt_sha256_result(struct mxt_sha256 *sha, uint8_t ret_digest[MXT_SHA256_SIZE], struct mxt_error *err)
{
	uint8_t digest[MXT_SHA256_SIZE] = {0};
	unsigned len = sizeof digest;
	bool failed = sha->failed || sha->library->call.EVP_DigestFinal_ex(sha->context, digest, &len) != 1;
	begin(sha);
	if (failed)
		return mxt_error_set(err, -EIO, MXT_E_DIGEST_LIBRARY,
				     "OpenSSL (%s) computes no SHA-256; its configuration may forbid it",
				     sha->library->dl.file);
	for (size_t i = 0; i < sizeof digest; i++)
		ret_digest[i] = digest[i];
	return 0;
}
