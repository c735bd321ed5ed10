/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk over the layers of a step in training order: forward, what a checkpoint runs again, backward.
 *
 * Where the embedding is frozen and nothing asks for its output's gradient, the first layer's backward pass is shorter:
 * a gradient goes back only as far as something trains. A checkpoint that is not reentrant stops its recomputation at
 * the last tensor that the backward pass needs (torch 2.11, torch/utils/checkpoint.py, early stop), which is the input
 * of the layer's last product: that one does not run again.
 *
 * Left out, because it weighs the same in every candidate: gradient accumulation (it repeats the whole step), and
 * everything that is not a product or attention, which appears in the layer as fillers that stream as many bytes.
 */
#ifndef MXT_CORE_LAYER_PROBLEMS_H
#define MXT_CORE_LAYER_PROBLEMS_H

#include "problem_builder.h"

/* Attention calls, products of all layers, and the sequence of one. */
void mxt_add_layers(struct mxt_problem_builder *b);

#endif
