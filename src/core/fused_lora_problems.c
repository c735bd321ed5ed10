/* SPDX-License-Identifier: Apache-2.0 */
#include "fused_lora_problems.h"

static void adapter_product(struct mxt_problem_builder *b, struct mxt_product product, uint32_t calls)
{
	product.dtype = b->dtype;
	mxt_builder_multiply(b, &product, calls);
}

/* B[out, r] and A[r, in] of a linear. */
static struct mxt_product of_b(const struct mxt_problem_builder *b, const struct mxt_linear *l,
			       enum mxt_product_kind kind)
{
	return (struct mxt_product){.kind = kind, .out = l->out, .in = b->workload->training.lora_rank};
}

static struct mxt_product of_a(const struct mxt_problem_builder *b, const struct mxt_linear *l,
			       enum mxt_product_kind kind)
{
	return (struct mxt_product){.kind = kind, .out = b->workload->training.lora_rank, .in = l->in};
}

static struct mxt_product in_place(struct mxt_product product)
{
	product.accumulate = true;
	return product;
}

void mxt_fused_forward(struct mxt_problem_builder *b, const struct mxt_linear *l, uint32_t calls)
{
	struct mxt_linear plain = *l;
	plain.bias = false;
	mxt_linear_base(b, &plain, MXT_PRODUCT_FORWARD, false, calls);
	if (mxt_models_lora(b, l)) {
		adapter_product(b, of_a(b, l, MXT_PRODUCT_FORWARD), calls);
		adapter_product(b, in_place(of_b(b, l, MXT_PRODUCT_FORWARD)), calls);
	}
	if (l->bias)
		mxt_builder_passes(b, 2, l->out);
}

void mxt_fused_input_gradient(struct mxt_problem_builder *b, const struct mxt_linear *l, uint32_t calls)
{
	mxt_linear_base(b, l, MXT_PRODUCT_INPUT_GRADIENT, false, calls);
	if (!mxt_models_lora(b, l))
		return;
	adapter_product(b, of_b(b, l, MXT_PRODUCT_INPUT_GRADIENT), calls);
	adapter_product(b, in_place(of_a(b, l, MXT_PRODUCT_INPUT_GRADIENT)), calls);
}

void mxt_fused_adapter_gradients(struct mxt_problem_builder *b, const struct mxt_linear *l, uint32_t calls)
{
	if (!mxt_models_lora(b, l))
		return;
	adapter_product(b, of_b(b, l, MXT_PRODUCT_INPUT_GRADIENT), calls);
	adapter_product(b, of_a(b, l, MXT_PRODUCT_WEIGHT_GRADIENT), calls);
	adapter_product(b, of_a(b, l, MXT_PRODUCT_TRANSPOSED_FORWARD), calls);
	adapter_product(b, of_b(b, l, MXT_PRODUCT_TURNED_GRADIENT), calls);
}

/* LoRA_O with dropout multiplies into a tensor of its own; the others start from zeros. */
static bool multiplies_apart(const struct mxt_problem_builder *b, const struct mxt_linear_group *group)
{
	return b->workload->training.lora_dropout && group->items[0].projection == MXT_PROJ_O;
}

void mxt_fused_group_input_gradient(struct mxt_problem_builder *b, const struct mxt_linear_group *group, uint32_t calls)
{
	bool apart = multiplies_apart(b, group);
	for (size_t i = 0; i < group->count; i++)
		mxt_linear_base(b, &group->items[i], MXT_PRODUCT_INPUT_GRADIENT, i > 0, calls);
	for (size_t i = 0; i < group->count; i++) {
		struct mxt_product product = of_a(b, &group->items[i], MXT_PRODUCT_INPUT_GRADIENT);
		if (mxt_models_lora(b, &group->items[i]))
			adapter_product(b, apart ? product : in_place(product), calls);
	}
}
