/* SPDX-License-Identifier: Apache-2.0 */
#include "torch_cpu_device.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "cpu_inventory.h"
#include "error.h"
#include "host_memory.h"
#include "sysroot.h"
#include "torch_device.h"
#include "torch_trial.h"

/* Workers that the orchestrator may keep alive: each may use its share of memory. */
#define MAX_WORKERS 6

/* ---- platform ---- */

struct host_state {
	uint64_t start_ns;
};

static int host_allocate(void *state, size_t bytes, void **ret_data, struct mxt_error *err)
{
	(void)state;
	void *data = aligned_alloc(256, (bytes + 255) / 256 * 256);
	if (!data)
		return mxt_error_set(err, -ENOMEM, MXT_E_OPERANDS_TOO_LARGE,
				     "%zu MiB of operands do not fit into memory", bytes >> 20);
	*ret_data = data;
	return 0;
}

static void host_release(void *state, void *data)
{
	(void)state;
	free(data);
}

static int host_start(void *state, struct mxt_error *err)
{
	(void)err;
	struct host_state *host = state;
	host->start_ns = mxt_now_ns(&mxt_clock_monotonic);
	return 0;
}

static int host_stop(void *state, uint64_t *ret_ns, struct mxt_error *err)
{
	(void)err;
	const struct host_state *host = state;
	*ret_ns = mxt_now_ns(&mxt_clock_monotonic) - host->start_ns;
	return 0;
}

static int host_fetch(void *state, void *host, const void *data, size_t bytes, struct mxt_error *err)
{
	(void)state;
	(void)err;
	memcpy(host, data, bytes);
	return 0;
}

static uint64_t host_memory_left(void *state)
{
	static const struct mxt_sysroot live = MXT_SYSROOT_LIVE;
	(void)state;
	struct mxt_host_memory memory;
	if (mxt_host_memory_read(&live, &memory, NULL) < 0 || memory.available_bytes == 0)
		return UINT64_MAX;
	return memory.available_bytes / MAX_WORKERS;
}

static const struct mxt_torch_platform host_platform = {"cpu",     host_allocate, host_release,    host_start,
							host_stop, host_fetch,    host_memory_left};

/* ---- device ---- */

static void device_close(struct mxt_device *device)
{
	if (!device)
		return;
	mxt_torch_device_finish(device);
	free(device->state);
	free(device);
}

static int device_open(const struct mxt_device_target *target, struct mxt_device **ret_device, struct mxt_error *err)
{
	struct mxt_cpu_host host;
	int rc = mxt_cpu_host_take(target->ordinal, &host, err);
	if (rc < 0)
		return rc;
	uint64_t llc_bytes = mxt_cpu_host_llc(&host);
	mxt_cpu_host_finish(&host);
	struct mxt_device *device = calloc(1, sizeof *device);
	if (!device)
		return mxt_error_oom(err);
	device->platform = &host_platform;
	device->llc_bytes = llc_bytes;
	device->state = calloc(1, sizeof(struct host_state));
	rc = device->state ? mxt_torch_device_init(device, target, MXT_TORCH_CPU, err) : mxt_error_oom(err);
	if (rc < 0) {
		device_close(device);
		return rc;
	}
	mxt_torch_device_warm_up(device, target);
	*ret_device = device;
	return 0;
}

/* Threads of a parallel region, as torch's own OpenMP runtime says; torch loads it with global symbols. */
static int openmp_threads(void)
{
	void *symbol = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
	int (*get_max_threads)(void) = NULL;
	if (!symbol)
		return 0;
	memcpy(&get_max_threads, &symbol, sizeof symbol);
	return get_max_threads();
}

static int device_describe(struct mxt_device *device, json_t **ret_facts, struct mxt_error *err)
{
	json_t *facts = mxt_torch_device_facts(device);
	int threads = openmp_threads();
	if (!facts || (threads > 0 && json_object_set_new(facts, "threads", json_integer(threads)) < 0)) {
		json_decref(facts);
		return mxt_error_oom(err);
	}
	*ret_facts = facts;
	return 0;
}

