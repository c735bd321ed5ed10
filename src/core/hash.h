/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BLAKE3-256 through the official C implementation.
 */
#ifndef MXT_CORE_HASH_H
#define MXT_CORE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MXT_HASH_SIZE     32
#define MXT_HASH_HEX_SIZE 65 /* 64 lower-case hex digits and the NUL */

void mxt_hash_bytes(const void *bytes, size_t len, uint8_t ret_hash[MXT_HASH_SIZE]);
void mxt_hash_hex(const void *bytes, size_t len, char ret_hex[MXT_HASH_HEX_SIZE]);

void mxt_hash_to_hex(const uint8_t hash[MXT_HASH_SIZE], char ret_hex[MXT_HASH_HEX_SIZE]);

/* False for anything but 64 lower-case hex digits. */
bool mxt_hash_from_hex(const char *hex, uint8_t ret_hash[MXT_HASH_SIZE]);

#endif
