/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "hash_subtree.h"

const bool mxt_subtree_has_values = false;

void mxt_subtree_value(const void *bytes, uint64_t index, uint8_t ret_value[MXT_SUBTREE_VALUE_SIZE])
{
	(void)bytes;
	(void)index;
	memset(ret_value, 0, MXT_SUBTREE_VALUE_SIZE);
}

void mxt_subtree_join(blake3_hasher *hasher, const uint8_t value[MXT_SUBTREE_VALUE_SIZE])
{
	(void)hasher;
	(void)value;
}
