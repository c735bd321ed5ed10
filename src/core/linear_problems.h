/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The matrix products of one linear layer, as torch issues them for plain linears and for peft's LoRA (peft 0.21,
 * peft/tuners/lora/layer.py; bitsandbytes 0.49, autograd/_functions.py, MatMul4Bit). Activations are [tokens,
 * features], weights [out, in], all row-major and dense:
 *
 *   forward            y[T,out]  = x[T,in] W[out,in]^T
 *   gradient of x      dx[T,in]  = dy[T,out] W[out,in]       only where x needs one
 *   gradient of W      dW[out,in] = dy[T,out]^T x[T,in]      only where W trains
 *
 * A LoRA pair is two such linears in a row, A[r,in] then B[out,r], both of which train; its frozen base has no gradient
 * of W. Under autocast all of them are in the step's dtype, whatever the weights are stored in. Without, peft keeps
 * adapters in float32 and casts x to that: its products are in float32, the base's are not. A 4-bit base is written
 * out in the step's dtype before each product with it.
 */
#ifndef MXT_CORE_LINEAR_PROBLEMS_H
#define MXT_CORE_LINEAR_PROBLEMS_H

#include "problem_builder.h"

struct mxt_linear {
	uint32_t projection; /* enum mxt_projection bits; 0: lm_head */
	int64_t in, out;
	bool bias;
};

/* Linears that read one input. */
#define MXT_MAX_LINEARS 3
struct mxt_linear_group {
	struct mxt_linear items[MXT_MAX_LINEARS];
	size_t count;
};

enum mxt_product_kind {
	MXT_PRODUCT_FORWARD,
	MXT_PRODUCT_INPUT_GRADIENT,
	MXT_PRODUCT_WEIGHT_GRADIENT,
	MXT_PRODUCT_TRANSPOSED_FORWARD, /* (x W^T)^T, as W x^T */
	MXT_PRODUCT_TURNED_GRADIENT,    /* dW = dy^T x where x is stored [in, T] */
};

struct mxt_product {
	enum mxt_product_kind kind;
	int64_t out, in; /* of the weight */
	enum mxt_dtype dtype;
	bool bias, accumulate;
	int64_t tokens; /* rows of the activations; 0: the whole micro-batch */
};

/* A product that a step issues `calls` times; none is left out of the layer, too. */
void mxt_builder_multiply(struct mxt_problem_builder *b, const struct mxt_product *product, uint32_t calls);

/* Does the job train an adapter on one of these projections? Does a problem stand for its products? */
bool mxt_carries_lora(const struct mxt_training *training, uint32_t projections);
bool mxt_models_lora(const struct mxt_problem_builder *b, const struct mxt_linear *linear);

/* A product with the linear's own weight, dequantised first where it is packed; nothing where they are excluded. */
void mxt_linear_base(struct mxt_problem_builder *b, const struct mxt_linear *linear, enum mxt_product_kind kind,
		     bool accumulate, uint32_t calls);

/* `cut_short`: a recomputation that ends before the last product, whose result nothing waits for. */
void mxt_linear_forward(struct mxt_problem_builder *b, const struct mxt_linear *linear, bool cut_short, uint32_t calls);
void mxt_linear_backward(struct mxt_problem_builder *b, const struct mxt_linear *linear, bool input_gradient,
			 uint32_t calls);

#endif
