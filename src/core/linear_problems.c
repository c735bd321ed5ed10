/* SPDX-License-Identifier: Apache-2.0 */
#include "linear_problems.h"

/* ---- one product ---- */

static struct mxt_gemm product_shape(enum mxt_product_kind kind, int64_t t, int64_t out, int64_t in)
{
	switch (kind) {
	case MXT_PRODUCT_FORWARD:
		return (struct mxt_gemm){.m = t, .n = out, .k = in, .lda = in, .ldb = in, .ldc = out, .trans_b = true};
	case MXT_PRODUCT_INPUT_GRADIENT:
		return (struct mxt_gemm){.m = t, .n = in, .k = out, .lda = out, .ldb = in, .ldc = in};
	case MXT_PRODUCT_TRANSPOSED_FORWARD:
		return (struct mxt_gemm){.m = out, .n = t, .k = in, .lda = in, .ldb = in, .ldc = t, .trans_b = true};
	case MXT_PRODUCT_TURNED_GRADIENT:
		return (struct mxt_gemm){
		    .m = out, .n = in, .k = t, .lda = out, .ldb = t, .ldc = in, .trans_a = true, .trans_b = true};
	case MXT_PRODUCT_WEIGHT_GRADIENT:
		break;
	}
	return (struct mxt_gemm){.m = out, .n = in, .k = t, .lda = out, .ldb = in, .ldc = in, .trans_a = true};
}

/* Rows of a part of the micro-batch shrink as the whole does, so that shares in a step stay what they are. */
static int64_t scaled_tokens(const struct mxt_problem_builder *b, int64_t tokens)
{
	if (b->tokens == b->real_tokens)
		return tokens;
	int64_t rows = (int64_t)((double)tokens * (double)b->tokens / (double)b->real_tokens + 0.5);
	return rows > 0 ? rows : 1;
}

/* Calls of the whole product, as so many calls of its cut: rounded, and never beyond what the counter holds. */
static uint32_t calls_of_cut(uint32_t calls, int64_t real, int64_t cut)
{
	uint64_t more = ((uint64_t)real * calls + (uint64_t)cut / 2) / (uint64_t)cut;
	return more < UINT32_MAX ? (uint32_t)more : UINT32_MAX;
}

void mxt_builder_multiply(struct mxt_problem_builder *b, const struct mxt_product *product, uint32_t calls)
{
	int64_t out = mxt_builder_limit(product->out, b->scale.weight_extent);
	int64_t in = mxt_builder_limit(product->in, b->scale.weight_extent);
	if (out <= 0 || in <= 0 || calls == 0)
		return; /* a weight without elements */
	int64_t real_rows = product->tokens ? product->tokens : b->real_tokens;
	struct mxt_problem problem = {.kind = MXT_PROBLEM_GEMM};
	problem.as.gemm = product_shape(product->kind, scaled_tokens(b, real_rows), out, in);
	problem.as.gemm.dtype = product->dtype;
	problem.as.gemm.bias = product->bias && product->kind == MXT_PRODUCT_FORWARD;
	problem.as.gemm.accumulate = product->accumulate;
	int64_t real = product->out * product->in, cut = out * in;
	uint32_t index = mxt_builder_add(b, &problem, calls_of_cut(calls, real, cut), MXT_PPM);
	b->set->step_flops[MXT_PROBLEM_GEMM] += 2.0 * (double)real_rows * (double)real * calls;
	b->set->scaled = b->set->scaled || real != cut;
	mxt_builder_step(b, index);
}

/* ---- what a job has ---- */

bool mxt_carries_lora(const struct mxt_training *training, uint32_t projections)
{
	return training->adapter != MXT_ADAPTER_NONE && (training->lora_targets & projections) != 0;
}

bool mxt_models_lora(const struct mxt_problem_builder *b, const struct mxt_linear *linear)
{
	return !(b->workload->excluded & MXT_PART_LORA) && mxt_carries_lora(&b->workload->training, linear->projection);
}

static bool in_float32(const struct mxt_problem_builder *b)
{
	return !b->workload->training.autocast && b->dtype != MXT_DTYPE_F32;
}

