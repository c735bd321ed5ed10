/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far attention that was computed on a device is from the truth: one whole batch and KV group against torch's math
 * attention in float64 (float32 where float64 would not fit into memory), on the tensors that were timed. Of packed
 * documents up to 64 are looked at, each computed as if it were alone: one that sees another is found out.
 */
#ifndef MXT_ATTENTION_DISTANCE_H
#define MXT_ATTENTION_DISTANCE_H

#include <stdint.h>

#include "compiler.h"
#include "torch_device.h"
#include "torch_sdpa.h"

/* One call: what went in and what came out. All borrowed. */
struct mxt_attention_result {
	const struct mxt_attention *shape;
	struct mxt_sdpa_inputs inputs;
	struct mxt_tensor *grad_out;   /* NULL: forward */
	struct mxt_tensor *outputs[3]; /* forward: out; backward: gradients of q, k, v */
};

/*
 * The largest difference of any output, relative to the largest reference element of that output (for q's and k's
 * gradients: of v's, if that is larger). Infinite where a result of the group is not a number. `bits`: BLAKE3 of the
 * group's results.
 */
int mxt_attention_distance(const struct mxt_device *device, const struct mxt_attention_result *result,
			   double *ret_distance, uint8_t bits[32], struct mxt_error *err) MXT_WUR;

#endif
