/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lengths of documents as a distribution, which a sample at equal quantiles stands for (struct mxt_lengths). A
 * sample of all documents is exact; between the values of a smaller one documents are taken to be spread evenly.
 */
#ifndef MXT_CORE_LENGTHS_H
#define MXT_CORE_LENGTHS_H

#include <stdbool.h>
#include <stdint.h>

#include "workload.h"

/* A log-normal distribution: half of the documents are no longer than `median`, 90 % no longer than `p90`. */
struct mxt_lengths_shape {
	int32_t median, p90; /* tokens, 0 < median <= p90 */
	int64_t documents;   /* 0: not known */
};

/* What is taken where nothing is known; docs/workload.md says where it comes from. */
extern const struct mxt_lengths_shape mxt_lengths_default;

/* Sets all but passes and distinct. Documents longer than `limit` tokens are left out. `source` is static. */
void mxt_lengths_assume(struct mxt_lengths *lengths, const struct mxt_lengths_shape *shape, int32_t limit,
			const char *source);

/*
 * Leaves out what is longer than `limit` tokens, as trainers do. Returns how many documents of the sample that are; if
 * it is all of them, the lengths are left alone.
 */
uint32_t mxt_lengths_drop_longer(struct mxt_lengths *lengths, int32_t limit);

/* True when they were read or stated, not assumed. */
bool mxt_lengths_known(const struct mxt_lengths *lengths);

/* True when the sample holds every document. */
bool mxt_lengths_exact(const struct mxt_lengths *lengths);

/* The share of documents of at most `tokens`, from 0 to 1. Needs a sample. */
double mxt_lengths_share(const struct mxt_lengths *lengths, double tokens);

/* The length that `percent` % of the documents do not exceed; 0 without a sample. */
int32_t mxt_lengths_percentile(const struct mxt_lengths *lengths, unsigned percent);

/* Tokens of a document on average; 0 without a sample. */
double mxt_lengths_mean(const struct mxt_lengths *lengths);

int32_t mxt_lengths_longest(const struct mxt_lengths *lengths);

#endif