static int device_inventory(const struct mxt_sysroot *root, const struct mxt_device_target *target,
			    const json_t *survey, struct mxt_inventory *ret_inventory, struct mxt_error *err)
{
	struct mxt_torch_version version;
	struct mxt_inventory inventory;
	int rc = mxt_torch_read_version(target->torch, &version, err);
	if (rc == 0)
		rc = mxt_cpu_inventory(root, target, survey, &inventory, err);
	if (rc != 0)
		return rc;
	json_decref(inventory.stack);
	inventory.stack = json_pack("{s:s}", "torch", version.version);
	/* Upper bounds of bfloat16 units differ too much between processors to be told from float32's. */
	inventory.peak_flops = 0;
	if (!inventory.stack) {
		mxt_inventory_finish(&inventory);
		return mxt_error_oom(err);
	}
	*ret_inventory = inventory;
	return 0;
}

/* ---- candidates ---- */

static int add_threads(struct mxt_candidate_list *list, uint32_t threads)
{
	struct mxt_candidate *item = &list->items[list->count++];
	char name[32];
	(void)snprintf(name, sizeof name, "threads=%u", threads);
	*item = (struct mxt_candidate){.name = strdup(name),
				       .env = json_pack("{s:o}", "OMP_NUM_THREADS", json_sprintf("%u", threads)),
				       .choice = strdup("torch"),
				       .deterministic = true};
	return item->name && item->env && item->choice ? 0 : -ENOMEM;
}

/* Thread counts: all usable cores, one less, half. They act on the whole process, so the products decide for all. */
static int device_candidates(const struct mxt_sysroot *root, const struct mxt_inventory *inventory,
			     enum mxt_problem_kind probe, char *const *environment, struct mxt_candidate_list *ret_list,
			     struct mxt_error *err)
{
	(void)root;
	(void)environment;
	uint32_t units = inventory->units;
	const uint32_t counts[] = {units, units - 1, units / 2};
	struct mxt_candidate_list list = {.items = calloc(MXT_ARRAY_LEN(counts), sizeof *list.items),
					  .bare_choice = strdup("torch")};
	int rc = list.items && list.bare_choice ? 0 : -ENOMEM;
	for (size_t i = 0; rc == 0 && probe == MXT_PROBLEM_GEMM && i < MXT_ARRAY_LEN(counts); i++)
		if (counts[i] > 0 && (i == 0 || counts[i] != counts[i - 1]))
			rc = add_threads(&list, counts[i]);
	if (rc < 0) {
		mxt_candidate_list_finish(&list);
		return mxt_error_oom(err);
	}
	*ret_list = list;
	return 0;
}

/* What torch's OpenMP runtime, oneMKL, oneDNN and ATen read on a host. */
static const char *const selectors[] = {
    "ATEN_CPU_CAPABILITY",   "GOMP_CPU_AFFINITY",       "GOMP_SPINCOUNT",     "KMP_AFFINITY",
    "KMP_BLOCKTIME",         "MKL_ENABLE_INSTRUCTIONS", "MKL_NUM_THREADS",    "OMP_DYNAMIC",
    "OMP_MAX_ACTIVE_LEVELS", "OMP_NUM_THREADS",         "OMP_PLACES",         "OMP_PROC_BIND",
    "OMP_THREAD_LIMIT",      "OMP_WAIT_POLICY",         "ONEDNN_MAX_CPU_ISA", NULL,
};

const struct mxt_device_ops mxt_torch_cpu_device = {
    .name = "cpu-torch",
    .max_workers = MAX_WORKERS,
    .simulated = false,
    .self_test = false,
    .stop_idle = true,
    .vendor = NULL,
    .needs_torch = true,
    .torch_backend = MXT_TORCH_CPU,
    .ramp_ns = 0,
    .pins = false,
    .float32 = false,
    .scaled = true,
    .surveyor = NULL,
    .selectors = selectors,
    .deterministic = NULL,
    .detect = mxt_always_here,
    .count = mxt_any_count,
    .inventory = device_inventory,
    .candidates = device_candidates,
    .open = device_open,
    .close = device_close,
    .describe = device_describe,
    .prepare = mxt_torch_device_prepare,
    .release = mxt_torch_device_release,
    .time = mxt_torch_device_time,
    .check = mxt_torch_device_check,
    .rank = mxt_no_ranking,
};
