/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu_runtime.h"

#include <errno.h>
#include <stdlib.h>

#include "cuda_attribute.h"
#include "error.h"

#define NS_PER_MS_DOUBLE 1e6
#define LEAD_BYTES       ((size_t)384 << 20)
#define SKEW_MS          0.05F

static const struct mxt_dl_row cudart_rows[] = {
#define MXT_GPU_SYMBOL(member, symbol, required, since)                                                                \
	MXT_DL_ROW_AS(struct mxt_gpu_calls, member, symbol, required, since)
#include "cudart.def"
#undef MXT_GPU_SYMBOL
};

static const struct mxt_dl_row hip_rows[] = {
#define MXT_GPU_SYMBOL(member, symbol, required, since)                                                                \
	MXT_DL_ROW_AS(struct mxt_gpu_calls, member, symbol, required, since)
#include "hip.def"
#undef MXT_GPU_SYMBOL
};

const struct mxt_gpu_dialect mxt_cudart = {
    .title = "the CUDA runtime",
    .device = "CUDA device",
    .refused = MXT_E_CUDA_CALL,
    .runtime_fact = "cuda_runtime",
    .driver_fact = "cuda_driver",
    .rows = cudart_rows,
    .n_rows = MXT_ARRAY_LEN(cudart_rows),
    .units = (enum mxt_gpu_attribute)MXT_CUDA_MULTIPROCESSOR_COUNT,
    .l2_bytes = (enum mxt_gpu_attribute)MXT_CUDA_L2_BYTES,
    .compute_major = (enum mxt_gpu_attribute)MXT_CUDA_COMPUTE_MAJOR,
};

/*
 * HIP 7 remembers an error until it is asked for, as CUDA does; older ones tell of the last call only. AMD's libraries
 * look for a kernel in one file after the other, and some leave the error of those that have it not.
 */
static const enum mxt_gpu_status hip_left_behind[] = {MXT_GPU_INVALID_IMAGE, MXT_GPU_NO_BINARY, MXT_GPU_FILE_NOT_FOUND,
						      MXT_GPU_NOT_FOUND};

const struct mxt_gpu_dialect mxt_hip_runtime = {
    .title = "the HIP runtime",
    .device = "HIP device",
    .refused = MXT_E_HIP_CALL,
    .runtime_fact = "hip_runtime",
    .driver_fact = "hip_driver",
    .rows = hip_rows,
    .n_rows = MXT_ARRAY_LEN(hip_rows),
    .units = (enum mxt_gpu_attribute)MXT_HIP_UNITS,
    .l2_bytes = (enum mxt_gpu_attribute)MXT_HIP_L2_BYTES,
    .compute_major = (enum mxt_gpu_attribute)MXT_HIP_COMPUTE_MAJOR,
    .left_behind = hip_left_behind,
    .n_left_behind = MXT_ARRAY_LEN(hip_left_behind),
};

int mxt_gpu_result(const struct mxt_gpu_runtime *runtime, enum mxt_gpu_status status, const char *what,
		   struct mxt_error *err)
{
	if (status == MXT_GPU_SUCCESS)
		return 0;
	(void)runtime->call.last_error(); /* it would be reported again, by the next call that looks */
	return mxt_error_set(err, status == MXT_GPU_OUT_OF_MEMORY ? -ENOMEM : -EIO, runtime->dialect->refused,
			     "%s cannot %s: %s (error %d)", runtime->dialect->title, what,
			     runtime->call.error_text(status), (int)status);
}

static int take_device(struct mxt_gpu_runtime *runtime, struct mxt_error *err)
{
	int count = 0;
	enum mxt_gpu_status status = runtime->call.device_count(&count);
	if (status == MXT_GPU_SUCCESS && runtime->device >= count)
		return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE, "there is no %s %d: this process sees %d",
				     runtime->dialect->device, runtime->device, count);
	if (status == MXT_GPU_SUCCESS)
		status = runtime->call.set_device(runtime->device);
	if (status == MXT_GPU_SUCCESS)
		status = runtime->call.release(NULL); /* creates the context, which is when a busy device refuses */
	if (status == MXT_GPU_SUCCESS)
		return 0;
	return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE,
			     "%s %d cannot be used: %s (error %d); see mindxtrain doctor", runtime->dialect->device,
			     runtime->device, runtime->call.error_text(status), (int)status);
}

static int create_events(struct mxt_gpu_runtime *runtime, struct mxt_error *err)
{
	enum mxt_gpu_status status = runtime->call.event_create(&runtime->start);
	if (status == MXT_GPU_SUCCESS)
		status = runtime->call.event_create(&runtime->stop);
	if (status == MXT_GPU_SUCCESS && runtime->call.fill_async &&
	    runtime->call.allocate(&runtime->lead, LEAD_BYTES) != MXT_GPU_SUCCESS) {
		(void)runtime->call.last_error(); /* without it the first call's overhead counts */
		runtime->lead = NULL;
	}
	return mxt_gpu_result(runtime, status, "create an event", err);
}

int mxt_gpu_runtime_open(const struct mxt_gpu_dialect *dialect, const char *const *names, int device,
			 struct mxt_gpu_runtime *ret_runtime, struct mxt_error *err)
{
	const struct mxt_dl_library library = {
	    .title = dialect->title, .names = names, .rows = dialect->rows, .n_rows = dialect->n_rows, .global = false};
	struct mxt_gpu_runtime runtime = {.dialect = dialect, .device = device};
	int rc = mxt_dl_open(&library, &runtime.call, &runtime.library, err);
	if (rc < 0)
		return rc;
	rc = take_device(&runtime, err);
	if (rc == 0)
		rc = create_events(&runtime, err);
	if (rc < 0)
		mxt_gpu_runtime_close(&runtime);
	else
		*ret_runtime = runtime;
	return rc;
}

