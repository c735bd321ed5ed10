/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packs as Axolotl's multipack sampler makes them: documents in random order, each into the first open pack that has
 * room for it, both in tokens and in number (axolotl/utils/samplers/multipack.py, pack_group()). Attention that knows
 * documents gets one pack for the whole micro-batch, as one sequence (batch 1) with the bounds of its documents; else
 * each row of the micro-batch is a pack, masked apart from the others, and what stands for it is one row, called so
 * often. The padding behind a pack has positions of its own, which makes it one more document
 * (axolotl/utils/collators/batching.py). The order here is one fixed, evenly spread walk over the sample of lengths
 * instead of a random one, so that equal workloads have equal problems.
 */
#ifndef MXT_CORE_WORKLOAD_PACKS_H
#define MXT_CORE_WORKLOAD_PACKS_H

#include "compiler.h"
#include "problem.h"
#include "workload.h"

struct mxt_error;

/* What a representative pack holds, and what packing makes of the data. */
struct mxt_pack {
	uint32_t n_documents;                 /* with padding; 0: lengths are not known */
	int32_t documents[MXT_MAX_DOCUMENTS]; /* tokens of each */
	int32_t tokens;                       /* their sum */
	double calls;      /* of this pack that stand for one of a micro-batch: rows, and more where its documents are
			      too many */
	double efficiency; /* the share of a pack that is not padding, on average, from 0 to 1 */
};

/* Packs of a micro-batch: how much room each has, and how many there are. */
struct mxt_pack_room {
	int32_t capacity;  /* tokens of one pack */
	int32_t documents; /* at most so many in one pack */
	int32_t packs;     /* in a micro-batch */
};
struct mxt_pack_room mxt_workload_pack_room(const struct mxt_workload *workload);

/*
 * The pack whose work (sum of squared lengths) is nearest to the mean of packs: at most MXT_MAX_DOCUMENTS documents of
 * it, and all of them shortened alike where they have more than `token_limit` tokens (0: no limit). 0 or -ENOMEM.
 */
int mxt_workload_pack(const struct mxt_workload *workload, int32_t token_limit, struct mxt_pack *ret_pack,
		      struct mxt_error *err) MXT_WUR;

/* Makes a problem's shape packed: batch, seq and documents; the rest stays. Needs a pack with documents. */
void mxt_pack_apply(const struct mxt_pack *pack, struct mxt_attention *shape);

#endif
