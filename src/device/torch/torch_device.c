/* SPDX-License-Identifier: Apache-2.0 */
#include "torch_device.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "problem_features.h"
#include "torch_settings.h"
#include "torch_tensor.h"

#define LINE ((size_t)256) /* what cudaMalloc() aligns to, and more than any cache line */

/* What the kernels here do beyond the plain call. */
#define HANDLED                                                                                                        \
	(MXT_FEATURE_MASK | MXT_FEATURE_REPEATED | MXT_FEATURE_DOCUMENTS | MXT_FEATURE_BATCH | MXT_FEATURE_ACCUMULATE)

size_t mxt_torch_part(size_t bytes)
{
	return (bytes + LINE - 1) / LINE * LINE;
}

size_t mxt_torch_windows(const struct mxt_device *device, const struct mxt_task *task)
{
	size_t bytes = task->input_bytes + task->output_bytes;
	size_t windows = bytes ? (size_t)((2 * device->llc_bytes + bytes - 1) / bytes) : 1;
	if (task->problem.kind == MXT_PROBLEM_ATTENTION && windows > MXT_TORCH_MAX_SLOTS)
		return MXT_TORCH_MAX_SLOTS;
	return windows ? windows : 1;
}

void *mxt_torch_arena_next(struct mxt_torch_arena *arena, size_t bytes)
{
	if (bytes > arena->bytes - arena->cursor)
		arena->cursor = 0;
	void *at = (char *)arena->base + arena->cursor;
	arena->cursor += bytes;
	return at;
}

/* Fills memory from torch's own generator: kernels are timed on what they compute on, never on zeros. */
static int randomize(const struct mxt_torch *torch, const struct mxt_torch_arena *arena, struct mxt_error *err)
{
	struct mxt_tensor *all = NULL;
	int64_t count = (int64_t)(arena->bytes / mxt_dtype_bytes(arena->dtype));
	const struct mxt_tensor_shape shape = mxt_tensor_dense(1, &count);
	int rc = mxt_tensor_view(torch, arena->base, &shape, torch->dtype[arena->dtype], &all, err);
	if (rc < 0)
		return rc;
	rc = mxt_tensor_draw(torch, all, 1, err);
	mxt_tensor_destroy(torch, all);
	return rc;
}

static void empty(struct mxt_device *device, struct mxt_torch_arena *arena)
{
	device->platform->release(device->state, arena->base);
	arena->base = NULL;
	arena->bytes = arena->cursor = 0;
	arena->moves++;
}

/* A larger arena replaces the smaller one, which is gone first: both may not fit. */
static int grow(struct mxt_device *device, struct mxt_torch_arena *arena, size_t bytes, struct mxt_error *err)
{
	if (bytes <= arena->bytes)
		return 0;
	empty(device, arena);
	int rc = device->platform->allocate(device->state, bytes, &arena->base, err);
	if (rc < 0)
		return rc;
	arena->bytes = bytes;
	rc = arena->random ? randomize(&device->torch, arena, err) : 0;
	if (rc < 0)
		empty(device, arena);
	return rc;
}

static enum mxt_dtype dtype_of(const struct mxt_problem *problem)
{
	return problem->kind == MXT_PROBLEM_ATTENTION ? problem->as.attention.dtype : problem->as.gemm.dtype;
}

int mxt_torch_reserve(struct mxt_device *device, const struct mxt_task *task, struct mxt_error *err)
{
	enum mxt_dtype dtype = dtype_of(&task->problem);
	size_t windows = mxt_torch_windows(device, task);
	int rc = grow(device, &device->inputs[dtype], windows * task->input_bytes, err);
	return rc < 0 ? rc : grow(device, &device->outputs[dtype], windows * task->output_bytes, err);
}

void mxt_torch_device_release(struct mxt_device *device, struct mxt_task *task)
{
	if (!task)
		return;
	if (task->own)
		task->ops->finish(device, task);
	free(task);
}

int mxt_torch_device_prepare(struct mxt_device *device, const struct mxt_problem *problem, struct mxt_task **ret_task,
			     struct mxt_error *err)
{
	int rc = mxt_problem_features_check(problem, HANDLED, "torch's worker", err);
	if (rc < 0)
		return rc;
	struct mxt_task *task = calloc(1, sizeof *task);
	if (!task)
		return mxt_error_oom(err);
	task->problem = *problem;
	rc = problem->kind == MXT_PROBLEM_ATTENTION ? mxt_torch_attention_prepare(device, task, err)
						    : mxt_torch_gemm_prepare(device, task, err);
	if (rc < 0)
		mxt_torch_device_release(device, task);
	else
		*ret_task = task;
	return rc;
}

/* Half of a filler's traffic is read, half is written: torch's own copy of bytes, taken as float32. */
static int64_t filler_elements(const struct mxt_step *step)
{
	return (int64_t)(step->filler_bytes / 2 / sizeof(float));
}

