/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "cpu_candidates.h"
#include "cpu_inventory.h"
#include "cpu_state.h"
#include "error.h"
#include "problem_features.h"
#include "sysroot.h"
#include "thread_pool.h"
#include "vector_math.h"

/* Workers that the orchestrator may keep alive: each may use its share of memory. */
#define MAX_WORKERS 6

/* A variable's value; NULL when it is not set or empty. */
static const char *setting(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

static int choose_blas(const struct mxt_cpu_host *host, enum mxt_blas_kind *ret_kind, struct mxt_error *err)
{
	static const char variable[] = "MINDXTRAIN_CPU_BLAS";
	const char *name = setting(variable);
	if (!name) {
		*ret_kind = mxt_cpu_host_default_blas(host);
		return 0;
	}
	for (int kind = 0; kind < MXT_BLAS_KIND_COUNT; kind++)
		if (strcmp(name, mxt_blas_name((enum mxt_blas_kind)kind)) == 0) {
			*ret_kind = (enum mxt_blas_kind)kind;
			return 0;
		}
	return mxt_error_set(err, -EINVAL, MXT_E_CPU_SETTING, "%s is '%s'; set it to openblas or blis, or unset it",
			     variable, name);
}

static int choose_attention(const struct mxt_attention_backend **ret_backend, struct mxt_error *err)
{
	static const char variable[] = "MINDXTRAIN_CPU_ATTENTION";
	const char *name = setting(variable);
	const struct mxt_attention_backend *backend = name ? mxt_attention_backend_find(name) : &mxt_attention_math;
	if (!backend)
		return mxt_error_set(err, -EINVAL, MXT_E_CPU_SETTING,
				     "%s is '%s'; set it to math or flash, or unset it", variable, name);
	*ret_backend = backend;
	return 0;
}

static int load_blas(const struct mxt_cpu_host *host, struct mxt_blas *ret_blas, struct mxt_error *err)
{
	enum mxt_blas_kind kind = MXT_BLAS_OPENBLAS;
	int rc = choose_blas(host, &kind, err);
	if (rc < 0)
		return rc;
	/* Not in the loader's folders: its own answer says what it looked for. */
	const char *path = host->blas[kind].path ? host->blas[kind].path : mxt_blas_soname(kind);
	return mxt_blas_load(kind, path, ret_blas, err);
}

static void device_close(struct mxt_device *device)
{
	if (!device)
		return;
	mxt_thread_pool_destroy(device->pool);
	mxt_operand_arena_finish(&device->inputs);
	mxt_operand_arena_finish(&device->outputs);
	free(device->scratch);
	free(device->partials);
	mxt_blas_unload(&device->blas);
	free(device);
}

static int fill_device(const struct mxt_cpu_host *host, const struct mxt_device_target *target,
		       struct mxt_device *device, struct mxt_error *err)
{
	size_t share = (size_t)(mxt_cpu_host_memory(host) / MAX_WORKERS / 2);
	device->llc_bytes = mxt_cpu_host_llc(host);
	device->deterministic = target->deterministic;
	int rc = choose_attention(&device->attention, err);
	if (rc == 0)
		rc = load_blas(host, &device->blas, err);
	if (rc == 0)
		rc = mxt_thread_pool_create(device->blas.threads, &device->pool, err);
	if (rc == 0)
		rc = mxt_operand_arena_init(&device->inputs, share, true, MXT_CPU_SEED, err);
	if (rc == 0)
		rc = mxt_operand_arena_init(&device->outputs, share, false, 0, err);
	return rc;
}

static int device_open(const struct mxt_device_target *target, struct mxt_device **ret_device, struct mxt_error *err)
{
	struct mxt_cpu_host host;
	int rc = mxt_cpu_host_take(target->ordinal, &host, err);
	if (rc < 0)
		return rc;
	struct mxt_device *device = calloc(1, sizeof *device);
	rc = device ? fill_device(&host, target, device, err) : mxt_error_oom(err);
	mxt_cpu_host_finish(&host);
	if (rc < 0)
		device_close(device);
	else
		*ret_device = device;
	return rc;
}

static int device_describe(struct mxt_device *device, json_t **ret_facts, struct mxt_error *err)
{
	json_t *facts = mxt_blas_facts(&device->blas);
	if (!facts || json_object_set_new(facts, "attention", json_string(device->attention->name)) < 0) {
		json_decref(facts);
		return mxt_error_oom(err);
	}
	*ret_facts = facts;
	return 0;
}

size_t mxt_cpu_windows(const struct mxt_device *device, const struct mxt_task *task)
{
	size_t bytes = task->input_bytes + task->output_bytes;
	return (size_t)((2 * device->llc_bytes + bytes - 1) / bytes);
}

int mxt_cpu_check_memory(size_t bytes, struct mxt_error *err)
{
	static const struct mxt_sysroot live = MXT_SYSROOT_LIVE;
	struct mxt_host_memory memory;
	if (mxt_host_memory_read(&live, &memory, NULL) < 0 || memory.available_bytes == 0)
		return 0; /* not reported: the allocation itself will tell */
	if (bytes <= memory.available_bytes / 10 * 9)
		return 0;
	return mxt_error_set(err, -ENOMEM, MXT_E_OPERANDS_TOO_LARGE,
			     "its operands take %zu MiB more, and this machine has %llu MiB left", bytes >> 20,
			     (unsigned long long)memory.available_bytes >> 20);
}

static int grow(struct mxt_operand_arena *arena, size_t bytes, struct mxt_error *err)
{
	bool allowed = bytes > arena->ready && bytes <= arena->limit;
	int rc = allowed ? mxt_cpu_check_memory(bytes - arena->ready, err) : 0;
	return rc < 0 ? rc : mxt_operand_arena_grow(arena, bytes, err);
}

int mxt_cpu_reserve(struct mxt_device *device, const struct mxt_task *task, size_t windows, struct mxt_error *err)
{
	int rc = grow(&device->inputs, windows * task->input_bytes, err);
	return rc < 0 ? rc : grow(&device->outputs, windows * task->output_bytes, err);
}

static void device_release(struct mxt_device *device, struct mxt_task *task)
{
	(void)device;
	if (!task)
		return;
	free(task->saved);
	free(task);
}

static int device_prepare(struct mxt_device *device, const struct mxt_problem *problem, struct mxt_task **ret_task,
			  struct mxt_error *err)
{
	bool attention = problem->kind == MXT_PROBLEM_ATTENTION;
	enum mxt_dtype dtype = attention ? problem->as.attention.dtype : problem->as.gemm.dtype;
	if (dtype != MXT_DTYPE_F32)
		return mxt_error_set(err, -ENOTSUP, MXT_E_PROBLEM_UNSUPPORTED,
				     "the built-in provider computes in float32, not in %s", mxt_dtype_name(dtype));
	int rc = mxt_problem_features_check(problem, MXT_FEATURE_ACCUMULATE | MXT_FEATURE_BATCH,
					    "the built-in provider", err);
	if (rc < 0)
		return rc;
	struct mxt_task *task = calloc(1, sizeof *task);
	if (!task)
		return mxt_error_oom(err);
	task->problem = *problem;
	rc = attention ? mxt_cpu_attention_prepare(device, task, err) : mxt_cpu_gemm_prepare(device, task, err);
	if (rc < 0)
		device_release(device, task);
	else
		*ret_task = task;
	return rc;
}

#define STREAM_FLOATS ((size_t)16384) /* of one item of a filler */

struct stream {
	const float *from;
	float *to;
	size_t floats;
};

static void stream_item(void *context, uint32_t thread, uint32_t item)
{
	(void)thread;
	const struct stream *stream = context;
	size_t first = item * STREAM_FLOATS, left = stream->floats - first;
	mxt_row_stream(stream->to + first, stream->from + first, left < STREAM_FLOATS ? left : STREAM_FLOATS);
}

/* Half of a filler's traffic is read, half is written. */
static size_t stream_bytes(const struct mxt_step *step)
{
	return (size_t)step->filler_bytes / 2 / sizeof(float) * sizeof(float);
}

static void run_filler(struct mxt_device *device, const struct mxt_step *step)
{
	size_t bytes = stream_bytes(step);
	struct stream stream = {.floats = bytes / sizeof(float)};
	stream.from = mxt_operand_arena_next(&device->inputs, bytes);
	stream.to = mxt_operand_arena_next(&device->outputs, bytes);
	mxt_thread_pool_run(device->pool, stream_item, &stream,
			    (uint32_t)((stream.floats + STREAM_FLOATS - 1) / STREAM_FLOATS));
}

static int reserve_fillers(struct mxt_device *device, const struct mxt_step *steps, size_t n_steps,
			   struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < n_steps && rc == 0; i++) {
		if (steps[i].task)
			continue;
		rc = grow(&device->inputs, stream_bytes(&steps[i]), err);
		if (rc == 0)
			rc = grow(&device->outputs, stream_bytes(&steps[i]), err);
	}
	return rc;
}

