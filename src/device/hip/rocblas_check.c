/* SPDX-License-Identifier: Apache-2.0 */
#include "rocblas_check.h"

#include <errno.h>

#include "algorithm_race.h"
#include "clock.h"
#include "error.h"
#include "torch_device.h"

/* What the library offers for one product: number 0 is its own choice, whose number it does not tell. */
struct offer {
	const struct mxt_rocblas *rocblas;
	const struct mxt_gemm *shape;
	struct mxt_gemm_operands operands; /* that it was asked about */
	struct mxt_rocblas_solutions listed;
};

static int run_solution(void *context, size_t algorithm, const struct mxt_gemm_operands *operands,
			struct mxt_error *err)
{
	const struct offer *offer = context;
	const int32_t *solution = algorithm ? &offer->listed.items[algorithm - 1] : NULL;
	return mxt_rocblas_run(offer->rocblas, offer->shape, operands, solution, err);
}

static int32_t solution_of(void *context, size_t algorithm)
{
	const struct offer *offer = context;
	return algorithm ? offer->listed.items[algorithm - 1] : MXT_SOLUTION_DEFAULT;
}

static int renew(void *context, size_t algorithm, struct mxt_error *err)
{
	const struct offer *offer = context;
	struct mxt_rocblas_solutions again = {.count = 0};
	int32_t solution = solution_of(context, algorithm);
	bool found = false;
	int rc = mxt_rocblas_list(offer->rocblas, offer->shape, &offer->operands, &again, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < again.count; i++)
		found = found || again.items[i] == solution;
	mxt_rocblas_solutions_finish(&again);
	if (found)
		return 0;
	return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED,
			     "solution %d was listed, but is not when asked for again", solution);
}

static int get_ready(struct mxt_rocblas_check *check, const struct mxt_device *device, size_t workspace_bytes,
		     struct mxt_error *err)
{
	int rc = check->rocblas.handle ? 0 : mxt_rocblas_open(&check->rocblas, device->deterministic, err);
	if (rc == 0)
		rc = mxt_contest_workspace_reserve(&check->workspace, device, workspace_bytes, err);
	return rc < 0 ? rc
		      : mxt_rocblas_use_workspace(&check->rocblas, check->workspace.data, check->workspace.bytes, err);
}

int mxt_rocblas_check_run(struct mxt_rocblas_check *check, struct mxt_device *device, const struct mxt_task *task,
			  size_t workspace_bytes, uint64_t limit_ns, struct mxt_ranking *ret_ranking,
			  struct mxt_error *err)
{
	uint64_t end_ns = mxt_now_ns(&mxt_clock_monotonic) + limit_ns;
	int rc = mxt_contest_accepts(task, err);
	if (rc == 0)
		rc = get_ready(check, device, workspace_bytes, err);
	if (rc < 0)
		return rc;
	struct offer offer = {
	    .rocblas = &check->rocblas, .shape = &task->problem.as.gemm, .operands = mxt_torch_gemm_next(device, task)};
	rc = mxt_rocblas_list(offer.rocblas, offer.shape, &offer.operands, &offer.listed, err);
	if (rc < 0)
		return rc;
	const size_t most = MXT_ALGORITHM_RACE_MAX - 1;
	const struct mxt_offer rivals = {.library = check->rocblas.version,
					 .count = 1 + (offer.listed.count < most ? offer.listed.count : most),
					 .context = &offer,
					 .run = run_solution,
					 .solution = solution_of,
					 .renew = renew};
	rc = mxt_algorithm_contest(device, task, &rivals, end_ns, ret_ranking, err);
	mxt_rocblas_solutions_finish(&offer.listed);
	return rc;
}

void mxt_rocblas_check_finish(struct mxt_rocblas_check *check, const struct mxt_device *device)
{
	mxt_contest_workspace_release(&check->workspace, device);
	mxt_rocblas_close(&check->rocblas);
}
