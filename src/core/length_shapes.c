/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bin holds the documents whose rounded lengths are equal. With B documents in a micro-batch and F the share of
 * documents up to its upper edge, one of its documents sets the length of its micro-batch with probability s = F^(B-1).
 * On one of G devices that happens in an epoch with probability q = s/G, in E epochs, the last one begun, with
 * r = 1 - (1-q)^whole(E) (1 - q fraction(E)). A bin of c documents is then met with probability 1 - (1-r)^c where every
 * document is known, and with 1 - exp(-c r) where c is what is expected of a sample. Shapes are the sum over the bins.
 *
 * Grouped by length, n = 50 B documents at a time are sorted, and every B-th sets a length, the longest among them
 * (transformers, LengthGroupedSampler). Of the n, M = n (1-F) are longer on average, and ceil(M/B) of the n/B lengths
 * are; with M distributed as in a Poisson process that is close to M/B + (B-1)/(2B) (1 - exp(-2M)), which has the right
 * value and slope at both ends. Its slope in F gives s.
 */
#include "length_shapes.h"

#include <math.h>

#include "lengths.h"

/* Of more bins than this, several together are looked at as one part. */
#define MOST_PARTS 16384

/* The range of lengths in parts of equally many bins. */
struct parts {
	int64_t bins, step; /* in all; in a part */
};

static struct parts parts_of(const struct mxt_lengths *lengths, const struct mxt_drawing *drawing)
{
	int64_t bins = ((int64_t)mxt_lengths_longest(lengths) + drawing->multiple - 1) / drawing->multiple;
	return (struct parts){bins, (bins + MOST_PARTS - 1) / MOST_PARTS};
}

/* The upper edge, in tokens, of the part that begins behind bin `first`. */
static double upper_edge(const struct parts *parts, const struct mxt_drawing *drawing, int64_t first)
{
	int64_t next = first + parts->step < parts->bins ? first + parts->step : parts->bins;
	return (double)next * drawing->multiple;
}

/* Documents that are sorted together. */
static double group_size(const struct mxt_drawing *drawing)
{
	return 50.0 * drawing->micro_batch;
}

/* ---- how many ---- */

/* That one of n documents at a share `up_to` of all sets its micro-batch's length: the others are drawn from n - 1. */
static double sets_length(const struct mxt_drawing *drawing, double up_to)
{
	double n = (double)drawing->documents, others = drawing->micro_batch - 1;
	if (drawing->grouped)
		return (1 + others * exp(-2 * group_size(drawing) * (1 - up_to))) / drawing->micro_batch;
	double share = n > 1 ? (up_to * n - 1) / (n - 1) : up_to;
	return pow(share > 0 ? share : 0, others);
}

static double met_in_run(const struct mxt_drawing *drawing, double sets)
{
	double q = sets / (double)drawing->devices;
	double drawn = (double)drawing->passes * drawing->micro_batch * (double)drawing->devices;
	double epochs = drawn / (double)drawing->documents, whole = floor(epochs);
	double r = 1 - pow(1 - q, whole) * (1 - q * (epochs - whole));
	return r < 0 ? 0 : r > 1 ? 1 : r;
}

/* The probability that a bin with `share` of the documents is met; up to its edge there are `up_to` of them. */
static double bin_met(const struct mxt_drawing *drawing, double share, double up_to, bool exact)
{
	if (!(share > 0))
		return 0;
	double sets = sets_length(drawing, up_to);
	if (drawing->documents == 0)
		return -expm1(-(double)drawing->passes * drawing->micro_batch * share * sets);
	double documents = share * (double)drawing->documents, r = met_in_run(drawing, sets);
	return exact ? 1 - pow(1 - r, documents) : -expm1(-documents * r);
}

double mxt_length_shapes_distinct(const struct mxt_lengths *lengths, const struct mxt_drawing *drawing)
{
	struct parts parts = parts_of(lengths, drawing);
	bool exact = mxt_lengths_exact(lengths);
	double sum = 0, before = 0;
	for (int64_t i = 0; i < parts.bins; i += parts.step) {
		double bins = (double)(i + parts.step < parts.bins ? parts.step : parts.bins - i);
		double up_to = mxt_lengths_share(lengths, upper_edge(&parts, drawing, i));
		sum += bins * bin_met(drawing, (up_to - before) / bins, up_to, exact);
		before = up_to;
	}
	double most = (double)drawing->passes; /* every pass can bring one new shape, and so can every length */
	if (lengths->values > 0 && (double)lengths->values < most)
		most = (double)lengths->values;
	return sum < most ? sum : most;
}

/* ---- which ---- */

/* The share of micro-batches whose longest document is at a share `up_to` of all or below. */
static double batches_up_to(const struct mxt_drawing *drawing, double up_to)
{
	double size = group_size(drawing), others = drawing->micro_batch - 1;
	if (!drawing->grouped)
		return pow(up_to, drawing->micro_batch);
	double share = up_to - others / (2 * size) * (1 - exp(-2 * size * (1 - up_to)));
	return share > 0 ? share : 0;
}

struct stratum_sum {
	double share, work;
};

double mxt_length_shapes_share(const struct mxt_lengths *lengths, const struct mxt_drawing *drawing, double tokens)
{
	return batches_up_to(drawing, mxt_lengths_share(lengths, tokens));
}

static void strata_sums(const struct mxt_lengths *lengths, const struct mxt_drawing *drawing, double total,
			struct stratum_sum sums[MXT_LENGTH_STRATA])
{
	struct parts parts = parts_of(lengths, drawing);
	double before = 0, work = 0;
	for (int64_t i = 0; i < parts.bins; i += parts.step) {
		double seq = upper_edge(&parts, drawing, i);
		double up_to = mxt_length_shapes_share(lengths, drawing, seq);
		double part = (up_to - before) * seq * seq;
		double at = total > 0 ? (work + part / 2) / total * MXT_LENGTH_STRATA : 0; /* its middle decides */
		size_t stratum = at < MXT_LENGTH_STRATA ? (size_t)at : MXT_LENGTH_STRATA - 1;
		sums[stratum].share += up_to - before;
		sums[stratum].work += part;
		work += part;
		before = up_to;
	}
}

/* Its lengths are multiples, so what stands for them is one, too. */
static int32_t rounded(double tokens, int32_t multiple)
{
	return (int32_t)lround(tokens / multiple) * multiple;
}

size_t mxt_length_shapes_strata(const struct mxt_lengths *lengths, const struct mxt_drawing *drawing,
				struct mxt_length_stratum strata[MXT_LENGTH_STRATA])
{
	struct stratum_sum whole[MXT_LENGTH_STRATA] = {{0, 0}}, sums[MXT_LENGTH_STRATA] = {{0, 0}};
	strata_sums(lengths, drawing, 0, whole); /* all of it is in the first */
	strata_sums(lengths, drawing, whole[0].work, sums);
	uint32_t left = MXT_PPM;
	size_t count = 0;
	for (size_t i = MXT_LENGTH_STRATA; i-- > 0;) {
		if (!(sums[i].share > 0))
			continue;
		uint32_t share = (uint32_t)lround(sums[i].share * MXT_PPM);
		share = share > left ? left : share;
		strata[count++] =
		    (struct mxt_length_stratum){rounded(sqrt(sums[i].work / sums[i].share), drawing->multiple), share};
		left -= share;
	}
	if (count > 0)
		strata[count - 1].share_ppm += left; /* what rounding left over */
	return count;
}
