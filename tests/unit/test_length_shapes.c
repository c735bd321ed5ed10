/* SPDX-License-Identifier: Apache-2.0 */
/* The formulas against trainers that are simulated document by document. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "length_shapes.h"
#include "lengths.h"
#include "rng.h"

#define MOST_DOCUMENTS 6000
#define MOST_LENGTH    4096

struct data {
	int32_t lengths[MOST_DOCUMENTS];
	uint32_t count;
	struct mxt_lengths summary; /* as the reader of datasets makes it */
};

static int compare(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return x < y ? -1 : x > y;
}

/* Log-normal documents of at most `longest` tokens, and their sample at equal quantiles. */
static void make_data(struct data *data, uint32_t count, double median, double sigma, int32_t longest)
{
	struct mxt_rng rng = {7};
	*data = (struct data){.count = count};
	for (uint32_t i = 0; i < count; i++) {
		double tokens = median * exp(sigma * mxt_rng_normal(&rng));
		data->lengths[i] = tokens < 1 ? 1 : tokens > longest ? longest : (int32_t)tokens;
	}
	int32_t sorted[MOST_DOCUMENTS];
	memcpy(sorted, data->lengths, sizeof sorted);
	qsort(sorted, count, sizeof *sorted, compare);
	struct mxt_lengths *s = &data->summary;
	s->documents = count;
	s->longest = sorted[count - 1];
	s->n_samples = count < MXT_LENGTH_SAMPLES ? count : MXT_LENGTH_SAMPLES;
	for (uint32_t i = 0; i < s->n_samples; i++)
		s->samples[i] = sorted[(size_t)((i + 0.5) * count / s->n_samples)];
	for (uint32_t i = 0; i < count; i++) {
		s->tokens += sorted[i];
		s->values += i == 0 || sorted[i] != sorted[i - 1] ? 1 : 0;
	}
}

/* transformers' LengthGroupedSampler: parts of 50 micro-batches, each sorted, the longest first. */
static void group(const struct data *data, uint32_t *order, uint32_t micro_batch)
{
	uint32_t part = 50 * micro_batch;
	for (uint32_t from = 0; from < data->count; from += part) {
		uint32_t to = from + part < data->count ? from + part : data->count;
		for (uint32_t i = from; i < to; i++)
			for (uint32_t j = i; j > from && data->lengths[order[j]] > data->lengths[order[j - 1]]; j--) {
				uint32_t moved = order[j];
				order[j] = order[j - 1];
				order[j - 1] = moved;
			}
	}
}

/* The first device's shapes of one run; `mean_square` of its micro-batches' lengths. */
static uint32_t simulate(const struct data *data, const struct mxt_drawing *d, uint64_t seed, double *ret_mean_square)
{
	static bool seen[MOST_LENGTH + 1024];
	static uint32_t order[MOST_DOCUMENTS];
	struct mxt_rng rng = {seed};
	memset(seen, 0, sizeof seen);
	uint32_t at = data->count, distinct = 0;
	double squares = 0;
	for (int64_t pass = 0; pass < d->passes * d->devices; pass++) {
		if (at + (uint32_t)d->micro_batch > data->count) {
			for (uint32_t i = 0; i < data->count; i++)
				order[i] = i;
			mxt_rng_shuffle(&rng, order, data->count);
			if (d->grouped)
				group(data, order, (uint32_t)d->micro_batch);
			at = 0;
		}
		int32_t longest = 0;
		for (int32_t i = 0; i < d->micro_batch; i++, at++)
			longest = data->lengths[order[at]] > longest ? data->lengths[order[at]] : longest;
		int32_t seq = (longest + d->multiple - 1) / d->multiple * d->multiple;
		if (pass % d->devices != 0)
			continue;
		distinct += seen[seq] ? 0 : 1;
		seen[seq] = true;
		squares += (double)seq * seq;
	}
	*ret_mean_square = squares / (double)d->passes;
	return distinct;
}

#define RUNS 20

