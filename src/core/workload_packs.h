/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packs as Axolotl's multipack sampler makes them: documents in random order, each into the first open pack that has
 * room for it, both in tokens and in number (axolotl/utils/samplers/multipack.py, pack_group()). Kernels of variable
 * length get all packs of a micro-batch as one sequence (batch 1) with the bounds of its documents; the padding behind
 * a pack has positions of its own, which makes it one more document. The order here is one fixed, evenly spread walk
 * over the sample of lengths instead of a random one, so that equal workloads have equal problems.
 */
#ifndef MXT_CORE_WORKLOAD_PACKS_H
#define MXT_CORE_WORKLOAD_PACKS_H

#include "compiler.h"
#include "problem.h"
#include "workload.h"

struct mxt_error;

/* What a representative micro-batch holds, and what packing makes of the data. */
struct mxt_pack {
	uint32_t n_documents;                 /* with padding; 0: lengths are not known */
	int32_t documents[MXT_MAX_DOCUMENTS]; /* tokens of each */
	int32_t tokens;                       /* their sum */
	double calls;      /* of this problem that one call of a micro-batch stands for; above 1 where its documents are
			      too many, or its tokens more than the limit */
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
 * The micro-batch whose work (sum of squared lengths) is nearest to the mean. At most `token_limit` tokens of it
 * (0: no limit) and MXT_MAX_DOCUMENTS documents. 0 or -ENOMEM.
 */
int mxt_workload_pack(const struct mxt_workload *workload, int32_t token_limit, struct mxt_pack *ret_pack,
		      struct mxt_error *err) MXT_WUR;

/* Makes a problem's shape packed: batch, seq and documents; the rest stays. Needs a pack with documents. */
void mxt_pack_apply(const struct mxt_pack *pack, struct mxt_attention *shape);

#endif
