/* SPDX-License-Identifier: Apache-2.0 */
#include "lengths.h"

#include <math.h>
#include <string.h>

const struct mxt_lengths_shape mxt_lengths_default = {.median = 300, .p90 = 1200};

/* ---- a stated distribution ---- */

#define NORMAL_P90 1.2815515655446004 /* 90 % of a normal distribution lie below */

static double normal_share(double z)
{
	return 0.5 * erfc(-z / sqrt(2));
}

/* The inverse of normal_share() by bisection, to far more digits than a whole number of tokens needs. */
static double normal_quantile(double share)
{
	double low = -9, high = 9;
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;
		if (normal_share(middle) < share)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static double log_sigma(const struct mxt_lengths_shape *shape)
{
	return log((double)shape->p90 / shape->median) / NORMAL_P90;
}

/* The share of documents that are not longer than `limit`. */
static double kept_share(const struct mxt_lengths_shape *shape, double limit)
{
	double sigma = log_sigma(shape);
	if (!(sigma > 0))
		return shape->median <= limit ? 1 : 0;
	return normal_share(log((limit + 0.5) / shape->median) / sigma);
}

/* Of so many documents, about the longest; of an unknown number, of so many as datasets for fine-tuning have. */
#define USUAL_DOCUMENTS 100000

static double longest_share(int64_t documents)
{
	double n = documents > 0 ? (double)documents : USUAL_DOCUMENTS;
	return 1 - 0.5 / (n > MXT_LENGTH_SAMPLES ? n : MXT_LENGTH_SAMPLES);
}

static int32_t clamp(double tokens, int32_t limit)
{
	return tokens < 1 ? 1 : tokens > limit ? limit : (int32_t)lround(tokens);
}

void mxt_lengths_assume(struct mxt_lengths *lengths, const struct mxt_lengths_shape *shape, int32_t limit,
			const char *source)
{
	double kept = kept_share(shape, limit), sigma = log_sigma(shape), sum = 0;
	double longest = normal_quantile(longest_share(shape->documents) * kept);
	lengths->source = source;
	lengths->n_samples = MXT_LENGTH_SAMPLES;
	for (uint32_t i = 0; i < MXT_LENGTH_SAMPLES; i++) {
		double z = normal_quantile((i + 0.5) / MXT_LENGTH_SAMPLES * kept);
		lengths->samples[i] = clamp(shape->median * exp(z * sigma), limit);
		sum += lengths->samples[i];
	}
	lengths->documents = (int64_t)llround((double)shape->documents * kept);
	lengths->tokens = (int64_t)llround(sum / MXT_LENGTH_SAMPLES * (double)lengths->documents);
	lengths->values = 0;
	lengths->longest = clamp(shape->median * exp(longest * sigma), limit);
}

/* ---- what is too long ---- */

uint32_t mxt_lengths_drop_longer(struct mxt_lengths *lengths, int32_t limit)
{
	uint32_t n = lengths->n_samples, kept = n;
	while (kept > 0 && lengths->samples[kept - 1] > limit)
		kept--;
	if (kept == 0 || mxt_lengths_longest(lengths) <= limit)
		return n - kept;
	double share = mxt_lengths_exact(lengths) ? (double)kept / n : mxt_lengths_share(lengths, limit);
	lengths->documents = (int64_t)llround((double)lengths->documents * share);
	lengths->n_samples = kept;
	lengths->longest = limit;
	lengths->tokens = 0; /* known no more: the mean of the sample stands for it */
	lengths->tokens = (int64_t)llround(mxt_lengths_mean(lengths) * (double)lengths->documents);
	lengths->values = lengths->values < limit ? lengths->values : limit;
	return n - kept;
}

/* ---- the distribution ---- */

bool mxt_lengths_known(const struct mxt_lengths *lengths)
{
	return lengths->n_samples > 0 && lengths->source && strcmp(lengths->source, "assumed") != 0;
}

bool mxt_lengths_exact(const struct mxt_lengths *lengths)
{
	return lengths->documents > 0 && lengths->documents == lengths->n_samples;
}

int32_t mxt_lengths_longest(const struct mxt_lengths *lengths)
{
	if (lengths->longest > 0)
		return lengths->longest;
	return lengths->n_samples > 0 ? lengths->samples[lengths->n_samples - 1] : 0;
}

/* How many values of the sample are at most `tokens`. */
static uint32_t count_up_to(const struct mxt_lengths *lengths, double tokens)
{
	uint32_t low = 0, high = lengths->n_samples;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (lengths->samples[middle] <= tokens)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Value i of a sample at equal quantiles stands at share (i + 0.5) / n; shares between two values are interpolated, and
 * reach 1 at the longest document. Several values that are equal are a step.
 */
double mxt_lengths_share(const struct mxt_lengths *lengths, double tokens)
{
	uint32_t n = lengths->n_samples, below = count_up_to(lengths, tokens);
	if (mxt_lengths_exact(lengths) || n == 0)
		return n ? (double)below / n : 0;
	double left = below ? lengths->samples[below - 1] : lengths->samples[0] - 1;
	double right = below < n ? lengths->samples[below] : mxt_lengths_longest(lengths);
	double left_share = below ? (below - 0.5) / n : 0, right_share = below < n ? (below + 0.5) / n : 1;
	if (tokens >= right)
		return 1;
	double share = left_share + (right_share - left_share) * (tokens - left) / (right - left);
	return share > 0 ? share : 0;
}

int32_t mxt_lengths_percentile(const struct mxt_lengths *lengths, unsigned percent)
{
	uint64_t n = lengths->n_samples;
	if (n == 0)
		return 0;
	uint64_t at = n * percent / 100;
	return lengths->samples[at < n ? at : n - 1];
}

double mxt_lengths_mean(const struct mxt_lengths *lengths)
{
	if (lengths->tokens > 0 && lengths->documents > 0)
		return (double)lengths->tokens / (double)lengths->documents;
	double sum = 0;
	for (uint32_t i = 0; i < lengths->n_samples; i++)
		sum += lengths->samples[i];
	return lengths->n_samples ? sum / lengths->n_samples : 0;
}
