/* SPDX-License-Identifier: Apache-2.0 */
#include "heuristic_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	struct mxt_heuristic_check *check;
	struct mxt_device *device;
	const struct mxt_task *task;
	struct mxt_lt_product product;
	size_t count;
	uint32_t repeats; /* calls of one launch */
	struct mxt_lt_choice choices[MXT_ALGORITHM_RACE_MAX];
};

static unsigned minor_of(const char *version)
{
	return strncmp(version, "2.", 2) == 0 ? (unsigned)strtoul(version + 2, NULL, 10) : 0;
}

int mxt_heuristic_check_open(struct mxt_heuristic_check *check, const struct mxt_device *device, int compute_major,
			     struct mxt_error *err)
{
	if (check->lt.handle)
		return 0;
	check->stack = (struct mxt_blas_stack){minor_of(device->torch.version.version), compute_major};
	return mxt_cublaslt_open(&check->lt, err);
}

static void release_workspace(struct mxt_heuristic_check *check, const struct mxt_device *device)
{
	device->platform->release(device->state, check->workspace);
	check->workspace = NULL;
	check->workspace_bytes = 0;
}

void mxt_heuristic_check_finish(struct mxt_heuristic_check *check, const struct mxt_device *device)
{
	release_workspace(check, device);
	mxt_cublaslt_close(&check->lt);
}

static int reserve_workspace(struct mxt_heuristic_check *check, const struct mxt_device *device, size_t bytes,
			     struct mxt_error *err)
{
	if (bytes <= check->workspace_bytes)
		return 0;
	release_workspace(check, device);
	int rc = device->platform->allocate(device->state, bytes, &check->workspace, err);
	if (rc == 0)
		check->workspace_bytes = bytes;
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
		rc = mxt_lt_product_run(&c->product, &operands, &c->choices[algorithm], c->check->workspace, err);
	}
	if (rc < 0)
		return rc;
	rc = device->platform->stop(device->state, &ns, err);
	if (rc == 0)
		*ret_ns = (double)ns / repeats;
	return rc;
}

static int time_algorithm(void *context, size_t algorithm, double *ret_ns, struct mxt_error *err)
{
	struct contest *c = context;
	return launch(c, algorithm, c->repeats, ret_ns, err);
}

static int check_algorithm(void *context, size_t algorithm, bool *ret_right, struct mxt_error *err)
{
	struct contest *c = context;
	const struct mxt_gemm *g = &c->task->problem.as.gemm;
	const struct mxt_gemm_operands operands = mxt_torch_gemm_next(c->device, c->task);
	struct mxt_check check = {.error_ppb = UINT64_MAX};
	int rc = mxt_torch_gemm_spoil(c->device, g, &operands, err);
	if (rc == 0)
		rc = mxt_lt_product_run(&c->product, &operands, &c->choices[algorithm], c->check->workspace, err);
	if (rc == 0)
		rc = mxt_torch_gemm_judge(c->device, g, &operands, &check, err);
	if (rc == 0)
		*ret_right = check.error_ppb <= check.bound_ppb;
	return rc;
}

/* Leaves out what cannot run, for first calls load kernels: they are not to be timed. */
static int try_all(struct contest *c, struct mxt_error *err)
{
	size_t kept = 0;
	double ns;
	for (size_t i = 0; i < c->count; i++) {
		int rc = launch(c, i, 1, &ns, err);
		if (rc < 0 && (rc != -ENOTSUP || i == 0))
			return rc;
		if (rc == 0)
			c->choices[kept++] = c->choices[i];
		else
			mxt_error_clear(err);
	}
	c->count = kept;
	return 0;
}

/* So many calls that a launch spans LAUNCH_NS, a fifth more for algorithms that are faster than the library's choice.
 */
static int find_repeats(struct contest *c, struct mxt_error *err)
{
	double ns = 0;
	int rc = 0;
	for (c->repeats = 1; c->repeats < MAX_REPEATS; c->repeats *= 2) {
		rc = launch(c, 0, c->repeats, &ns, err);
		if (rc < 0 || ns * c->repeats >= LAUNCH_NS / 2.0)
			break;
	}
	double wanted = ns > 0 ? 1.2 * LAUNCH_NS / ns + 1 : 1;
	c->repeats = wanted < MAX_REPEATS ? (uint32_t)wanted : MAX_REPEATS;
	return rc;
}

static int compare(struct contest *c, uint64_t end_ns, struct mxt_ranking *ret_ranking, struct mxt_error *err)
{
	size_t version = c->check->lt.version;
	int rc = mxt_lt_product_choices(&c->product, c->choices, MXT_ALGORITHM_RACE_MAX, &c->count, err);
	if (rc == 0)
		rc = try_all(c, err);
	if (rc == 0)
		rc = find_repeats(c, err);
	if (rc < 0)
		return rc;
	const struct mxt_algorithm_race race = {.count = c->count,
						.context = c,
						.time = time_algorithm,
						.check = check_algorithm,
						.clock = &mxt_clock_monotonic,
						.end_ns = end_ns,
						.seed = SEED};
	struct mxt_ranking ranking;
	rc = mxt_algorithm_race(&race, &ranking, err);
	if (rc < 0)
		return rc;
	(void)snprintf(ranking.library, sizeof ranking.library, "cuBLASLt %zu.%zu.%zu", version / 10000 % 1000,
		       version / 100 % 100, version % 100);
	*ret_ranking = ranking;
	return 0;
}

int mxt_heuristic_check_run(struct mxt_heuristic_check *check, struct mxt_device *device, const struct mxt_task *task,
			    uint64_t limit_ns, struct mxt_ranking *ret_ranking, struct mxt_error *err)
{
	uint64_t end_ns = mxt_now_ns(&mxt_clock_monotonic) + limit_ns;
	const struct mxt_gemm *g = &task->problem.as.gemm;
	if (task->problem.kind != MXT_PROBLEM_GEMM)
		return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED, "only products have a ranking");
	int rc = mxt_problem_features_check(&task->problem, 0, "the heuristic check", err);
	if (rc < 0)
		return rc;
	size_t bytes = mxt_blas_workspace(&check->stack, mxt_blas_through_lt(g->bias));
	MXT_CLEANUP_FREE struct contest *c = calloc(1, sizeof *c);
	if (!c)
		return mxt_error_oom(err);
	*c = (struct contest){.check = check, .device = device, .task = task};
	const struct mxt_gemm_operands operands = mxt_torch_gemm_next(device, task);
	rc = reserve_workspace(check, device, bytes, err);
	if (rc == 0)
		rc = mxt_lt_product_init(&c->product, &check->lt, g, &operands, bytes, err);
	if (rc < 0)
		return rc;
	rc = compare(c, end_ns, ret_ranking, err);
	mxt_lt_product_finish(&c->product);
	return rc;
}
