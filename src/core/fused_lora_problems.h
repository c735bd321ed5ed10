/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The matrix products of Axolotl's fused LoRA kernels (axolotl 067b021c of 2026-07-24, src/axolotl/kernels/lora.py:
 * matmul_lora, LoRA_MLP, LoRA_QKV, LoRA_O). They are torch products, too, in other forms than peft's:
 *
 *   forward     base; x A^T; then B into the base's result in place (addmm_, beta 1)
 *   dA, dB      dy B; x^T (dy B) written transposed, which is dA in peft's form; A x^T; (A x^T) dy written transposed
 *   dx          the base's of the first, those of the others added in place, then those of all adapters
 *
 * and all are in the dtype of the activations, with autocast or without. Biases are added apart. MLP, attention input
 * and attention output are fused each on its own, and only where every projection of the group carries LoRA.
 */
#ifndef MXT_CORE_FUSED_LORA_PROBLEMS_H
#define MXT_CORE_FUSED_LORA_PROBLEMS_H

#include "linear_problems.h"

/* matmul_lora(): forward. */
void mxt_fused_forward(struct mxt_problem_builder *b, const struct mxt_linear *linear, uint32_t calls);

/* matmul_lora() with transposed weights: the input gradient of a linear on its own (down). */
void mxt_fused_input_gradient(struct mxt_problem_builder *b, const struct mxt_linear *linear, uint32_t calls);

/* dA and dB. */
void mxt_fused_adapter_gradients(struct mxt_problem_builder *b, const struct mxt_linear *linear, uint32_t calls);

/* The shared input's gradient of a group; adapter gradients come before. */
void mxt_fused_group_input_gradient(struct mxt_problem_builder *b, const struct mxt_linear_group *group,
				    uint32_t calls);

#endif
