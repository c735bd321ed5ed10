/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a recording to the problems of one step.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "number.h"
#include "recording.h"

#define NO_INDEX UINT32_MAX

/* A problem with what it weighs in a step, before weights become whole numbers. */
struct share {
	struct mxt_problem problem;
	double calls;
	double flops;  /* of a real step */
	bool attended; /* kept: among those with most operations */
};

struct collection {
	struct share *shares; /* one for each call at most */
	size_t count;
	uint32_t *share_of_call; /* NO_INDEX: no problem stands for it */
};

static void collection_finish(struct collection *collection)
{
	free(collection->shares);
	free(collection->share_of_call);
}

/* ---- cutting ---- */

static int64_t limited(int64_t value, int64_t limit)
{
	return limit > 0 && value > limit ? limit : value;
}

static void cut_gemm(struct mxt_gemm *g, const struct mxt_scale *scale)
{
	int64_t limit = scale->weight_extent && scale->gemm_tokens
			    ? (scale->gemm_tokens > scale->weight_extent ? scale->gemm_tokens : scale->weight_extent)
			    : 0;
	struct mxt_gemm cut = *g;
	cut.m = limited(g->m, limit);
	cut.n = limited(g->n, limit);
	cut.k = limited(g->k, limit);
	if (cut.m == g->m && cut.n == g->n && cut.k == g->k)
		return;
	cut.lda = cut.trans_a ? cut.m : cut.k;
	cut.ldb = cut.trans_b ? cut.k : cut.n;
	cut.ldc = cut.n;
	*g = cut;
}

/* The first documents that fit; the last of them in part. */
static void cut_documents(struct mxt_attention *a, int32_t limit)
{
	int32_t seq = 0;
	uint32_t n = 0;
	for (; n < a->n_documents && seq < limit; n++) {
		a->documents[n] = (int32_t)limited(a->documents[n], limit - seq);
		seq += a->documents[n];
	}
	for (uint32_t i = n; i < a->n_documents; i++)
		a->documents[i] = 0;
	a->n_documents = n;
	a->seq = seq;
}

static void cut_attention(struct mxt_attention *a, int32_t limit)
{
	if (limit <= 0)
		return;
	if (a->n_documents > 0) {
		cut_documents(a, limit);
		return;
	}
	a->seq = (int32_t)limited(a->seq, limit);
	a->batch = (int32_t)limited(a->batch, limit / a->seq);
}

static struct mxt_problem cut_problem(const struct mxt_problem *real, const struct mxt_scale *scale, bool float32)
{
	struct mxt_problem cut = *real;
	if (cut.kind == MXT_PROBLEM_GEMM) {
		cut_gemm(&cut.as.gemm, scale);
		cut.as.gemm.dtype = float32 ? MXT_DTYPE_F32 : cut.as.gemm.dtype;
	} else {
		cut_attention(&cut.as.attention, scale->attention_tokens);
		cut.as.attention.dtype = float32 ? MXT_DTYPE_F32 : cut.as.attention.dtype;
	}
	return cut;
}

void mxt_recording_scale_for_memory(const struct mxt_recording *recording, uint64_t bytes, bool float32,
				    struct mxt_scale *ret_scale)
{
	struct mxt_scale scale = {.gemm_tokens = 0};
	int32_t limit = 1 << 24;
	for (size_t i = 0; i < recording->n_calls; i++) {
		const struct mxt_recorded_call *call = &recording->calls[i];
		if (call->why_not)
			continue;
		struct mxt_problem cut = cut_problem(&call->problem, &scale, float32);
		for (; mxt_problem_bytes(&cut) > bytes && limit > 128; limit /= 2) {
			scale = (struct mxt_scale){limit, limit, limit, false};
			cut = cut_problem(&call->problem, &scale, float32);
		}
	}
	*ret_scale = scale;
}

/* ---- merging ---- */

static uint32_t find_share(struct collection *collection, const struct mxt_problem *problem)
{
	for (size_t i = 0; i < collection->count; i++)
		if (mxt_problem_equal(&collection->shares[i].problem, problem))
			return (uint32_t)i;
	collection->shares[collection->count].problem = *problem;
	return (uint32_t)collection->count++;
}

/* A call that was cut stands for more: as many as their operations say. */
static int collect(const struct mxt_recording *recording, const struct mxt_scale *scale, bool float32,
		   struct collection *collection, struct mxt_problem_set *set, struct mxt_error *err)
{
	collection->shares = calloc(recording->n_calls + 1, sizeof *collection->shares);
	collection->share_of_call = calloc(recording->n_calls + 1, sizeof *collection->share_of_call);
	if (!collection->shares || !collection->share_of_call)
		return mxt_error_oom(err);
	for (size_t i = 0; i < recording->n_calls; i++) {
		const struct mxt_recorded_call *call = &recording->calls[i];
		collection->share_of_call[i] = NO_INDEX;
		if (call->why_not || call->calls <= 0)
			continue;
		struct mxt_problem cut = cut_problem(&call->problem, scale, false);
		double real_flops = mxt_problem_flops(&call->problem), cut_flops = mxt_problem_flops(&cut);
		set->scaled = set->scaled || !mxt_problem_equal(&cut, &call->problem);
		set->step_flops[cut.kind] += real_flops * call->calls;
		cut = cut_problem(&cut, scale, float32);
		uint32_t at = find_share(collection, &cut);
		collection->share_of_call[i] = at;
		collection->shares[at].calls += call->calls * real_flops / cut_flops;
		collection->shares[at].flops += real_flops * call->calls;
	}
	return 0;
}

