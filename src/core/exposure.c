/* SPDX-License-Identifier: Apache-2.0 */
#include "exposure.h"

#include <math.h>
#include <string.h>

#include "workload.h"

#define MAX_PASSES INT64_C(1000000000000)

/* Longer ranges are looked at in so many parts, whose lengths count as equally frequent. */
#define MAX_PARTS 16384

int32_t mxt_exposure_multiple(const struct mxt_workload *workload)
{
	return workload->lengths.multiple > 1 ? workload->lengths.multiple : 1;
}

/* The share of documents of at most `length` tokens: linear between the quantiles of the sample. */
static double sample_share(const int32_t *samples, uint32_t count, double length)
{
	uint32_t below = 0, above = count; /* how many are surely not longer: by bisection */
	while (below < above) {
		uint32_t middle = below + (above - below) / 2;
		if (samples[middle] <= length)
			below = middle + 1;
		else
			above = middle;
	}
	if (below == 0 || below == count)
		return below == 0 ? 0 : 1;
	double left = samples[below - 1], right = samples[below];
	return (below - 1 + (length - left) / (right - left)) / (count - 1);
}

/* The share of micro-batches whose longest document has at most `length` tokens. */
static double batch_share(const struct mxt_workload *workload, double length)
{
	const struct mxt_lengths *lengths = &workload->lengths;
	const int32_t even[] = {0, workload->training.seq_len};
	if (length >= workload->training.seq_len)
		return 1; /* what is longer is cut */
	double share = lengths->n_samples ? sample_share(lengths->samples, lengths->n_samples, length)
					  : sample_share(even, 2, length);
	return pow(share, workload->training.micro_batch);
}

/* Calls `visit` for parts of the range of lengths: their number of lengths, their share, and the last of them. */
struct visitor {
	void (*visit)(struct visitor *visitor, double cells, double share, double last);
	double passes, sum, squares;
};

static void visit_lengths(const struct mxt_workload *workload, int32_t multiple, struct visitor *visitor)
{
	int64_t cells = ((int64_t)workload->training.seq_len + multiple - 1) / multiple;
	int64_t step = (cells + MAX_PARTS - 1) / MAX_PARTS;
	double before = 0;
	for (int64_t cell = 0; cell < cells; cell += step) {
		int64_t next = cell + step < cells ? cell + step : cells;
		double last = (double)next * multiple, share = batch_share(workload, last);
		if (share > before)
			visitor->visit(visitor, (double)(next - cell), share - before, last);
		before = share;
	}
}

/* A length of probability p is met in n passes with 1 - (1 - p)^n. */
static void count_distinct(struct visitor *visitor, double cells, double share, double last)
{
	(void)last;
	double each = share / cells;
	visitor->sum += each < 1 ? cells * -expm1(visitor->passes * log1p(-each)) : 1;
}

double mxt_exposure_distinct(const struct mxt_workload *workload, int64_t passes, int32_t multiple)
{
	struct visitor visitor = {.visit = count_distinct, .passes = (double)passes};
	visit_lengths(workload, multiple, &visitor);
	return visitor.sum;
}

static void add_tokens(struct visitor *visitor, double cells, double share, double last)
{
	(void)cells;
	visitor->sum += share * last;
	visitor->squares += share * last * last;
}

void mxt_exposure_tokens(const struct mxt_workload *workload, int32_t multiple, double *ret_mean, double *ret_square)
{
	struct visitor visitor = {.visit = add_tokens};
	visit_lengths(workload, multiple, &visitor);
	*ret_mean = visitor.sum;
	*ret_square = visitor.squares;
}

static bool counted(const struct mxt_workload *workload)
{
	return workload->lengths.distinct > 0;
}

static double distinct_in(const struct mxt_workload *workload, int64_t passes)
{
	return counted(workload) ? fmin((double)workload->lengths.distinct, (double)passes)
				 : mxt_exposure_distinct(workload, passes, mxt_exposure_multiple(workload));
}

void mxt_exposure_init(struct mxt_exposure *exposure, const struct mxt_workload *workload)
{
	const struct mxt_lengths *lengths = &workload->lengths;
	*exposure = (struct mxt_exposure){.varies = !workload->training.packing && !workload->training.padding};
	if (!exposure->varies)
		return;
	exposure->passes = lengths->passes;
	exposure->passes_source = lengths->passes ? lengths->passes_source : NULL;
	exposure->distinct = lengths->passes ? distinct_in(workload, lengths->passes) : 0;
	exposure->distinct_source = counted(workload) && lengths->distinct_source ? lengths->distinct_source
				    : counted(workload) || lengths->n_samples     ? "dataset"
										  : "assumed";
}

int64_t mxt_exposure_break_even(const struct mxt_workload *workload, double cost_ns, double saving_ns)
{
	if (cost_ns <= 0)
		return 1;
	int64_t low = 1, high = MAX_PASSES;
	if (saving_ns <= 0 || distinct_in(workload, high) * cost_ns > (double)high * saving_ns)
		return 0;
	while (low < high) { /* lengths per pass never grow with the passes */
		int64_t middle = low + (high - low) / 2;
		if (distinct_in(workload, middle) * cost_ns <= (double)middle * saving_ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static int64_t saturating(double passes)
{
	return passes < (double)MAX_PASSES ? (int64_t)ceil(passes) : MAX_PASSES;
}

static void set_passes(struct mxt_lengths *lengths, double passes, const char *source)
{
	if (passes <= 0)
		return;
	lengths->passes = saturating(passes);
	lengths->passes_source = source;
}

void mxt_exposure_resolve(struct mxt_workload *workload, int64_t steps, int64_t distinct_lengths)
{
	const struct mxt_training *t = &workload->training;
	struct mxt_lengths *lengths = &workload->lengths;
	int32_t accumulation = lengths->accumulation > 0 ? lengths->accumulation : 1;
	double per_pass = (double)t->micro_batch * t->gpus * t->nodes;
	if (steps > 0)
		set_passes(lengths, (double)steps, "flags");
	else if (lengths->max_steps > 0)
		set_passes(lengths, (double)lengths->max_steps * accumulation, "config");
	else if (lengths->passes == 0 && lengths->documents > 0 && per_pass > 0)
		set_passes(lengths, (double)lengths->epochs_ppm / 1e6 * (double)lengths->documents / per_pass,
			   "dataset");
	if (distinct_lengths > 0) {
		lengths->distinct = distinct_lengths;
		lengths->distinct_source = "flags";
	}
}
