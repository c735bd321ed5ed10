/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lm_head and its loss, once a step and never checkpointed.
 *
 *   plain, and Axolotl's chunked cross entropy   the products of a linear over all tokens (the loss alone is chunked:
 *                                                axolotl 067b021c, monkeypatch/loss/chunked.py)
 *   Liger's fused linear cross entropy           the same products chunk by chunk, all in the forward pass: chunks of
 *                                                next_power_of_2(ceil(tokens / ceil(vocab / hidden))) tokens
 *                                                (Liger-Kernel 0.8.5, ops/fused_linear_cross_entropy.py)
 *   Cut Cross Entropy                            no torch product: the workload excludes lm_head
 */
#ifndef MXT_CORE_HEAD_PROBLEMS_H
#define MXT_CORE_HEAD_PROBLEMS_H

#include "problem_builder.h"

void mxt_add_head(struct mxt_problem_builder *b);

#endif