static void compare_with_simulation(const struct data *data, const struct mxt_drawing *drawing)
{
	struct mxt_drawing drawn = *drawing, *d = &drawn;
	drawn.documents = data->count;
	double mean = 0, square = 0, sum = 0;
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		mean += simulate(data, d, seed, &square) / (double)RUNS;
		sum += square / RUNS;
	}
	double distinct = mxt_length_shapes_distinct(&data->summary, d);
	if (fabs(distinct - mean) > 0.05 * mean + 0.5)
		fail_msg("batch %d of %u, multiple %d, %lld passes: %.1f shapes expected, %.1f met", d->micro_batch,
			 data->count, d->multiple, (long long)d->passes, distinct, mean);
	struct mxt_length_stratum strata[MXT_LENGTH_STRATA];
	size_t n = mxt_length_shapes_strata(&data->summary, d, strata);
	double work = 0;
	uint32_t shares = 0;
	bool many = d->passes * d->micro_batch >= 1000; /* enough for a mean */
	for (size_t i = 0; i < n; i++) {
		work += (double)strata[i].seq * strata[i].seq * strata[i].share_ppm / 1e6;
		shares += strata[i].share_ppm;
	}
	assert_int_equal(shares, 1000000);
	if (many && fabs(work - sum) > 0.1 * sum)
		fail_msg("batch %d, multiple %d: mean squared length %.0f expected, %.0f met", d->micro_batch,
			 d->multiple, work, sum);
}

static const struct mxt_drawing drawings[] = {
    {0, 1, 1, false, 1, 100},   {0, 1, 1, false, 1, 3000},  {0, 4, 1, false, 1, 50},    {0, 4, 1, false, 1, 1500},
    {0, 4, 64, false, 1, 50},   {0, 4, 64, false, 1, 1500}, {0, 8, 256, false, 1, 600}, {0, 2, 1, false, 4, 700},
    {0, 2, 64, false, 8, 1000}, {0, 4, 1, true, 1, 1000},   {0, 4, 64, true, 1, 200},   {0, 16, 8, false, 1, 300},
};

static void of_a_sample(void **state)
{
	static struct data data;
	(void)state;
	make_data(&data, MOST_DOCUMENTS, 300, 1.0, MOST_LENGTH);
	for (size_t i = 0; i < sizeof drawings / sizeof *drawings; i++)
		compare_with_simulation(&data, &drawings[i]);
}

static void of_all_documents(void **state)
{
	static struct data data;
	(void)state;
	make_data(&data, 400, 200, 0.6, 1024);
	assert_true(mxt_lengths_exact(&data.summary));
	const struct mxt_drawing small[] = {
	    {0, 1, 1, false, 1, 400}, {0, 1, 1, false, 1, 150}, {0, 4, 1, false, 1, 100},
	    {0, 4, 1, false, 1, 350}, {0, 2, 16, false, 2, 90}, {0, 1, 64, false, 1, 20},
	};
	for (size_t i = 0; i < sizeof small / sizeof *small; i++)
		compare_with_simulation(&data, &small[i]);
}

/* An epoch with micro-batch 1 meets every length that there is. */
static void an_epoch_meets_all(void **state)
{
	static struct data data;
	(void)state;
	make_data(&data, 400, 200, 0.6, 1024);
	const struct mxt_drawing epoch = {400, 1, 1, false, 1, 400};
	assert_true(fabs(mxt_length_shapes_distinct(&data.summary, &epoch) - (double)data.summary.values) < 1e-6);
}

/* Of an unknown number of documents none comes twice, but their lengths do. */
static void of_unknown_documents(void **state)
{
	struct mxt_lengths lengths = {.source = NULL};
	(void)state;
	mxt_lengths_assume(&lengths, &mxt_lengths_default, 4096, "assumed");
	const struct mxt_drawing few = {0, 2, 1, false, 1, 40}, many = {0, 2, 64, false, 1, 100000};
	double distinct = mxt_length_shapes_distinct(&lengths, &few);
	assert_true(distinct > 36 && distinct <= 40);
	assert_true(mxt_length_shapes_distinct(&lengths, &many) > 63.5);
	assert_true(mxt_length_shapes_distinct(&lengths, &many) <= 64);
}

static void of_one_length(void **state)
{
	struct mxt_lengths lengths = {.source = NULL};
	struct mxt_length_stratum strata[MXT_LENGTH_STRATA];
	(void)state;
	mxt_lengths_assume(&lengths, &(struct mxt_lengths_shape){512, 512, 1000}, 4096, "flags");
	const struct mxt_drawing drawing = {1000, 4, 64, false, 1, 1000};
	assert_true(fabs(mxt_length_shapes_distinct(&lengths, &drawing) - 1) < 1e-3);
	assert_int_equal(mxt_length_shapes_strata(&lengths, &drawing, strata), 1);
	assert_int_equal(strata[0].seq, 512);
	assert_int_equal(strata[0].share_ppm, 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(of_a_sample),        cmocka_unit_test(of_all_documents),
	    cmocka_unit_test(an_epoch_meets_all), cmocka_unit_test(of_unknown_documents),
	    cmocka_unit_test(of_one_length),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
