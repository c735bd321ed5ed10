/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BLAKE3 of one long input in parts that may be worked on at the same time. The official C implementation has no
 * interface for that; where it is built in from its sources, hash_subtree.c is built with it and knows its inside.
 * hash_subtree_none.c stands for it where BLAKE3 is a library of the system.
 *
 * The input is cut into parts of MXT_SUBTREE_BYTES; the last one may be shorter. Values of whole parts are worked out
 * in any order and joined in the input's. What is left is given to blake3_hasher_update() after that.
 */
#ifndef MXT_CORE_HASH_SUBTREE_H
#define MXT_CORE_HASH_SUBTREE_H

#include <blake3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A power of two, and two chunks of BLAKE3 at least. Smaller ones cost more calls of the kernel's, larger ones do not
 * fit into a core's second cache.
 */
#define MXT_SUBTREE_BYTES      ((size_t)1 << 20)
#define MXT_SUBTREE_VALUE_SIZE ((size_t)64)

/* False: there are no values, and the input goes through blake3_hasher_update() in its order. */
extern const bool mxt_subtree_has_values;

/* Of a whole part, the `index`th of the input. */
void mxt_subtree_value(const void *bytes, uint64_t index, uint8_t ret_value[MXT_SUBTREE_VALUE_SIZE]);

/* `hasher` has taken nothing but whole parts, all of those before this one. */
void mxt_subtree_join(blake3_hasher *hasher, const uint8_t value[MXT_SUBTREE_VALUE_SIZE]);

#endif
