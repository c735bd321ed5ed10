/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the problems of a step are put together: a set that grows, and a layer in training order. For the generators
 * (workload_problems.c and what it calls), not for users of a set.
 *
 * Nothing here fails at once: a table that is too small is remembered, and mxt_workload_problems() reports it.
 */
#ifndef MXT_CORE_PROBLEM_BUILDER_H
#define MXT_CORE_PROBLEM_BUILDER_H

#include "length_shapes.h"
#include "workload.h"
#include "workload_packs.h"

struct mxt_error;

/* What is known of lengths that attention shows; all of it may be empty. See mxt_builder_take_lengths(). */
struct mxt_builder_lengths {
	/* A packed micro-batch whose documents do not see each other: as it is, and within the scale. */
	struct mxt_pack pack, cut_pack;
	struct mxt_length_stratum strata[MXT_LENGTH_STRATA]; /* of lengths that vary, and are not just assumed */
	size_t n_strata;
};

struct mxt_problem_builder {
	const struct mxt_workload *workload;
	struct mxt_scale scale;
	enum mxt_dtype dtype;        /* of products and attention; adapters may be in float32 */
	int64_t tokens, real_tokens; /* of a micro-batch: as scaled, and as they are */
	bool in_layer;               /* steps are appended to the layer's sequence */
	bool failed;                 /* a table was too small: a fault of the generators */
	struct mxt_problem_set *set; /* its tables have room for MXT_MAX_PROBLEMS and MXT_MAX_LAYER_STEPS */
	struct mxt_builder_lengths lengths;
};

#define MXT_MAX_PROBLEMS    128
#define MXT_MAX_LAYER_STEPS 512

/* Fills b->lengths from the workload. 0 or -ENOMEM. */
int mxt_builder_take_lengths(struct mxt_problem_builder *b, struct mxt_error *err);

/* A limit of 0 is none. */
int64_t mxt_builder_limit(int64_t value, int32_t limit);

/*
 * The problem's index, after its weight in a step grew by calls * share_ppm; an equal one that is there already is
 * taken. The problem's own calls and share are ignored; 0 calls only look it up.
 */
uint32_t mxt_builder_add(struct mxt_problem_builder *b, const struct mxt_problem *problem, uint32_t calls,
			 uint32_t share_ppm);

/* Appends to the layer, while it is being built. A filler of no bytes is left out. */
void mxt_builder_step(struct mxt_problem_builder *b, uint32_t problem);
void mxt_builder_filler(struct mxt_problem_builder *b, int64_t bytes);

/* A filler that streams `bytes` for each of `features` values per token. */
void mxt_builder_stream(struct mxt_problem_builder *b, int64_t features, int64_t bytes);

/* The same, as so many arrays in the step's dtype that are read or written. */
void mxt_builder_passes(struct mxt_problem_builder *b, int arrays, int64_t features);

#endif
