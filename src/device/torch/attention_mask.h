/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mask tensor of attention, as it reaches kernels: trainers make a boolean one, and torch's attention turns it into
 * a number for each pair of a query and a key, in the dtype of the queries: 0 where the one sees the other, else minus
 * infinity.
 *
 * A padded batch has one for each sequence, [batch, 1, seq, seq]; here it says the same as causal attention, because a
 * kernel cannot skip rows that are padding. Packed documents have one in all, [1, 1, seq, seq], with a block for each.
 */
#ifndef MXT_ATTENTION_MASK_H
#define MXT_ATTENTION_MASK_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "torch_device.h"

/* Whether a problem comes with one where torch's own attention computes it. */
bool mxt_attention_has_mask(const struct mxt_attention *shape);

/*
 * Rows begin `row` >= seq elements apart. MXT_E_OPERANDS_TOO_LARGE (-ENOTSUP) when it takes more than half of the
 * memory that is left.
 */
int mxt_attention_mask_create(const struct mxt_device *device, const struct mxt_attention *shape, int64_t row,
			      struct mxt_tensor **ret_mask, struct mxt_error *err) MXT_WUR;

#endif
