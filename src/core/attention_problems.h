/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attention calls of a step, as the trainer makes them (transformers 5.24, integrations/sdpa_attention.py,
 * masking_utils.py, models/qwen3/modeling_qwen3.py).
 *
 * Representative shapes: the real micro-batch and length; half the length; micro-batch 1; micro-batch 1 at twice the
 * length. Padded jobs only ever run the first: the others weigh nothing there and are for warnings. Where lengths vary
 * and are known, strata of them come instead (length_shapes.h); where documents are packed and do not see each other,
 * one micro-batch with its documents (workload_packs.h). A model whose layers partly slide makes all of them in two
 * kinds.
 *
 * SDPA gets a boolean mask where `causal` cannot say what is seen: sequences of different lengths in one micro-batch,
 * padding, a window that the sequence reaches. With a mask, keys and values are repeated for all heads beforehand.
 * Flash attention drops padding before the call and takes the window as a number. Eager attention is no call: four
 * kinds of batched products, and a softmax in float32.
 */
#ifndef MXT_CORE_ATTENTION_PROBLEMS_H
#define MXT_CORE_ATTENTION_PROBLEMS_H

#include "problem_builder.h"

struct mxt_attention_shape {
	struct mxt_attention call; /* both directions of it */
	uint32_t layers;           /* that make it */
	uint32_t share_ppm;        /* of their calls */
	double repeats;            /* calls that stand for one, where it would be too long; else 1 */
};

/* How many of them a kind of layer has. */
size_t mxt_attention_rows(const struct mxt_problem_builder *b);

/*
 * The one place that says which attention calls a step makes: whoever knows more about lengths, or the documents of
 * packed sequences, says it here. False when there is no i-th. The first mxt_attention_rows() are of the kind of
 * most layers, and the first of all is the micro-batch of the job; `cut`: within the builder's limits.
 */
bool mxt_attention_shape_at(const struct mxt_problem_builder *b, size_t i, bool cut,
			    struct mxt_attention_shape *ret_shape);

/* Layers with softmax attention. */
uint32_t mxt_attention_layers(const struct mxt_model *model);

/*
 * Adds all calls of a step; of backward ones the first layer may have none (`first_backward`). Nothing for eager
 * attention, whose products the walk over the layers adds.
 */
void mxt_add_attention(struct mxt_problem_builder *b, bool first_backward);

/* The job's own call in a layer's order, with what surrounds it. */
void mxt_attention_step(struct mxt_problem_builder *b, enum mxt_direction direction);

#endif
