/* SPDX-License-Identifier: Apache-2.0 */
#include "hash.h"

#include <blake3.h>
#include <stdint.h>

void mxt_hash_hex(const void *bytes, size_t len, char ret_hex[MXT_HASH_HEX_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	uint8_t out[BLAKE3_OUT_LEN];
	blake3_hasher hasher;
	blake3_hasher_init(&hasher);
	blake3_hasher_update(&hasher, bytes, len);
	blake3_hasher_finalize(&hasher, out, sizeof out);
	for (size_t i = 0; i < sizeof out; i++) {
		ret_hex[2 * i] = digits[out[i] >> 4];
		ret_hex[2 * i + 1] = digits[out[i] & 15];
	}
	ret_hex[MXT_HASH_HEX_SIZE - 1] = '\0';
}