static int device_time(struct mxt_device *device, const struct mxt_step *steps, size_t n_steps, uint32_t repeats,
		       uint64_t *ret_ns, struct mxt_error *err)
{
	int rc = reserve_fillers(device, steps, n_steps, err);
	if (rc < 0)
		return rc;
	uint64_t start = mxt_now_ns(&mxt_clock_monotonic);
	for (uint32_t round = 0; round < repeats; round++)
		for (size_t i = 0; i < n_steps; i++) {
			if (steps[i].task)
				steps[i].task->ops->run(device, steps[i].task);
			else
				run_filler(device, &steps[i]);
		}
	*ret_ns = mxt_now_ns(&mxt_clock_monotonic) - start;
	return 0;
}

static bool repeats(struct mxt_device *device, struct mxt_task *task, const uint8_t bits[32])
{
	for (int i = 1; i < MXT_CHECK_RUNS; i++) {
		uint8_t found[32];
		task->ops->again(device, task, found);
		if (memcmp(found, bits, sizeof found) != 0)
			return false;
	}
	return true;
}

static int device_check(struct mxt_device *device, struct mxt_task *task, struct mxt_check *ret_check,
			struct mxt_error *err)
{
	struct mxt_check check = {.backend = ""};
	int rc = task->ops->check(device, task, &check, err);
	if (rc < 0)
		return rc;
	check.repeatable = device->deterministic && repeats(device, task, check.bits);
	*ret_check = check;
	return 0;
}