void mxt_gpu_runtime_close(struct mxt_gpu_runtime *runtime)
{
	if (runtime->start)
		(void)runtime->call.event_destroy(runtime->start);
	if (runtime->stop)
		(void)runtime->call.event_destroy(runtime->stop);
	if (runtime->lead)
		(void)runtime->call.release(runtime->lead);
	mxt_dl_close(&runtime->library);
	*runtime = (struct mxt_gpu_runtime){.start = NULL};
}

int mxt_gpu_attribute(const struct mxt_gpu_runtime *runtime, enum mxt_gpu_attribute attribute)
{
	int value = 0;
	enum mxt_gpu_status status = runtime->call.attribute(&value, attribute, runtime->device);
	return status == MXT_GPU_SUCCESS && value > 0 ? value : 0;
}

enum mxt_gpu_status mxt_gpu_elapsed(const struct mxt_gpu_runtime *runtime, float *ret_ms)
{
	enum mxt_gpu_status status = runtime->call.event_elapsed(ret_ms, runtime->start, runtime->stop);
	if (status == MXT_GPU_SUCCESS && *ret_ms < 0 && *ret_ms > -SKEW_MS)
		*ret_ms = 0;
	return status;
}

/* ---- platform ---- */

static uint64_t memory_left(void *state)
{
	const struct mxt_gpu_runtime *runtime = state;
	size_t free_bytes = 0, total = 0;
	return runtime->call.memory_info(&free_bytes, &total) == MXT_GPU_SUCCESS ? free_bytes : UINT64_MAX;
}

static int allocate(void *state, size_t bytes, void **ret_data, struct mxt_error *err)
{
	const struct mxt_gpu_runtime *runtime = state;
	void *data = NULL;
	enum mxt_gpu_status status = runtime->call.allocate(&data, bytes);
	if (status == MXT_GPU_OUT_OF_MEMORY) {
		(void)runtime->call.last_error();
		return mxt_error_set(err, -ENOMEM, MXT_E_OPERANDS_TOO_LARGE,
				     "its operands take %zu MiB more, and this device has %llu MiB left", bytes >> 20,
				     (unsigned long long)memory_left(state) >> 20);
	}
	if (status != MXT_GPU_SUCCESS)
		return mxt_gpu_result(runtime, status, "allocate memory", err);
	*ret_data = data;
	return 0;
}

static void release(void *state, void *data)
{
	const struct mxt_gpu_runtime *runtime = state;
	if (data && runtime)
		(void)runtime->call.release(data);
}

/*
 * The device is kept busy for some 0.1 ms before its clock is read: meanwhile the calls that are timed are queued
 * behind it, and what the host needs to issue the first of them does not count as device time. An error that an earlier
 * call left behind, and whose caller did not mind it, is not one of those.
 */
static int start(void *state, struct mxt_error *err)
{
	const struct mxt_gpu_runtime *runtime = state;
	enum mxt_gpu_status status = MXT_GPU_SUCCESS;
	(void)runtime->call.last_error();
	if (runtime->lead)
		status = runtime->call.fill_async(runtime->lead, 0, LEAD_BYTES, NULL);
	if (status == MXT_GPU_SUCCESS)
		status = runtime->call.event_record(runtime->start, NULL);
	return mxt_gpu_result(runtime, status, "record an event", err);
}

/* The error that a call left behind, but for those that say nothing of kernels. */
static enum mxt_gpu_status last_error(const struct mxt_gpu_runtime *runtime)
{
	enum mxt_gpu_status status = runtime->call.last_error();
	for (size_t i = 0; i < runtime->dialect->n_left_behind; i++)
		if (status == runtime->dialect->left_behind[i])
			return MXT_GPU_SUCCESS;
	return status;
}

/* Waits: what a kernel did wrong shows here at the latest. */
static int stop(void *state, uint64_t *ret_ns, struct mxt_error *err)
{
	const struct mxt_gpu_runtime *runtime = state;
	float ms = 0;
	enum mxt_gpu_status status = runtime->call.event_record(runtime->stop, NULL);
	if (status == MXT_GPU_SUCCESS)
		status = runtime->call.event_synchronize(runtime->stop);
	if (status == MXT_GPU_SUCCESS)
		status = last_error(runtime);
	if (status == MXT_GPU_SUCCESS)
		status = mxt_gpu_elapsed(runtime, &ms);
	if (status != MXT_GPU_SUCCESS)
		return mxt_gpu_result(runtime, status, "finish the kernels that were timed", err);
	if (!(ms >= 0))
		return mxt_error_set(err, -EIO, MXT_E_DEVICE_TIME, "%s reports a time of %g ms",
				     runtime->dialect->title, (double)ms);
	*ret_ns = (uint64_t)((double)ms * NS_PER_MS_DOUBLE);
	return 0;
}

static int fetch(void *state, void *host, const void *data, size_t bytes, struct mxt_error *err)
{
	const struct mxt_gpu_runtime *runtime = state;
	enum mxt_gpu_status status = runtime->call.copy(host, data, bytes, MXT_GPU_TO_HOST);
	return mxt_gpu_result(runtime, status, "copy results to the host", err);
}

const struct mxt_torch_platform mxt_cuda_platform = {"cuda", allocate, release, start, stop, fetch, memory_left};
const struct mxt_torch_platform mxt_hip_platform = {"hip", allocate, release, start, stop, fetch, memory_left};

void mxt_gpu_device_destroy(struct mxt_device *device)
{
	struct mxt_gpu_runtime *runtime = device ? device->state : NULL;
	if (!device)
		return;
	mxt_torch_device_finish(device);
	if (runtime)
		mxt_gpu_runtime_close(runtime);
	free(runtime);
	free(device);
}
