/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_call.h"

#include <math.h>

#include "sim_number.h"
#include "sim_runtime.h"
#include "sim_scenario.h"

#define SPOILED_STEP 7
#define UNSTEADY     0x1p-7 /* of an element: what bfloat16 just shows */

void mxt_sim_return(struct mxt_sim_call *call, struct mxt_sim_tensor *tensor)
{
	call->results_are_tensors |= 1u << call->n_results;
	call->results[call->n_results++] = (uint64_t)(uintptr_t)mxt_sim_handle(tensor);
}

void mxt_sim_return_integer(struct mxt_sim_call *call, int64_t integer)
{
	call->results[call->n_results++] = (uint64_t)integer;
}

static int raise_failure(const struct mxt_sim_outcome *outcome)
{
	if (outcome->text)
		return mxt_sim_raise("%s", outcome->text);
	return mxt_sim_raise_status(outcome->code > 0 ? outcome->code : 719);
}

int mxt_sim_begin(const struct mxt_sim_work *work, unsigned *ret_effects)
{
	int status = work->place == MXT_SIM_CUDA ? mxt_sim_device_status() : 0;
	if (status)
		return mxt_sim_raise_status(status);
	struct mxt_sim_outcome outcome = mxt_sim_enter(work->site);
	if (outcome.effects & MXT_SIM_FAIL)
		return raise_failure(&outcome);
	if (work->place == MXT_SIM_CUDA) {
		struct mxt_sim_cost cost = work->cost;
		double factor = mxt_sim_cliff_factor(work->site, work->dims);
		cost.fixed_ns *= factor;
		cost.flops_per_s /= factor;
		mxt_sim_launch(&cost, work->flops, work->bytes, work->shape, outcome.effects);
	}
	*ret_effects = outcome.effects;
	return 0;
}

void mxt_sim_spoil(double *numbers, size_t count, unsigned effects)
{
	for (size_t i = 0; i < count && effects & MXT_SIM_WRONG; i += SPOILED_STEP)
		numbers[i] = 1.5 * numbers[i] + 0.01;
	static unsigned unsteady; /* calls of this process */
	if (count > 0 && effects & MXT_SIM_UNSTEADY && unsteady++ % 2 == 1)
		numbers[count / 2] *= 1 + UNSTEADY; /* the first gradient of causal attention is 0 */
	if (count > 0 && effects & MXT_SIM_NAN)
		numbers[0] = (double)NAN;
}

uint64_t mxt_sim_shape(uint64_t start, const struct mxt_sim_tensor *tensor)
{
	uint64_t hash = mxt_sim_hash(start, &tensor->dtype, sizeof tensor->dtype);
	return mxt_sim_hash(hash, tensor->sizes, (size_t)tensor->ndim * sizeof tensor->sizes[0]);
}

double mxt_sim_bytes(const struct mxt_sim_tensor *tensor)
{
	return (double)mxt_sim_count(tensor) * (double)mxt_sim_dtype_bytes(tensor->dtype);
}