static int run_filler(struct mxt_device *device, const struct mxt_step *step, struct mxt_error *err)
{
	const struct mxt_torch *torch = &device->torch;
	int64_t count = filler_elements(step);
	size_t bytes = mxt_torch_part((size_t)count * sizeof(float));
	const struct mxt_tensor_shape shape = mxt_tensor_dense(1, &count);
	struct mxt_tensor *from = NULL, *to = NULL;
	int rc = mxt_tensor_view(torch, mxt_torch_arena_next(&device->inputs[MXT_DTYPE_F32], bytes), &shape,
				 torch->dtype[MXT_DTYPE_F32], &from, err);
	if (rc == 0)
		rc = mxt_tensor_view(torch, mxt_torch_arena_next(&device->outputs[MXT_DTYPE_F32], bytes), &shape,
				     torch->dtype[MXT_DTYPE_F32], &to, err);
	if (rc == 0)
		rc = mxt_tensor_copy(torch, to, from, err);
	mxt_tensor_destroy(torch, from);
	mxt_tensor_destroy(torch, to);
	return rc;
}

static int reserve_step(struct mxt_device *device, const struct mxt_step *step, struct mxt_error *err)
{
	if (step->task)
		return mxt_torch_reserve(device, step->task, err);
	size_t bytes = mxt_torch_part((size_t)filler_elements(step) * sizeof(float));
	int rc = grow(device, &device->inputs[MXT_DTYPE_F32], bytes, err);
	return rc < 0 ? rc : grow(device, &device->outputs[MXT_DTYPE_F32], bytes, err);
}

/* First all memory, then what lies in it: a later step may make the arena of an earlier one move. */
static int ready_steps(struct mxt_device *device, const struct mxt_step *steps, size_t n_steps, struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < n_steps; i++)
		rc = reserve_step(device, &steps[i], err);
	for (size_t i = 0; rc == 0 && i < n_steps; i++)
		rc = steps[i].task ? steps[i].task->ops->ready(device, steps[i].task, err) : 0;
	return rc;
}

static int run_steps(struct mxt_device *device, const struct mxt_step *steps, size_t n_steps, struct mxt_error *err)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < n_steps; i++)
		rc = steps[i].task ? steps[i].task->ops->run(device, steps[i].task, err)
				   : run_filler(device, &steps[i], err);
	return rc;
}

int mxt_torch_device_time(struct mxt_device *device, const struct mxt_step *steps, size_t n_steps, uint32_t repeats,
			  uint64_t *ret_ns, struct mxt_error *err)
{
	uint64_t ns = 0;
	int rc = ready_steps(device, steps, n_steps, err);
	if (rc == 0)
		rc = device->platform->start(device->state, err);
	for (uint32_t i = 0; rc == 0 && i < repeats; i++)
		rc = run_steps(device, steps, n_steps, err);
	if (rc == 0)
		rc = device->platform->stop(device->state, &ns, err);
	if (rc == 0)
		*ret_ns = ns;
	return rc;
}

int mxt_torch_device_check(struct mxt_device *device, struct mxt_task *task, struct mxt_check *ret_check,
			   struct mxt_error *err)
{
	struct mxt_check check = {.error_ppb = UINT64_MAX};
	const struct mxt_step step = {task, 0};
	int rc = ready_steps(device, &step, 1, err);
	if (rc == 0)
		rc = task->ops->check(device, task, &check, err);
	if (rc == 0)
		*ret_check = check;
	return rc;
}

int mxt_torch_device_init(struct mxt_device *device, const struct mxt_device_target *target,
			  enum mxt_torch_backend backend, struct mxt_error *err)
{
	for (int i = 0; i < MXT_DTYPE_COUNT; i++) {
		device->inputs[i].random = true;
		device->inputs[i].dtype = device->outputs[i].dtype = (enum mxt_dtype)i;
	}
	int rc = mxt_torch_open(target->torch, backend, (int32_t)target->ordinal, &device->torch, err);
	if (rc < 0 || !target->deterministic)
		return rc;
	device->deterministic = true;
	return mxt_torch_be_deterministic(&device->torch, err);
}

void mxt_torch_device_finish(struct mxt_device *device)
{
	for (int i = 0; i < MXT_DTYPE_COUNT; i++) {
		empty(device, &device->inputs[i]);
		empty(device, &device->outputs[i]);
	}
	mxt_torch_close(&device->torch);
}

json_t *mxt_torch_device_facts(const struct mxt_device *device)
{
	const struct mxt_torch *torch = &device->torch;
	json_t *facts =
	    json_pack("{s:s, s:o, s:s}", "torch", torch->version.version, "abi",
		      json_sprintf("0x%016llx", (unsigned long long)torch->abi), "library", torch->cpu_library.file);
	if (!facts)
		return NULL;
	int rc = 0;
	if (torch->on_gpu)
		rc |= json_object_set_new(facts, "gpu_library", json_string(torch->gpu_library.file));
	if (torch->stand_in)
		rc |= json_object_set_new(facts, "stand_in", json_true());
	if (device->deterministic)
		rc |= json_object_set_new(facts, "deterministic", json_true());
	if (rc == 0)
		return facts;
	json_decref(facts);
	return NULL;
}

json_t *mxt_torch_switches(const char *const *selectors)
{
	json_t *set = json_object();
	for (; set && *selectors; selectors++) {
		const char *value = getenv(*selectors);
		if (value && json_object_set_new(set, *selectors, json_string(value)) < 0) {
			json_decref(set);
			return NULL;
		}
	}
	return set;
}
