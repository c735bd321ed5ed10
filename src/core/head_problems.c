/* SPDX-License-Identifier: Apache-2.0 */
#include "head_problems.h"

#include "linear_problems.h"

static int64_t divide_up(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

static int64_t next_power_of_2(int64_t value)
{
	int64_t power = 1;
	while (power < value)
		power *= 2;
	return power;
}

static void add_chunks(struct mxt_problem_builder *b, int64_t tokens, uint32_t chunks)
{
	const struct mxt_model *m = &b->workload->model;
	struct mxt_product product = {.out = m->vocab, .in = m->hidden, .dtype = b->dtype, .tokens = tokens};
	if (tokens == 0)
		return;
	product.kind = MXT_PRODUCT_FORWARD;
	mxt_builder_multiply(b, &product, chunks);
	product.kind = MXT_PRODUCT_INPUT_GRADIENT;
	mxt_builder_multiply(b, &product, chunks);
	product.kind = MXT_PRODUCT_WEIGHT_GRADIENT;
	if (b->workload->training.adapter == MXT_ADAPTER_NONE)
		mxt_builder_multiply(b, &product, chunks);
}

static void add_liger(struct mxt_problem_builder *b)
{
	const struct mxt_model *m = &b->workload->model;
	int64_t chunk = next_power_of_2(divide_up(b->real_tokens, divide_up(m->vocab, m->hidden)));
	add_chunks(b, chunk, (uint32_t)(b->real_tokens / chunk));
	add_chunks(b, b->real_tokens % chunk, 1);
}

void mxt_add_head(struct mxt_problem_builder *b)
{
	const struct mxt_linear head = {0, b->workload->model.hidden, b->workload->model.vocab, false};
	if (b->workload->excluded & MXT_PART_LM_HEAD)
		return;
	if (b->workload->training.liger_cross_entropy) {
		add_liger(b);
		return;
	}
	mxt_linear_forward(b, &head, false, 1);
	mxt_linear_backward(b, &head, true, 1);
}
