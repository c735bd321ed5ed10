/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From lengths of documents to shapes of micro-batches that are neither packed nor padded to one length: a micro-batch
 * is as long as its longest document, rounded up to a multiple.
 */
#ifndef MXT_CORE_LENGTH_SHAPES_H
#define MXT_CORE_LENGTH_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workload.h"

/* How documents come together in micro-batches. */
struct mxt_drawing {
	int64_t documents;   /* in an epoch; 0: not known */
	int32_t micro_batch; /* documents in one */
	int32_t multiple;    /* tokens; at least 1 */
	bool grouped;        /* by length, so that every micro_batch-th document is the longest of its micro-batch */
	int64_t devices;     /* that share the documents of an epoch */
	int64_t passes;      /* micro-batches of one device */
};

/*
 * How many different lengths one device's micro-batches are expected to have. The trainer deals the documents of an
 * epoch out without repeating any. Where the number of documents is not known, every document is another one. Needs a
 * sample.
 */
double mxt_length_shapes_distinct(const struct mxt_lengths *lengths, const struct mxt_drawing *drawing);

/* The share of micro-batches of at most `tokens` before they are rounded, from 0 to 1. Needs a sample. */
double mxt_length_shapes_share(const struct mxt_lengths *lengths, const struct mxt_drawing *drawing, double tokens);

#define MXT_LENGTH_STRATA 4

struct mxt_length_stratum {
	int32_t seq;        /* what stands for its micro-batches: the root of their mean squared length, rounded */
	uint32_t share_ppm; /* of all micro-batches; they add up to a million */
};

/*
 * Micro-batches by length in strata of equal work, that is of equal sums of squared lengths, the longest first; strata
 * without micro-batches are left out. Needs a sample. Returns how many there are.
 */
size_t mxt_length_shapes_strata(const struct mxt_lengths *lengths, const struct mxt_drawing *drawing,
				struct mxt_length_stratum strata[MXT_LENGTH_STRATA]);

#endif
