/* SPDX-License-Identifier: Apache-2.0 */
#include "hash.h"

#include <blake3.h>
#include <string.h>

#include "number.h"

static const char digits[] = "0123456789abcdef";

void mxt_hash_bytes(const void *bytes, size_t len, uint8_t ret_hash[MXT_HASH_SIZE])
{
	blake3_hasher hasher;
	blake3_hasher_init(&hasher);
	blake3_hasher_update(&hasher, bytes, len);
	blake3_hasher_finalize(&hasher, ret_hash, MXT_HASH_SIZE);
}

void mxt_hash_to_hex(const uint8_t hash[MXT_HASH_SIZE], char ret_hex[MXT_HASH_HEX_SIZE])
{
	for (size_t i = 0; i < MXT_HASH_SIZE; i++) {
		ret_hex[2 * i] = digits[hash[i] >> 4];
		ret_hex[2 * i + 1] = digits[hash[i] & 15];
	}
	ret_hex[MXT_HASH_HEX_SIZE - 1] = '\0';
}

void mxt_hash_hex(const void *bytes, size_t len, char ret_hex[MXT_HASH_HEX_SIZE])
{
	uint8_t hash[MXT_HASH_SIZE];
	mxt_hash_bytes(bytes, len, hash);
	mxt_hash_to_hex(hash, ret_hex);
}

bool mxt_hash_from_hex(const char *hex, uint8_t ret_hash[MXT_HASH_SIZE])
{
	uint8_t hash[MXT_HASH_SIZE];
	unsigned seen = 0;
	if (strnlen(hex, MXT_HASH_HEX_SIZE) != MXT_HASH_HEX_SIZE - 1)
		return false;
	for (size_t i = 0; i < MXT_HASH_SIZE; i++) {
		unsigned high = mxt_hex_digit(hex[2 * i]), low = mxt_hex_digit(hex[2 * i + 1]);
		seen |= high | low;
		hash[i] = (uint8_t)(high << 4 | (low & 15));
	}
	if (seen > 15)
		return false;
	memcpy(ret_hash, hash, sizeof hash);
	return true;
}