/* What OpenBLAS, BLIS, the OpenMP runtimes below them and this provider read. */
static const char *const cpu_selectors[] = {
    "BLIS_ARCH_TYPE",
    "BLIS_IC_NT",
    "BLIS_IR_NT",
    "BLIS_JC_NT",
    "BLIS_JR_NT",
    "BLIS_NUM_THREADS",
    "BLIS_PACK_A",
    "BLIS_PACK_B",
    "BLIS_PC_NT",
    "GOMP_CPU_AFFINITY",
    "GOMP_SPINCOUNT",
    "GOTO_NUM_THREADS",
    "MINDXTRAIN_CPU_ATTENTION",
    "MINDXTRAIN_CPU_BLAS",
    "OMP_DYNAMIC",
    "OMP_MAX_ACTIVE_LEVELS",
    "OMP_NUM_THREADS",
    "OMP_PLACES",
    "OMP_PROC_BIND",
    "OMP_THREAD_LIMIT",
    "OMP_WAIT_POLICY",
    "OPENBLAS_BLOCK_FACTOR",
    "OPENBLAS_NUM_THREADS",
    "OPENBLAS_THREAD_TIMEOUT",
    NULL,
};

const struct mxt_device_ops mxt_cpu_device = {
    .name = "cpu",
    .max_workers = MAX_WORKERS,
    .simulated = false,
    .self_test = true,
    .stop_idle = true,
    .vendor = NULL,
    .needs_torch = false,
    .torch_backend = MXT_TORCH_CPU,
    .ramp_ns = 0,
    .pins = false,
    .float32 = true,
    .scaled = true,
    .surveyor = NULL,
    .selectors = cpu_selectors,
    .deterministic = NULL,
    .detect = mxt_always_here,
    .count = mxt_any_count,
    .inventory = mxt_cpu_inventory,
    .candidates = mxt_cpu_candidates,
    .open = device_open,
    .close = device_close,
    .describe = device_describe,
    .prepare = device_prepare,
    .release = device_release,
    .time = device_time,
    .check = device_check,
    .rank = mxt_no_ranking,
};
