/* SPDX-License-Identifier: Apache-2.0 */
#include "hip_device.h"

#include <stdlib.h>
#include <string.h>

#include "amd_job.h"
#include "clock.h"
#include "error.h"
#include "first_contact.h"
#include "gpu_describe.h"
#include "gpu_runtime.h"
#include "hip_candidates.h"
#include "hip_identity.h"
#include "hip_inventory.h"
#include "hip_libraries.h"
#include "hip_library.h"
#include "hip_ranking.h"
#include "self_test.h"
#include "sysroot.h"
#include "torch_device.h"
#include "torch_trial.h"

/* As on CUDA: a worker that waits costs memory, and the others nothing. */
#define MAX_WORKERS 6
#define RAMP_NS     (6 * MXT_NS_PER_S) /* AMD's own acceptance test lets 5 s pass before it measures */

/* The state of the device's platform. */
struct hip_state {
	struct mxt_gpu_runtime runtime; /* first: it is all that the platform knows of it */
	struct mxt_hip_identity identity;
	struct mxt_hip_ranking ranking;
	struct mxt_self_test test;
	bool products; /* it may be asked for products */
};

static const struct mxt_sysroot live = MXT_SYSROOT_LIVE;

static void device_close(struct mxt_device *device)
{
	struct hip_state *state = device ? device->state : NULL;
	if (state)
		mxt_hip_ranking_finish(&state->ranking, device);
	mxt_gpu_device_destroy(device);
}

/* torch first: the runtime is the one that it brings. */
static int open_parts(struct mxt_device *device, const struct mxt_device_target *target, struct mxt_error *err)
{
	int rc = mxt_torch_device_init(device, target, MXT_TORCH_HIP, err);
	if (rc < 0)
		return rc;
	struct hip_state *state = calloc(1, sizeof *state);
	if (!state)
		return mxt_error_oom(err);
	rc = mxt_hip_library_open((int)target->ordinal, &state->runtime, err);
	if (rc < 0) {
		free(state);
		return rc;
	}
	state->products = !target->probe || strcmp(target->probe, mxt_problem_kind_name(MXT_PROBLEM_ATTENTION)) != 0;
	device->state = state;
	rc = mxt_hip_identity_read(&state->runtime, &state->identity, err);
	if (rc == 0)
		rc = mxt_self_test_run(&state->test, &state->runtime, &state->identity, &live, &mxt_clock_monotonic,
				       err);
	/* The memory of a stand-in is the host's, and so are its caches. */
	device->llc_bytes = device->torch.stand_in ? state->identity.l2_bytes : mxt_hip_llc_bytes(&state->identity);
	return rc;
}

/* A kernel that could not be tried may have left a device on which nothing works any more; that is the reason then. */
static int still_works(const struct mxt_device *device, struct mxt_error *err)
{
	uint64_t ns = 0;
	int rc = device->platform->start(device->state, err);
	return rc < 0 ? rc : device->platform->stop(device->state, &ns, err);
}

/* The last part of the self-test needs all of the device: what its kernels compute. */
static int try_kernels(struct mxt_device *device, const struct mxt_device_target *target, struct mxt_error *err)
{
	static const enum mxt_problem_kind kinds[] = {MXT_PROBLEM_GEMM, MXT_PROBLEM_ATTENTION};
	struct hip_state *state = device->state;
	for (size_t i = 0; i < MXT_ARRAY_LEN(kinds); i++) {
		struct mxt_check check = {.error_ppb = UINT64_MAX};
		const char *name = mxt_problem_kind_name(kinds[i]);
		if (!mxt_torch_device_try(device, target, kinds[i], &check)) {
			int rc = still_works(device, err);
			if (rc < 0)
				return rc;
			continue;
		}
		if (check.error_ppb > check.bound_ppb)
			return mxt_first_contact_failed(err, "small problems are computed right",
							"a small problem (%s%s%s) is off by %.3g where %.3g is allowed",
							name, check.backend[0] ? ", " : "", check.backend,
							(double)check.error_ppb / 1e9, (double)check.bound_ppb / 1e9);
		mxt_self_test_note(&state->test, name);
	}
	return 0;
}

static int device_open(const struct mxt_device_target *target, struct mxt_device **ret_device, struct mxt_error *err)
{
	struct mxt_device *device = calloc(1, sizeof *device);
	if (!device)
		return mxt_error_oom(err);
	device->platform = &mxt_hip_platform;
	int rc = open_parts(device, target, err);
	if (rc == 0)
		rc = try_kernels(device, target, err);
	if (rc < 0) {
		device_close(device);
		return rc;
	}
	*ret_device = device;
	return 0;
}

/* NULL when memory ran out. */
static json_t *own_facts(const struct hip_state *state)
{
	int version = 0;
	(void)state->runtime.call.runtime_version(&version);
	return json_pack("{s:o, s:s, s:s, s:o}", "libraries",
			 mxt_hip_libraries(state->identity.arch, version, state->products), "name",
			 state->identity.name, "layout", state->identity.layout, "self_test",
			 mxt_self_test_json(&state->test));
}

static int device_describe(struct mxt_device *device, json_t **ret_facts, struct mxt_error *err)
{
	return mxt_gpu_describe(device, mxt_hip_selectors, own_facts(device->state), ret_facts, err);
}

static int device_rank(struct mxt_device *device, struct mxt_task *task, uint64_t limit_ns,
		       struct mxt_ranking *ret_ranking, struct mxt_error *err)
{
	struct hip_state *state = device->state;
	return mxt_hip_rank(&state->ranking, device, task, state->identity.arch, limit_ns, ret_ranking, err);
}

/*
 * A torch for ROCm tells rocBLAS itself to add up in one order, and asks for no variable as with cuBLAS
 * (Context::checkCuBLASConfigDeterministic, CUDAHooks::hasCUDART). transformers asks flash_attn for gradients that
 * repeat only where its variable says so.
 */
static const struct mxt_setting deterministic[] = {{"FLASH_ATTENTION_DETERMINISTIC", "1"}, {NULL, NULL}};

const struct mxt_device_ops mxt_hip_device = {
    .name = "hip",
    .max_workers = MAX_WORKERS,
    .simulated = false,
    .self_test = false,
    .stop_idle = false,
    .vendor = "amd",
    .needs_torch = true,
    .torch_backend = MXT_TORCH_HIP,
    .ramp_ns = RAMP_NS,
    .pins = true,
    .float32 = false,
    .scaled = false,
    .surveyor = NULL,
    .selectors = mxt_hip_selectors,
    .deterministic = deterministic,
    .detect = mxt_hip_detect,
    .count = mxt_amd_count,
    .inventory = mxt_hip_inventory,
    .candidates = mxt_hip_candidates,
    .open = device_open,
    .close = device_close,
    .describe = device_describe,
    .prepare = mxt_torch_device_prepare,
    .release = mxt_torch_device_release,
    .time = mxt_torch_device_time,
    .check = mxt_torch_device_check,
    .rank = device_rank,
};
