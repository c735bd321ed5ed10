/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exposure: how often a run meets a length that it has not seen before. Kernels that are built or looked up anew for
 * every shape cost their first call again each time; whether they pay off depends on this.
 *
 * A micro-batch is as long as its longest document, cut at the sequence length and padded to a multiple. Which lengths
 * come is taken from the sample of document lengths, which a workload has from its dataset, from flags, or assumed
 * (lengths.h, length_shapes.h).
 */
#ifndef MXT_CORE_EXPOSURE_H
#define MXT_CORE_EXPOSURE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

struct mxt_error;
struct mxt_workload;

struct mxt_exposure {
	bool varies;                 /* neither packed nor padded; all that follows is 0 or NULL otherwise */
	int64_t passes;              /* forward passes of one device over the run; 0: not known */
	const char *passes_source;   /* static: "flags", "config", "dataset"; NULL: not known */
	double distinct;             /* lengths that these passes meet; 0 while they are not known */
	const char *distinct_source; /* static: "flags", "dataset", "assumed" */
};

/* Lengths in multiples of this are met; 1: any. */
int32_t mxt_exposure_multiple(const struct mxt_workload *workload);

void mxt_exposure_init(struct mxt_exposure *exposure, const struct mxt_workload *workload);

/* The lengths that `passes` micro-batches meet when they are padded to a multiple, by expectation. */
double mxt_exposure_distinct(const struct mxt_workload *workload, int64_t passes, int32_t multiple);

/* Mean length of a micro-batch padded to a multiple, and mean of its square, in tokens. */
void mxt_exposure_tokens(const struct mxt_workload *workload, int32_t multiple, double *ret_mean, double *ret_square);

/*
 * The fewest passes from which on saving `saving_ns` in every pass pays for `cost_ns` at every new length; 0: it never
 * does within 10^12 passes. How many lengths are met grows with the passes, unless they were counted.
 */
int64_t mxt_exposure_break_even(const struct mxt_workload *workload, double cost_ns, double saving_ns);

/*
 * Fills in --steps (-1: not given) and --distinct-lengths, or else the passes that the schedule gives
 * (workload_passes.h). 0 or -ENOMEM.
 */
int mxt_exposure_resolve(struct mxt_workload *workload, int64_t steps, int64_t distinct_lengths,
			 struct mxt_error *err) MXT_WUR;

#endif
