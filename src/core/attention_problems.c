/* SPDX-License-Identifier: Apache-2.0 */
#include "attention_problems.h"

struct shape_row {
	bool alone; /* micro-batch 1 */
	int32_t length_percent;
	uint32_t varying_ppm, fixed_ppm;
};

static const struct shape_row rows[MXT_ATTENTION_ROWS] = {
    {false, 100, 400000, MXT_PPM},
    {false, 50, 300000, 0},
    {true, 100, 200000, 0},
    {true, 200, 100000, 0},
};

/* ---- layers ---- */

uint32_t mxt_attention_layers(const struct mxt_model *model)
{
	return (uint32_t)(model->attention_layers ? model->attention_layers : model->layers);
}

struct layer_kind {
	uint32_t layers;
	int32_t window; /* 0: none */
};

/* The kind of most layers, then the other one. */
static struct layer_kind layer_kind_at(const struct mxt_model *m, size_t i)
{
	uint32_t all = mxt_attention_layers(m);
	uint32_t sliding = m->sliding_window == 0 ? 0 : m->sliding_layers ? (uint32_t)m->sliding_layers : all;
	bool slides = (2 * sliding > all) == (i == 0);
	return slides ? (struct layer_kind){sliding, m->sliding_window} : (struct layer_kind){all - sliding, 0};
}

/* ---- one shape ---- */

static bool calls_sdpa(const struct mxt_workload *w)
{
	return w->attention == MXT_ATTENTION_UNSET || w->attention == MXT_ATTENTION_SDPA;
}

static bool has_padding(const struct mxt_training *t)
{
	return !t->packing && (t->padding || t->pads_alone || t->micro_batch > 1);
}

static bool has_one_length(const struct mxt_training *t)
{
	return t->packing || t->padding;
}

/* The job's micro-batch and length, cut so that twice the length still keeps within the limit. */
static struct mxt_attention main_call(const struct mxt_problem_builder *b, bool cut)
{
	const struct mxt_training *t = &b->workload->training;
	const struct mxt_model *m = &b->workload->model;
	struct mxt_attention call = {.batch = t->micro_batch,
				     .seq = t->seq_len,
				     .heads = m->heads,
				     .kv_heads = m->kv_heads,
				     .head_dim = m->head_dim,
				     .causal = true,
				     .dtype = b->dtype};
	int32_t limit = b->scale.attention_tokens;
	if (cut && limit > 0) {
		call.seq = (int32_t)mxt_builder_limit(call.seq, limit / 2);
		call.batch = (int32_t)mxt_builder_limit(call.batch, limit / call.seq);
	}
	return call;
}

static struct mxt_attention call_of_row(const struct mxt_problem_builder *b, const struct shape_row *row, bool cut)
{
	struct mxt_attention call = main_call(b, cut);
	int64_t seq = (int64_t)call.seq * row->length_percent / 100;
	call.seq = seq > 0 ? (int32_t)seq : 1;
	call.batch = row->alone ? 1 : call.batch;
	return call;
}

/* What is seen, by the real length; of a cut one the same part is seen. */
static void restrict_call(const struct mxt_workload *w, int32_t window, int32_t real_seq, struct mxt_attention *call)
{
	bool sdpa = calls_sdpa(w);
	bool slides = window > 0 && (sdpa ? real_seq >= window : real_seq > window);
	if (slides) {
		int64_t seen = (int64_t)window * call->seq / real_seq;
		call->window = seen > 0 ? (int32_t)seen : 1;
	}
	call->masked = sdpa && (slides || has_padding(&w->training));
	if (call->masked)
		call->kv_heads = call->heads;
}

bool mxt_attention_shape_at(const struct mxt_problem_builder *b, size_t i, bool cut,
			    struct mxt_attention_shape *ret_shape)
{
	if (i / MXT_ATTENTION_ROWS >= 2)
		return false;
	const struct mxt_workload *w = b->workload;
	const struct shape_row *row = &rows[i % MXT_ATTENTION_ROWS];
	struct layer_kind kind = layer_kind_at(&w->model, i / MXT_ATTENTION_ROWS);
	struct mxt_attention call = call_of_row(b, row, cut);
	restrict_call(w, kind.window, call_of_row(b, row, false).seq, &call);
	uint32_t share = has_one_length(&w->training) ? row->fixed_ppm : row->varying_ppm;
	*ret_shape = (struct mxt_attention_shape){call, kind.layers, share};
	return kind.layers > 0;
}

/* ---- the calls of a step ---- */

static struct mxt_problem as_problem(const struct mxt_attention *call, enum mxt_direction direction)
{
	struct mxt_problem problem = {.kind = MXT_PROBLEM_ATTENTION, .as.attention = *call};
	problem.as.attention.direction = direction;
	return problem;
}

static void add_call(struct mxt_problem_builder *b, const struct mxt_attention_shape *shape,
		     const struct mxt_attention *real, enum mxt_direction direction, uint32_t calls)
{
	struct mxt_problem problem = as_problem(&shape->call, direction), whole = as_problem(real, direction);
	mxt_builder_add(b, &problem, calls, shape->share_ppm);
	b->set->step_flops[MXT_PROBLEM_ATTENTION] += mxt_problem_flops(&whole) * calls * shape->share_ppm / MXT_PPM;
	b->set->scaled = b->set->scaled || !mxt_problem_equal(&problem, &whole);
}

static bool is_excluded(const struct mxt_problem_builder *b)
{
	return (b->workload->excluded & MXT_PART_ATTENTION) != 0;
}

void mxt_add_attention(struct mxt_problem_builder *b, bool first_backward)
{
	struct mxt_attention_shape shape, real;
	bool twice = b->workload->training.checkpointing;
	if (is_excluded(b) || b->workload->attention == MXT_ATTENTION_EAGER)
		return;
	for (size_t i = 0; mxt_attention_shape_at(b, i, true, &shape) && mxt_attention_shape_at(b, i, false, &real);
	     i++) {
		bool first_kind = i < MXT_ATTENTION_ROWS;
		uint32_t backward = shape.layers - (first_kind && !first_backward ? 1 : 0);
		add_call(b, &shape, &real.call, MXT_FORWARD, twice ? 2 * shape.layers : shape.layers);
		if (backward > 0)
			add_call(b, &shape, &real.call, MXT_BACKWARD, backward);
	}
}

/* With a mask keys and values are copied to all heads, and their gradients added up. */
static void repeat_heads(struct mxt_problem_builder *b, const struct mxt_attention *call)
{
	const struct mxt_model *m = &b->workload->model;
	if (call->kv_heads != m->kv_heads)
		mxt_builder_passes(b, 2, ((int64_t)m->heads + m->kv_heads) * m->head_dim);
}

void mxt_attention_step(struct mxt_problem_builder *b, enum mxt_direction direction)
{
	struct mxt_attention_shape shape;
	if (is_excluded(b) || !mxt_attention_shape_at(b, 0, true, &shape))
		return;
	struct mxt_problem problem = as_problem(&shape.call, direction);
	if (direction == MXT_FORWARD)
		repeat_heads(b, &shape.call);
	mxt_builder_step(b, mxt_builder_add(b, &problem, 0, 0));
	if (direction == MXT_BACKWARD)
		repeat_heads(b, &shape.call);
}
