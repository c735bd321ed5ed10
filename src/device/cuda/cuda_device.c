/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas_workspace.h"
#include "cuda_candidates.h"
#include "cuda_inventory.h"
#include "error.h"
#include "gpu_describe.h"
#include "gpu_runtime.h"
#include "heuristic_check.h"
#include "torch_device.h"
#include "torch_trial.h"

/*
 * Each worker holds a context of half a gigabyte, and operands. One that waits costs the others nothing; racing all
 * candidates at once spares starting and preparing the incumbents anew for every few of them.
 */
#define MAX_WORKERS 6

/* The state of the device's platform. */
struct cuda_state {
	struct mxt_gpu_runtime runtime; /* first: it is all that the platform knows of it */
	struct mxt_heuristic_check check;
};

static void device_close(struct mxt_device *device)
{
	struct cuda_state *state = device ? device->state : NULL;
	if (state)
		mxt_heuristic_check_finish(&state->check, device);
	mxt_gpu_device_destroy(device);
}

/* Its name is that of a library that torch has loaded already: the loader looks no further. `cuda`: "13.0". */
static int open_runtime(const char *cuda, int ordinal, struct mxt_gpu_runtime *ret_runtime, struct mxt_error *err)
{
	char name[32];
	(void)snprintf(name, sizeof name, "libcudart.so.%.*s", (int)strcspn(cuda, "."), cuda);
	const char *const names[] = {name, NULL};
	return mxt_gpu_runtime_open(&mxt_cudart, names, ordinal, ret_runtime, err);
}

/* torch first: the runtime is the one that it brings. */
static int open_parts(struct mxt_device *device, const struct mxt_device_target *target, struct mxt_error *err)
{
	struct mxt_gpu_runtime runtime;
	int rc = mxt_torch_device_init(device, target, MXT_TORCH_CUDA, err);
	if (rc == 0)
		rc = open_runtime(device->torch.version.cuda, (int)target->ordinal, &runtime, err);
	if (rc < 0)
		return rc;
	struct cuda_state *state = calloc(1, sizeof *state);
	if (!state) {
		mxt_gpu_runtime_close(&runtime);
		return mxt_error_oom(err);
	}
	state->runtime = runtime;
	device->state = state;
	device->llc_bytes = (uint64_t)mxt_gpu_attribute(&runtime, mxt_cudart.l2_bytes);
	return 0;
}

static int device_open(const struct mxt_device_target *target, struct mxt_device **ret_device, struct mxt_error *err)
{
	struct mxt_device *device = calloc(1, sizeof *device);
	if (!device)
		return mxt_error_oom(err);
	device->platform = &mxt_cuda_platform;
	int rc = open_parts(device, target, err);
	if (rc < 0) {
		device_close(device);
		return rc;
	}
	mxt_torch_device_warm_up(device, target);
	*ret_device = device;
	return 0;
}

static int device_describe(struct mxt_device *device, json_t **ret_facts, struct mxt_error *err)
{
	return mxt_gpu_describe(device, mxt_cuda_selectors, json_object(), ret_facts, err);
}

static int device_rank(struct mxt_device *device, struct mxt_task *task, uint64_t limit_ns,
		       struct mxt_ranking *ret_ranking, struct mxt_error *err)
{
	struct cuda_state *state = device->state;
	int major = mxt_gpu_attribute(&state->runtime, mxt_cudart.compute_major);
	const struct mxt_blas_stack stack = {mxt_blas_torch_minor(device->torch.version.version), major, NULL};
	bool through_lt = task->problem.kind == MXT_PROBLEM_GEMM && mxt_blas_through_lt(task->problem.as.gemm.bias);
	int rc = mxt_torch_reserve(device, task, err);
	if (rc == 0)
		rc = mxt_heuristic_check_open(&state->check, &mxt_cublaslt, err);
	return rc < 0 ? rc
		      : mxt_heuristic_check_run(&state->check, device, task, mxt_blas_workspace(&stack, through_lt),
						limit_ns, ret_ranking, err);
}

/*
 * Without a workspace of its own for every stream cuBLAS may add up in another order; torch then refuses products. And
 * transformers asks flash_attn for gradients that repeat only where its variable says so.
 */
static const struct mxt_setting deterministic[] = {
    {"CUBLAS_WORKSPACE_CONFIG", ":4096:8"}, {"FLASH_ATTENTION_DETERMINISTIC", "1"}, {NULL, NULL}};

const struct mxt_device_ops mxt_cuda_device = {
    .name = "cuda",
    .max_workers = MAX_WORKERS,
    .simulated = false,
    .self_test = false,
    .stop_idle = false, /* idle workers of a GPU cost nothing, and a stopped one could hold its driver's locks */
    .vendor = "nvidia",
    .needs_torch = true,
    .torch_backend = MXT_TORCH_CUDA,
    .ramp_ns = 0,
    .pins = false, /* nothing makes torch take a cuBLASLt algorithm by its number */
    .float32 = false,
    .scaled = false,
    .surveyor = "nvml",
    .selectors = mxt_cuda_selectors,
    .deterministic = deterministic,
    .detect = mxt_cuda_detect,
    .count = mxt_any_count,
    .inventory = mxt_cuda_inventory,
    .candidates = mxt_cuda_candidates,
    .open = device_open,
    .close = device_close,
    .describe = device_describe,
    .prepare = mxt_torch_device_prepare,
    .release = mxt_torch_device_release,
    .time = mxt_torch_device_time,
    .check = mxt_torch_device_check,
    .rank = device_rank,
};
