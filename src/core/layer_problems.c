/* SPDX-License-Identifier: Apache-2.0 */
#include "layer_problems.h"

#include "attention_problems.h"
#include "eager_attention_problems.h"
#include "fused_lora_problems.h"

#define QKV (MXT_PROJ_Q | MXT_PROJ_K | MXT_PROJ_V)

/* How many layers run alike, and whether their input's gradient is asked for. */
struct pass {
	uint32_t attention_layers, mlp_layers;
	bool input_gradient;
	bool again; /* the recomputation of a checkpoint */
};

/* ---- the linears of a layer ---- */

static struct mxt_linear_group qkv_group(const struct mxt_problem_builder *b)
{
	const struct mxt_model *m = &b->workload->model;
	int64_t q = (int64_t)m->heads * m->head_dim, kv = (int64_t)m->kv_heads * m->head_dim;
	if (b->workload->excluded & MXT_PART_QKVO)
		return (struct mxt_linear_group){.count = 0};
	if (m->fused_qkv)
		return (struct mxt_linear_group){{{QKV, m->hidden, q + 2 * kv, m->attention_bias}}, 1};
	return (struct mxt_linear_group){{{MXT_PROJ_Q, m->hidden, q, m->attention_bias},
					  {MXT_PROJ_K, m->hidden, kv, m->attention_bias},
					  {MXT_PROJ_V, m->hidden, kv, m->attention_bias}},
					 3};
}

static struct mxt_linear_group o_group(const struct mxt_problem_builder *b)
{
	const struct mxt_model *m = &b->workload->model;
	if (b->workload->excluded & MXT_PART_QKVO)
		return (struct mxt_linear_group){.count = 0};
	return (struct mxt_linear_group){{{MXT_PROJ_O, (int64_t)m->heads * m->head_dim, m->hidden, false}}, 1};
}

/* A mixture of experts may have no dense width. */
static bool has_mlp(const struct mxt_problem_builder *b)
{
	return !(b->workload->excluded & MXT_PART_MLP) && b->workload->model.ffn > 0;
}

static struct mxt_linear_group up_group(const struct mxt_problem_builder *b)
{
	const struct mxt_model *m = &b->workload->model;
	if (!has_mlp(b))
		return (struct mxt_linear_group){.count = 0};
	if (!m->gated_mlp)
		return (struct mxt_linear_group){{{MXT_PROJ_UP, m->hidden, m->ffn, false}}, 1};
	if (m->fused_gate_up)
		return (struct mxt_linear_group){{{MXT_PROJ_GATE | MXT_PROJ_UP, m->hidden, 2 * (int64_t)m->ffn, false}},
						 1};
	return (struct mxt_linear_group){
	    {{MXT_PROJ_GATE, m->hidden, m->ffn, false}, {MXT_PROJ_UP, m->hidden, m->ffn, false}}, 2};
}

static struct mxt_linear_group down_group(const struct mxt_problem_builder *b)
{
	if (!has_mlp(b))
		return (struct mxt_linear_group){.count = 0};
	return (struct mxt_linear_group){{{MXT_PROJ_DOWN, b->workload->model.ffn, b->workload->model.hidden, false}},
					 1};
}

static bool is_fused(const struct mxt_problem_builder *b, uint32_t kernel)
{
	return (b->workload->training.fused_lora & kernel) != 0;
}

/* ---- groups ---- */

static void group_forward(struct mxt_problem_builder *b, const struct mxt_linear_group *group, uint32_t kernel,
			  bool cut_short, uint32_t calls)
{
	for (size_t i = 0; i < group->count; i++)
		if (is_fused(b, kernel))
			mxt_fused_forward(b, &group->items[i], calls);
		else
			mxt_linear_forward(b, &group->items[i], cut_short, calls);
}

