/* SPDX-License-Identifier: Apache-2.0 */
#include "algorithm_contest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "algorithm_race.h"
#include "cleanup.h"
#include "clock.h"
#include "error.h"
#include "problem_features.h"
#include "torch_device.h"

#define LAUNCH_NS   (MXT_NS_PER_MS) /* that a pair of events spans at least */
#define MAX_REPEATS (UINT32_C(1) << 14)
#define SEED        UINT64_C(0x6d696e6458747261)

/* One product at work. */
struct contest {
	struct mxt_device *device;
	const struct mxt_task *task;
	const struct mxt_offer *offer;
	uint32_t *repeats; /* owned: calls of one launch, by algorithm; 0: it has not run yet */
};

int mxt_contest_accepts(const struct mxt_task *task, struct mxt_error *err)
{
	if (task->problem.kind != MXT_PROBLEM_GEMM)
		return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED, "only products have a ranking");
	return mxt_problem_features_check(&task->problem, 0, "the heuristic check", err);
}

void mxt_contest_workspace_release(struct mxt_contest_workspace *workspace, const struct mxt_device *device)
{
	device->platform->release(device->state, workspace->data);
	*workspace = (struct mxt_contest_workspace){NULL, 0};
}

int mxt_contest_workspace_reserve(struct mxt_contest_workspace *workspace, const struct mxt_device *device,
				  size_t bytes, struct mxt_error *err)
{
	if (bytes <= workspace->bytes)
		return 0;
	mxt_contest_workspace_release(workspace, device);
	int rc = device->platform->allocate(device->state, bytes, &workspace->data, err);
	if (rc == 0)
		workspace->bytes = bytes;
	return rc;
}

/* One launch of `repeats` calls; ns of one call. */
static int launch(struct contest *c, size_t algorithm, uint32_t repeats, double *ret_ns, struct mxt_error *err)
{
	struct mxt_device *device = c->device;
	uint64_t ns = 0;
	int rc = device->platform->start(device->state, err);
	for (uint32_t i = 0; rc == 0 && i < repeats; i++) {
		const struct mxt_gemm_operands operands = mxt_torch_gemm_next(device, c->task);
		rc = c->offer->run(c->offer->context, algorithm, &operands, err);
	}
	if (rc < 0)
		return rc;
	rc = device->platform->stop(device->state, &ns, err);
	if (rc == 0)
		*ret_ns = (double)ns / repeats;
	return rc;
}

/*
 * The first call loads the kernel and is not timed; more of them show how many calls span LAUNCH_NS, a fifth more
 * because a launch is not to be shorter.
 */
static int get_ready(struct contest *c, size_t algorithm, struct mxt_error *err)
{
	double ns = 0;
	uint32_t repeats = 1;
	int rc = launch(c, algorithm, 1, &ns, err);
	for (; rc == 0 && repeats < MAX_REPEATS; repeats *= 4) {
		rc = launch(c, algorithm, repeats, &ns, err);
		if (rc < 0 || ns * repeats >= LAUNCH_NS / 4.0)
			break;
	}
	if (rc < 0)
		return rc;
	double wanted = ns > 0 ? 1.2 * LAUNCH_NS / ns + 1 : 1;
	c->repeats[algorithm] = wanted < MAX_REPEATS ? (uint32_t)wanted : MAX_REPEATS;
	return 0;
}

static int time_algorithm(void *context, size_t algorithm, double *ret_ns, struct mxt_error *err)
{
	struct contest *c = context;
	int rc = c->repeats[algorithm] ? 0 : get_ready(c, algorithm, err);
	return rc < 0 ? rc : launch(c, algorithm, c->repeats[algorithm], ret_ns, err);
}

static int compute(struct contest *c, size_t algorithm, struct mxt_check *ret_check, struct mxt_error *err)
{
	const struct mxt_gemm *g = &c->task->problem.as.gemm;
	const struct mxt_gemm_operands operands = mxt_torch_gemm_next(c->device, c->task);
	int rc = mxt_torch_gemm_spoil(c->device, g, &operands, err);
	if (rc == 0)
		rc = c->offer->run(c->offer->context, algorithm, &operands, err);
	return rc < 0 ? rc : mxt_torch_gemm_judge(c->device, g, &operands, ret_check, err);
}

static int check_algorithm(void *context, size_t algorithm, struct mxt_error *err)
{
	struct contest *c = context;
	struct mxt_check check = {.error_ppb = UINT64_MAX};
	int rc = c->offer->renew(c->offer->context, algorithm, err);
	if (rc == 0)
		rc = compute(c, algorithm, &check, err);
	if (rc < 0 || check.error_ppb <= check.bound_ppb)
		return rc;
	int32_t solution = c->offer->solution(c->offer->context, algorithm);
	if (solution == MXT_SOLUTION_DEFAULT)
		return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED, "algorithm %zu computes wrong",
				     algorithm);
	return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED, "solution %d computes wrong", solution);
}

int mxt_algorithm_contest(struct mxt_device *device, const struct mxt_task *task, const struct mxt_offer *offer,
			  uint64_t end_ns, struct mxt_ranking *ret_ranking, struct mxt_error *err)
{
	MXT_CLEANUP_FREE uint32_t *repeats = calloc(offer->count, sizeof *repeats);
	struct contest c = {device, task, offer, repeats};
	const struct mxt_algorithm_race race = {.count = offer->count,
						.context = &c,
						.time = time_algorithm,
						.check = check_algorithm,
						.clock = &mxt_clock_monotonic,
						.end_ns = end_ns,
						.seed = SEED};
	struct mxt_ranking ranking;
	size_t fastest = 0;
	if (!repeats)
		return mxt_error_oom(err);
	int rc = mxt_algorithm_race(&race, &ranking, &fastest, err);
	if (rc < 0)
		return rc;
	(void)snprintf(ranking.library, sizeof ranking.library, "%s", offer->library);
	ranking.offered = (uint32_t)offer->count;
	if (fastest)
		ranking.solution = offer->solution(offer->context, fastest);
	*ret_ranking = ranking;
	return 0;
}
