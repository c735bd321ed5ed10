/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BLAKE3-256 through the official C implementation.
 */
#ifndef MXT_CORE_HASH_H
#define MXT_CORE_HASH_H

#include <stddef.h>

#define MXT_HASH_HEX_SIZE 65 /* 64 lower-case hex digits and the NUL */

void mxt_hash_hex(const void *bytes, size_t len, char ret_hex[MXT_HASH_HEX_SIZE]);

#endif