static void fused_backward(struct mxt_problem_builder *b, const struct mxt_linear_group *group, bool input_gradient,
			   uint32_t calls)
{
	for (size_t i = 0; i < group->count; i++)
		mxt_fused_adapter_gradients(b, &group->items[i], calls);
	if (input_gradient)
		mxt_fused_group_input_gradient(b, group, calls);
}

/* In reverse; where several share an input, their gradients are added up. */
static void plain_backward(struct mxt_problem_builder *b, const struct mxt_linear_group *group, bool input_gradient,
			   uint32_t calls)
{
	for (size_t i = group->count; i-- > 0;) {
		mxt_linear_backward(b, &group->items[i], input_gradient, calls);
		if (input_gradient && i + 1 < group->count)
			mxt_builder_passes(b, 3, group->items[i].in);
	}
}

/* The attention kernels of Axolotl give an input gradient whether or not one is asked for. */
static void attention_group_backward(struct mxt_problem_builder *b, const struct mxt_linear_group *group,
				     uint32_t kernel, bool input_gradient, uint32_t calls)
{
	if (is_fused(b, kernel))
		fused_backward(b, group, true, calls);
	else
		plain_backward(b, group, input_gradient, calls);
}

/* ---- attention ---- */

static int64_t qk_features(const struct mxt_problem_builder *b)
{
	const struct mxt_model *m = &b->workload->model;
	return ((int64_t)m->heads + m->kv_heads) * m->head_dim;
}

static bool is_eager(const struct mxt_problem_builder *b)
{
	return b->workload->attention == MXT_ATTENTION_EAGER;
}

static void attention_forward(struct mxt_problem_builder *b, const struct pass *pass)
{
	mxt_builder_passes(b, 2, qk_features(b)); /* rotary embedding */
	if (is_eager(b))
		mxt_eager_forward(b, pass->attention_layers);
	else
		mxt_attention_step(b, MXT_FORWARD);
}

/* Does a gradient reach the output of these projections? */
static bool is_reached(const struct mxt_problem_builder *b, const struct pass *pass, uint32_t projections)
{
	return pass->input_gradient || mxt_carries_lora(&b->workload->training, projections);
}

static void attention_backward(struct mxt_problem_builder *b, const struct pass *pass)
{
	const struct mxt_eager_gradients gradients = {is_reached(b, pass, MXT_PROJ_Q), is_reached(b, pass, MXT_PROJ_K),
						      is_reached(b, pass, MXT_PROJ_V)};
	if (!is_reached(b, pass, QKV))
		return;
	if (is_eager(b))
		mxt_eager_backward(b, gradients, pass->attention_layers);
	else
		mxt_attention_step(b, MXT_BACKWARD);
	mxt_builder_passes(b, 2, qk_features(b)); /* rotary embedding */
}

/* ---- the MLP ---- */

static void mlp_forward(struct mxt_problem_builder *b, const struct pass *pass)
{
	const struct mxt_model *m = &b->workload->model;
	const struct mxt_linear_group up = up_group(b), down = down_group(b);
	bool cut_short = pass->again && b->workload->training.non_reentrant;
	group_forward(b, &up, MXT_FUSED_MLP, false, pass->mlp_layers);
	mxt_builder_passes(b, m->gated_mlp ? 3 : 2, m->ffn); /* activation */
	group_forward(b, &down, MXT_FUSED_MLP, cut_short, pass->mlp_layers);
}

static void mlp_backward(struct mxt_problem_builder *b, const struct pass *pass)
{
	const struct mxt_model *m = &b->workload->model;
	const struct mxt_linear_group up = up_group(b), down = down_group(b);
	bool input = is_reached(b, pass, QKV | MXT_PROJ_O);
	bool inner = input || is_reached(b, pass, MXT_PROJ_GATE | MXT_PROJ_UP);
	bool fused = is_fused(b, MXT_FUSED_MLP);
	for (size_t i = 0; fused && i < down.count; i++)
		mxt_fused_input_gradient(b, &down.items[i], pass->mlp_layers);
	if (!fused)
		plain_backward(b, &down, inner, pass->mlp_layers);
	if (inner)
		mxt_builder_passes(b, m->gated_mlp ? 5 : 3, m->ffn); /* activation */
	for (size_t i = 0; fused && i < down.count; i++)
		mxt_fused_adapter_gradients(b, &down.items[i], pass->mlp_layers);
	if (fused)
		fused_backward(b, &up, input, pass->mlp_layers);
	else
		plain_backward(b, &up, input, pass->mlp_layers);
}

