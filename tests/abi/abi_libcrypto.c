/* SPDX-License-Identifier: Apache-2.0 */
/* libcrypto.def against OpenSSL's headers. */
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "libcrypto.h"

#define MXT_DL_SYMBOL(type, symbol, arguments, required, since)                                                        \
	_Static_assert(_Generic(&symbol, type(*) arguments : 1, default : 0), #symbol);
#include "libcrypto.def"
#undef MXT_DL_SYMBOL

int main(void)
{
	return 0;
}