/* Two values a byte are read, and written in the step's dtype; their scales are a hundredth of that. */
static void dequantise(struct mxt_problem_builder *b, const struct mxt_linear *l)
{
	int64_t elements =
	    mxt_builder_limit(l->out, b->scale.weight_extent) * mxt_builder_limit(l->in, b->scale.weight_extent);
	if (b->workload->training.load_bits == 4 && l->projection != 0)
		mxt_builder_filler(b, elements / 2 + elements * (int64_t)mxt_dtype_bytes(b->dtype));
}

void mxt_linear_base(struct mxt_problem_builder *b, const struct mxt_linear *l, enum mxt_product_kind kind,
		     bool accumulate, uint32_t calls)
{
	const struct mxt_product product = {
	    .kind = kind, .out = l->out, .in = l->in, .dtype = b->dtype, .bias = l->bias, .accumulate = accumulate};
	if (l->projection != 0 && (b->workload->excluded & MXT_PART_BASE))
		return;
	dequantise(b, l);
	mxt_builder_multiply(b, &product, calls);
}

/* ---- peft ---- */

static void adapter_product(struct mxt_problem_builder *b, enum mxt_product_kind kind, int64_t out, int64_t in,
			    uint32_t calls)
{
	const struct mxt_product product = {
	    .kind = kind, .out = out, .in = in, .dtype = in_float32(b) ? MXT_DTYPE_F32 : b->dtype};
	mxt_builder_multiply(b, &product, calls);
}

/* Base + scaled update; in float32 the input is cast before, and the sum after. */
static void add_update(struct mxt_problem_builder *b, const struct mxt_linear *l)
{
	int64_t bytes = mxt_dtype_bytes(b->dtype);
	mxt_builder_stream(b, l->out, in_float32(b) ? 4 + 2 * (bytes + 4) : 3 * bytes);
}

static void cast_to_float32(struct mxt_problem_builder *b, int64_t features)
{
	if (in_float32(b))
		mxt_builder_stream(b, features, mxt_dtype_bytes(b->dtype) + 4);
}

void mxt_linear_forward(struct mxt_problem_builder *b, const struct mxt_linear *l, bool cut_short, uint32_t calls)
{
	int64_t rank = b->workload->training.lora_rank;
	bool carries = mxt_carries_lora(&b->workload->training, l->projection);
	if (carries || !cut_short)
		mxt_linear_base(b, l, MXT_PRODUCT_FORWARD, false, calls);
	if (!mxt_models_lora(b, l))
		return;
	cast_to_float32(b, l->in);
	adapter_product(b, MXT_PRODUCT_FORWARD, rank, l->in, calls);
	if (cut_short)
		return;
	adapter_product(b, MXT_PRODUCT_FORWARD, l->out, rank, calls);
	add_update(b, l);
}

static void adapter_backward(struct mxt_problem_builder *b, const struct mxt_linear *l, bool input_gradient,
			     uint32_t calls)
{
	int64_t rank = b->workload->training.lora_rank;
	cast_to_float32(b, l->out);
	adapter_product(b, MXT_PRODUCT_WEIGHT_GRADIENT, l->out, rank, calls);
	adapter_product(b, MXT_PRODUCT_INPUT_GRADIENT, l->out, rank, calls);
	adapter_product(b, MXT_PRODUCT_WEIGHT_GRADIENT, rank, l->in, calls);
	if (!input_gradient)
		return;
	adapter_product(b, MXT_PRODUCT_INPUT_GRADIENT, rank, l->in, calls);
	cast_to_float32(b, l->in);
	mxt_builder_passes(b, 3, l->in); /* gradients of both branches */
}

void mxt_linear_backward(struct mxt_problem_builder *b, const struct mxt_linear *l, bool input_gradient, uint32_t calls)
{
	if (mxt_models_lora(b, l))
		adapter_backward(b, l, input_gradient, calls);
	if (b->workload->training.adapter == MXT_ADAPTER_NONE)
		mxt_linear_base(b, l, MXT_PRODUCT_WEIGHT_GRADIENT, false, calls);
	if (input_gradient)
		mxt_linear_base(b, l, MXT_PRODUCT_INPUT_GRADIENT, false, calls);
}
