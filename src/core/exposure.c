/* SPDX-License-Identifier: Apache-2.0 */
#include "exposure.h"

#include <math.h>

#include "length_shapes.h"
#include "workload.h"
#include "workload_passes.h"

#define MAX_PASSES INT64_C(1000000000000)

/* Longer ranges are looked at in so many parts. */
#define MAX_PARTS 16384

int32_t mxt_exposure_multiple(const struct mxt_workload *workload)
{
	return mxt_workload_drawing(workload).multiple;
}

double mxt_exposure_distinct(const struct mxt_workload *workload, int64_t passes, int32_t multiple)
{
	struct mxt_drawing drawing = mxt_workload_drawing(workload);
	drawing.passes = passes;
	drawing.multiple = multiple;
	return mxt_length_shapes_distinct(&workload->lengths, &drawing);
}

void mxt_exposure_tokens(const struct mxt_workload *workload, int32_t multiple, double *ret_mean, double *ret_square)
{
	struct mxt_drawing drawing = mxt_workload_drawing(workload);
	int64_t cells = ((int64_t)workload->training.seq_len + multiple - 1) / multiple;
	int64_t step = (cells + MAX_PARTS - 1) / MAX_PARTS;
	double before = 0, sum = 0, squares = 0;
	for (int64_t cell = 0; cell < cells; cell += step) {
		double last = (double)(cell + step < cells ? cell + step : cells) * multiple;
		double share = mxt_length_shapes_share(&workload->lengths, &drawing, last);
		sum += (share - before) * last;
		squares += (share - before) * last * last;
		before = share;
	}
	*ret_mean = sum;
	*ret_square = squares;
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
	exposure->distinct_source =
	    counted(workload) && lengths->distinct_source ? lengths->distinct_source : lengths->source;
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

int mxt_exposure_resolve(struct mxt_workload *workload, int64_t steps, int64_t distinct_lengths, struct mxt_error *err)
{
	struct mxt_lengths *lengths = &workload->lengths;
	if (steps > 0) {
		lengths->passes = steps < MAX_PASSES ? steps : MAX_PASSES;
		lengths->passes_source = "flags";
	}
	if (distinct_lengths > 0) {
		lengths->distinct = distinct_lengths;
		lengths->distinct_source = "flags";
	}
	return mxt_workload_count_passes(workload, err);
}