/* ---- one layer ---- */

static void layer_forward(struct mxt_problem_builder *b, const struct pass *pass)
{
	int64_t hidden = b->workload->model.hidden;
	const struct mxt_linear_group qkv = qkv_group(b), o = o_group(b);
	mxt_builder_passes(b, 2, hidden); /* norm */
	group_forward(b, &qkv, MXT_FUSED_QKV, false, pass->attention_layers);
	attention_forward(b, pass);
	group_forward(b, &o, MXT_FUSED_O, false, pass->attention_layers);
	mxt_builder_passes(b, 3, hidden); /* residual */
	mxt_builder_passes(b, 2, hidden); /* norm */
	mlp_forward(b, pass);
	if (!(pass->again && b->workload->training.non_reentrant))
		mxt_builder_passes(b, 3, hidden); /* residual */
}

static void layer_backward(struct mxt_problem_builder *b, const struct pass *pass)
{
	int64_t hidden = b->workload->model.hidden;
	const struct mxt_linear_group qkv = qkv_group(b), o = o_group(b);
	mlp_backward(b, pass);
	mxt_builder_passes(b, 3, hidden); /* norm */
	mxt_builder_passes(b, 3, hidden); /* residual */
	attention_group_backward(b, &o, MXT_FUSED_O, is_reached(b, pass, QKV), pass->attention_layers);
	attention_backward(b, pass);
	attention_group_backward(b, &qkv, MXT_FUSED_QKV, pass->input_gradient, pass->attention_layers);
	mxt_builder_passes(b, 3, hidden); /* norm */
	mxt_builder_passes(b, 3, hidden); /* residual */
}

/* ---- all layers ---- */

static struct pass all_layers(const struct mxt_problem_builder *b)
{
	const struct mxt_model *m = &b->workload->model;
	return (struct pass){mxt_attention_layers(m), (uint32_t)m->layers, true, false};
}

/* The backward pass of all layers but the first, then of the first. Of a hybrid the first has no attention. */
static void backward_from_last(struct mxt_problem_builder *b, struct pass rest)
{
	struct pass first = {1, 1, false, false};
	if (b->workload->model.attention_layers)
		first.attention_layers = 0;
	rest.attention_layers -= first.attention_layers;
	rest.mlp_layers--;
	bool only = rest.mlp_layers == 0;
	b->in_layer = !only;
	layer_backward(b, &rest);
	b->in_layer = only;
	layer_backward(b, &first);
}

static bool first_is_special(const struct mxt_problem_builder *b)
{
	return b->workload->training.frozen_input && b->workload->training.adapter != MXT_ADAPTER_NONE;
}

static void add_products(struct mxt_problem_builder *b)
{
	struct pass pass = all_layers(b), again = pass;
	again.again = true;
	b->in_layer = true;
	layer_forward(b, &pass);
	if (b->workload->training.checkpointing)
		layer_forward(b, &again);
	if (first_is_special(b))
		backward_from_last(b, pass);
	else
		layer_backward(b, &pass);
	b->in_layer = false;
}

void mxt_add_layers(struct mxt_problem_builder *b)
{
	const struct mxt_workload *w = b->workload;
	bool short_first = first_is_special(b) && !w->model.attention_layers;
	mxt_add_attention(b, !short_first || mxt_carries_lora(&w->training, QKV));
	add_products(b);
}
