/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of products and attention by what went into them, because timing loops ask for the same again and again and
 * plain loops are slow. A key is 128 bits over operation, dimensions and all operands' elements, so nothing that was
 * written to an operand goes unseen.
 */
#ifndef MXT_SIM_CACHE_H
#define MXT_SIM_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "sim_runtime.h"

struct mxt_sim_key {
	uint64_t low, high;
};

#define MXT_SIM_KEY_INIT                                                                                               \
	{                                                                                                              \
		MXT_SIM_HASH_START, UINT64_C(0x9e3779b97f4a7c15)                                                       \
	}

/* Takes `count` numbers into the key. */
MXT_SIM_EXPORT void mxt_sim_key_add(struct mxt_sim_key *key, const double *numbers, size_t count);

/* Takes `count` bytes, which may be anywhere. */
MXT_SIM_EXPORT void mxt_sim_key_add_bytes(struct mxt_sim_key *key, const void *bytes, size_t count);

/* Borrowed until the next put; NULL: not known. */
MXT_SIM_EXPORT const double *mxt_sim_cache_find(const struct mxt_sim_key *key, size_t count);
/* Copies. Old results make room. */
MXT_SIM_EXPORT void mxt_sim_cache_put(const struct mxt_sim_key *key, const double *numbers, size_t count);

#endif
