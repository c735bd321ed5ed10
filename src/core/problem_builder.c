/* SPDX-License-Identifier: Apache-2.0 */
#include "problem_builder.h"

#include "lengths.h"
#include "workload_passes.h"

/* Eager attention makes products over whole sequences, whatever is masked in them. */
static bool isolates(const struct mxt_workload *w)
{
	return w->training.packing && !w->training.mixed_documents && w->attention != MXT_ATTENTION_EAGER;
}

int mxt_builder_take_lengths(struct mxt_problem_builder *b, struct mxt_error *err)
{
	const struct mxt_workload *w = b->workload;
	struct mxt_builder_lengths *l = &b->lengths;
	if (isolates(w) && !b->scale.plain_attention) {
		int rc = mxt_workload_pack(w, 0, &l->pack, err);
		return rc < 0 ? rc : mxt_workload_pack(w, b->scale.attention_tokens, &l->cut_pack, err);
	}
	if (!w->training.packing && !w->training.padding && mxt_lengths_known(&w->lengths)) {
		struct mxt_drawing drawing = mxt_workload_drawing(w);
		l->n_strata = mxt_length_shapes_strata(&w->lengths, &drawing, l->strata);
	}
	return 0;
}

int64_t mxt_builder_limit(int64_t value, int32_t limit)
{
	return limit > 0 && value > limit ? limit : value;
}

static struct mxt_problem *find_or_append(struct mxt_problem_builder *b, const struct mxt_problem *problem)
{
	struct mxt_problem_set *set = b->set;
	for (size_t i = 0; i < set->n_problems; i++)
		if (mxt_problem_equal(&set->problems[i], problem))
			return &set->problems[i];
	if (set->n_problems == MXT_MAX_PROBLEMS) {
		b->failed = true;
		return &set->problems[0];
	}
	struct mxt_problem *added = &set->problems[set->n_problems++];
	*added = *problem;
	added->calls = 0;
	added->share_ppm = 0;
	return added;
}

static uint32_t saturated(uint64_t calls)
{
	return calls < UINT32_MAX ? (uint32_t)calls : UINT32_MAX;
}

/* Keeps calls * share exact where one of the two agrees, and else to half a call. */
static void add_weight(struct mxt_problem *p, uint32_t calls, uint32_t share_ppm)
{
	uint64_t share = (uint64_t)p->share_ppm + share_ppm;
	if (calls == 0)
		return;
	if (p->calls == 0) {
		p->calls = calls;
		p->share_ppm = share_ppm;
	} else if (p->calls == calls && share <= MXT_PPM) {
		p->share_ppm = (uint32_t)share;
	} else if (p->share_ppm == share_ppm) {
		p->calls = saturated((uint64_t)p->calls + calls);
	} else {
		uint64_t weight = (uint64_t)p->calls * p->share_ppm + (uint64_t)calls * share_ppm;
		p->calls = saturated((weight + MXT_PPM / 2) / MXT_PPM);
		p->share_ppm = MXT_PPM;
	}
}

uint32_t mxt_builder_add(struct mxt_problem_builder *b, const struct mxt_problem *problem, uint32_t calls,
			 uint32_t share_ppm)
{
	struct mxt_problem *found = find_or_append(b, problem);
	add_weight(found, calls, share_ppm);
	return (uint32_t)(found - b->set->problems);
}

static void append(struct mxt_problem_builder *b, struct mxt_layer_step step)
{
	if (!b->in_layer)
		return;
	if (b->set->n_layer == MXT_MAX_LAYER_STEPS)
		b->failed = true;
	else
		b->set->layer[b->set->n_layer++] = step;
}

void mxt_builder_step(struct mxt_problem_builder *b, uint32_t problem)
{
	append(b, (struct mxt_layer_step){problem, 0});
}

void mxt_builder_filler(struct mxt_problem_builder *b, int64_t bytes)
{
	if (bytes > 0)
		append(b, (struct mxt_layer_step){MXT_LAYER_FILLER, (uint64_t)bytes});
}

void mxt_builder_stream(struct mxt_problem_builder *b, int64_t features, int64_t bytes)
{
	mxt_builder_filler(b, b->tokens * mxt_builder_limit(features, b->scale.weight_extent) * bytes);
}

void mxt_builder_passes(struct mxt_problem_builder *b, int arrays, int64_t features)
{
	mxt_builder_stream(b, features, arrays * (int64_t)mxt_dtype_bytes(b->dtype));
}
