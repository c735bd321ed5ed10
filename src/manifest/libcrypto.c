/* SPDX-License-Identifier: Apache-2.0 */
#include "libcrypto.h"

#include "error.h"

#define MXT_DL_SYMBOL(type, symbol, arguments, required, since)                                                        \
	MXT_DL_ROW(struct mxt_libcrypto_calls, symbol, required, since)
static const struct mxt_dl_row rows[] = {
#include "libcrypto.def"
};
#undef MXT_DL_SYMBOL

int mxt_libcrypto_open(struct mxt_libcrypto *ret_library, struct mxt_error *err)
{
	static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1", NULL};
	static const struct mxt_dl_library library = {"OpenSSL's libcrypto", names, rows, MXT_ARRAY_LEN(rows), false};
	struct mxt_libcrypto loaded = MXT_LIBCRYPTO_INIT;
	MXT_CLEANUP_ERROR struct mxt_error cause = MXT_ERROR_INIT;
	int rc = mxt_dl_open(&library, &loaded.call, &loaded.dl, &cause);
	if (rc < 0)
		return mxt_error_set(err, rc, MXT_E_DIGEST_LIBRARY,
				     "SHA-256 is computed by OpenSSL, which cannot be loaded: %s; install OpenSSL 3 "
				     "(Debian: libssl3) or 1.1",
				     mxt_error_text(&cause));
	*ret_library = loaded;
	return 0;
}

void mxt_libcrypto_close(struct mxt_libcrypto *library)
{
	mxt_dl_close(&library->dl);
}