static int compare_flops(const void *a, const void *b)
{
	const struct share *x = *(const struct share *const *)a, *y = *(const struct share *const *)b;
	if (x->flops < y->flops || x->flops > y->flops)
		return x->flops > y->flops ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Marks those that are tuned. *ret_left_ppm: what share of the operations the others have. */
static int choose(struct collection *collection, uint32_t *ret_left_ppm, struct mxt_error *err)
{
	MXT_CLEANUP_FREE struct share **sorted = calloc(collection->count + 1, sizeof(struct share *));
	if (!sorted)
		return mxt_error_oom(err);
	double all = 0, kept = 0;
	for (size_t i = 0; i < collection->count; i++) {
		sorted[i] = &collection->shares[i];
		all += sorted[i]->flops;
	}
	qsort(sorted, collection->count, sizeof(struct share *), compare_flops);
	for (size_t i = 0; i < collection->count && i < MXT_RECORDING_MAX_PROBLEMS; i++) {
		sorted[i]->attended = true;
		kept += sorted[i]->flops;
	}
	*ret_left_ppm = all > 0 ? (uint32_t)lround((all - kept) / all * MXT_PPM) : 0;
	return 0;
}

/* calls * share_ppm / 1e6 is the weight. */
static void set_weight(struct mxt_problem *problem, double calls)
{
	double whole = ceil(calls);
	problem->calls = whole < 1 ? 1 : whole < UINT32_MAX ? (uint32_t)whole : UINT32_MAX;
	long share = lround(calls / problem->calls * MXT_PPM);
	problem->share_ppm = share < 1 ? 1 : share < MXT_PPM ? (uint32_t)share : MXT_PPM;
}

/* ---- the set ---- */

static int note_left(const struct collection *collection, uint32_t left_ppm, struct mxt_buf *notes)
{
	char percent[32];
	if (!notes || collection->count <= MXT_RECORDING_MAX_PROBLEMS)
		return 0;
	mxt_buf_printf(
	    notes,
	    "of %zu different products and attention calls the %d with most operations are tuned; the others "
	    "have %s %% of the operations",
	    collection->count, MXT_RECORDING_MAX_PROBLEMS, mxt_format_fixed(percent, left_ppm, 4, 2));
	return mxt_buf_status(notes, NULL);
}

static int fill_set(const struct mxt_recording *recording, struct collection *collection, struct mxt_problem_set *set,
		    struct mxt_error *err)
{
	double real = 0, cut = 0;
	set->problems = calloc(collection->count + 1, sizeof *set->problems);
	set->layer = calloc(MXT_RECORDING_MAX_LAYER, sizeof *set->layer);
	MXT_CLEANUP_FREE uint32_t *index = calloc(collection->count + 1, sizeof *index);
	if (!set->problems || !set->layer || !index)
		return mxt_error_oom(err);
	for (size_t i = 0; i < collection->count; i++) {
		const struct share *share = &collection->shares[i];
		index[i] = share->attended ? (uint32_t)set->n_problems : NO_INDEX;
		if (!share->attended)
			continue;
		set->problems[set->n_problems] = share->problem;
		set_weight(&set->problems[set->n_problems++], share->calls);
	}
	for (size_t i = 0; i < recording->n_calls; i++) {
		uint32_t at = collection->share_of_call[i];
		collection->share_of_call[i] = at == NO_INDEX ? NO_INDEX : index[at];
		if (at == NO_INDEX)
			continue;
		real += (double)mxt_problem_bytes(&recording->calls[i].problem);
		cut += (double)mxt_problem_bytes(&collection->shares[at].problem);
	}
	mxt_recording_layer(recording, collection->share_of_call, set->scaled && real > 0 ? cut / real : 1, set);
	return 0;
}

static int check_set(const struct collection *collection, struct mxt_error *err)
{
	if (collection->count > 0)
		return 0;
	return mxt_error_set(err, -EINVAL, MXT_E_RECORDING,
			     "there is no product and no attention call in it that can be timed; record a step that "
			     "computes through torch's operators");
}

int mxt_recording_problems(const struct mxt_recording *recording, const struct mxt_scale *scale, bool float32,
			   struct mxt_problem_set *ret_set, struct mxt_buf *notes, struct mxt_error *err)
{
	MXT_CLEANUP(collection_finish) struct collection collection = {.shares = NULL};
	struct mxt_problem_set set = {.scale = *scale};
	uint32_t left_ppm = 0;
	int rc = collect(recording, scale, float32, &collection, &set, err);
	if (rc == 0)
		rc = check_set(&collection, err);
	if (rc == 0)
		rc = choose(&collection, &left_ppm, err);
	if (rc == 0)
		rc = fill_set(recording, &collection, &set, err);
	if (rc == 0 && note_left(&collection, left_ppm, notes) < 0)
		rc = mxt_error_oom(err);
	if (rc < 0)
		mxt_problem_set_finish(&set);
	else
		*ret_set = set;
	return rc;
}
