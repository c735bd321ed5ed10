/* SPDX-License-Identifier: Apache-2.0 */
#include "attention_problems.h"

#include <math.h>

struct shape_row {
	bool alone; /* micro-batch 1 */
	int32_t length_percent;
	uint32_t varying_ppm, fixed_ppm;
};

static const struct shape_row rows[] = {
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

static bool is_packed(const struct mxt_problem_builder *b)
{
	return b->lengths.pack.n_documents > 0;
}

size_t mxt_attention_rows(const struct mxt_problem_builder *b)
{
	if (is_packed(b))
		return 1;
	return b->lengths.n_strata > 0 ? b->lengths.n_strata : MXT_ARRAY_LEN(rows);
}

static int32_t at_least_one(int64_t tokens)
{
	return tokens > 0 ? (int32_t)tokens : 1;
}

/* A stratum of a cut length is the same part of it. */
static struct mxt_attention call_of_row(const struct mxt_problem_builder *b, size_t row, bool cut)
{
	struct mxt_attention call = main_call(b, cut);
	if (is_packed(b)) {
		mxt_pack_apply(cut ? &b->lengths.cut_pack : &b->lengths.pack, &call);
	} else if (b->lengths.n_strata > 0) {
		int32_t seq = b->lengths.strata[row].seq;
		call.seq = cut ? at_least_one((int64_t)seq * call.seq / b->workload->training.seq_len) : seq;
	} else {
		call.seq = at_least_one((int64_t)call.seq * rows[row].length_percent / 100);
		call.batch = rows[row].alone ? 1 : call.batch;
	}
	return call;
}

static uint32_t share_of_row(const struct mxt_problem_builder *b, size_t row)
{
	if (is_packed(b))
		return MXT_PPM;
	if (b->lengths.n_strata > 0)
		return b->lengths.strata[row].share_ppm;
	return has_one_length(&b->workload->training) ? rows[row].fixed_ppm : rows[row].varying_ppm;
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
	call->masked = sdpa && call->n_documents == 0 && (slides || has_padding(&w->training));
	if (!call->masked)
		return;
	call->repeated = call->kv_heads != call->heads;
	call->kv_heads = call->heads;
}

bool mxt_attention_shape_at(const struct mxt_problem_builder *b, size_t i, bool cut,
			    struct mxt_attention_shape *ret_shape)
{
	size_t n_rows = mxt_attention_rows(b), row = i % n_rows;
	if (i / n_rows >= 2)
		return false;
	const struct mxt_workload *w = b->workload;
	struct layer_kind kind = layer_kind_at(&w->model, i / n_rows);
	struct mxt_attention call = call_of_row(b, row, cut);
	if (!b->scale.plain_attention)
		restrict_call(w, kind.window, call_of_row(b, row, false).seq, &call);
	*ret_shape = (struct mxt_attention_shape){call, kind.layers, share_of_row(b, row),
						  is_packed(b) ? b->lengths.pack.calls : 1};
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

static uint32_t repeated(uint32_t calls, const struct mxt_attention_shape *shape)
{
	double all = calls * shape->repeats;
	return all < (double)UINT32_MAX ? (uint32_t)lround(all) : UINT32_MAX;
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
		bool first_kind = i < mxt_attention_rows(b);
		uint32_t backward = shape.layers - (first_kind && !first_backward ? 1 : 0);
		uint32_t forward = twice ? 2 * shape.layers : shape.layers;
		add_call(b, &shape, &real.call, MXT_FORWARD, repeated(forward, &shape));
		if (backward > 0)
			add_call(b, &shape, &real.call, MXT_BACKWARD, repeated(backward, &shape));
	}
}

/* With a mask keys and values are copied to all heads, and their gradients added up. */
static void repeat_heads(struct mxt_problem_builder *b, const struct mxt_attention *call)
{
	const struct mxt_model *m = &b->workload->model;
	if (call->repeated)
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
