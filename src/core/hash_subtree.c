/* SPDX-License-Identifier: Apache-2.0 */
#include "hash_subtree.h"

/* Its functions that work on subtrees are static. */
#include <blake3.c> /* NOLINT(bugprone-suspicious-include) */

#define PART_CHUNKS (MXT_SUBTREE_BYTES / BLAKE3_CHUNK_LEN)

const bool mxt_subtree_has_values = true;

void mxt_subtree_value(const void *bytes, uint64_t index, uint8_t ret_value[MXT_SUBTREE_VALUE_SIZE])
{
	compress_subtree_to_parent_node(bytes, MXT_SUBTREE_BYTES, IV, index * PART_CHUNKS, 0, ret_value);
}

/* As blake3_hasher_update() does with a subtree: both halves, so that the last one can still become the root's. */
void mxt_subtree_join(blake3_hasher *hasher, const uint8_t value[MXT_SUBTREE_VALUE_SIZE])
{
	uint8_t halves[2 * BLAKE3_OUT_LEN];
	memcpy(halves, value, sizeof halves);
	hasher_push_cv(hasher, halves, hasher->chunk.chunk_counter);
	hasher_push_cv(hasher, halves + BLAKE3_OUT_LEN, hasher->chunk.chunk_counter + PART_CHUNKS / 2);
	hasher->chunk.chunk_counter += PART_CHUNKS;
}
