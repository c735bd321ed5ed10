/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_runtime.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "error.h"

#define NS_PER_MS_DOUBLE 1e6
#define LEAD_BYTES       ((size_t)384 << 20)

static const struct mxt_dl_row rows[] = {
#define MXT_CUDART_SYMBOL(type, symbol, arguments, required, since)                                                    \
	MXT_DL_ROW(struct mxt_cudart, symbol, required, since)
#include "cudart.def"
#undef MXT_CUDART_SYMBOL
};

static int failed(const struct mxt_cuda_runtime *runtime, enum mxt_cudart_status status, const char *what,
		  struct mxt_error *err)
{
	(void)runtime->call.cudaGetLastError(); /* it would be reported again, by the next call that looks */
	return mxt_error_set(err, status == MXT_CUDART_OUT_OF_MEMORY ? -ENOMEM : -EIO, MXT_E_CUDA_CALL,
			     "the CUDA runtime cannot %s: %s (error %d)", what,
			     runtime->call.cudaGetErrorString(status), (int)status);
}

static int take_device(struct mxt_cuda_runtime *runtime, struct mxt_error *err)
{
	int count = 0;
	enum mxt_cudart_status status = runtime->call.cudaGetDeviceCount(&count);
	if (status == MXT_CUDART_SUCCESS && runtime->device >= count)
		return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE, "there is no CUDA device %d: this process sees %d",
				     runtime->device, count);
	if (status == MXT_CUDART_SUCCESS)
		status = runtime->call.cudaSetDevice(runtime->device);
	if (status == MXT_CUDART_SUCCESS)
		status = runtime->call.cudaFree(NULL); /* creates the context, which is when a busy device refuses */
	if (status == MXT_CUDART_SUCCESS)
		return 0;
	return mxt_error_set(err, -ENODEV, MXT_E_NO_DEVICE,
			     "CUDA device %d cannot be used: %s (error %d); see mindxtrain doctor", runtime->device,
			     runtime->call.cudaGetErrorString(status), (int)status);
}

static int create_events(struct mxt_cuda_runtime *runtime, struct mxt_error *err)
{
	enum mxt_cudart_status status = runtime->call.cudaEventCreate(&runtime->start);
	if (status == MXT_CUDART_SUCCESS)
		status = runtime->call.cudaEventCreate(&runtime->stop);
	if (status == MXT_CUDART_SUCCESS && runtime->call.cudaMemsetAsync &&
	    runtime->call.cudaMalloc(&runtime->lead, LEAD_BYTES) != MXT_CUDART_SUCCESS) {
		(void)runtime->call.cudaGetLastError(); /* without it the first call's overhead counts */
		runtime->lead = NULL;
	}
	return status == MXT_CUDART_SUCCESS ? 0 : failed(runtime, status, "create an event", err);
}

int mxt_cuda_runtime_open(const char *cuda, int device, struct mxt_cuda_runtime *ret_runtime, struct mxt_error *err)
{
	char name[32]; /* its name is that of a library that is loaded already: the loader looks no further */
	(void)snprintf(name, sizeof name, "libcudart.so.%.*s", (int)strcspn(cuda, "."), cuda);
	const char *const names[] = {name, NULL};
	const struct mxt_dl_library library = {
	    .title = "the CUDA runtime", .names = names, .rows = rows, .n_rows = MXT_ARRAY_LEN(rows), .global = false};
	struct mxt_cuda_runtime runtime = {.device = device};
	int rc = mxt_dl_open(&library, &runtime.call, &runtime.library, err);
	if (rc < 0)
		return rc;
	rc = take_device(&runtime, err);
	if (rc == 0)
		rc = create_events(&runtime, err);
	if (rc < 0)
		mxt_cuda_runtime_close(&runtime);
	else
		*ret_runtime = runtime;
	return rc;
}

void mxt_cuda_runtime_close(struct mxt_cuda_runtime *runtime)
{
	if (runtime->start)
		(void)runtime->call.cudaEventDestroy(runtime->start);
	if (runtime->stop)
		(void)runtime->call.cudaEventDestroy(runtime->stop);
	if (runtime->lead)
		(void)runtime->call.cudaFree(runtime->lead);
	mxt_dl_close(&runtime->library);
	*runtime = (struct mxt_cuda_runtime){.start = NULL};
}

int mxt_cuda_attribute(const struct mxt_cuda_runtime *runtime, enum mxt_cuda_attribute attribute)
{
	int value = 0;
	enum mxt_cudart_status status = runtime->call.cudaDeviceGetAttribute(&value, attribute, runtime->device);
	return status == MXT_CUDART_SUCCESS && value > 0 ? value : 0;
}

/* ---- platform ---- */

static uint64_t memory_left(void *state)
{
	const struct mxt_cuda_runtime *runtime = state;
	size_t free_bytes = 0, total = 0;
	return runtime->call.cudaMemGetInfo(&free_bytes, &total) == MXT_CUDART_SUCCESS ? free_bytes : UINT64_MAX;
}

static int allocate(void *state, size_t bytes, void **ret_data, struct mxt_error *err)
{
	const struct mxt_cuda_runtime *runtime = state;
	void *data = NULL;
	enum mxt_cudart_status status = runtime->call.cudaMalloc(&data, bytes);
	if (status == MXT_CUDART_OUT_OF_MEMORY) {
		(void)runtime->call.cudaGetLastError();
		return mxt_error_set(err, -ENOMEM, MXT_E_OPERANDS_TOO_LARGE,
				     "its operands take %zu MiB more, and this device has %llu MiB left", bytes >> 20,
				     (unsigned long long)memory_left(state) >> 20);
	}
	if (status != MXT_CUDART_SUCCESS)
		return failed(runtime, status, "allocate memory", err);
	*ret_data = data;
	return 0;
}

static void release(void *state, void *data)
{
	const struct mxt_cuda_runtime *runtime = state;
	if (data && runtime)
		(void)runtime->call.cudaFree(data);
}

/*
 * The device is kept busy for some 0.1 ms before its clock is read: meanwhile the calls that are timed are queued
 * behind it, and what the host needs to issue the first of them does not count as device time.
 */
static int start(void *state, struct mxt_error *err)
{
	const struct mxt_cuda_runtime *runtime = state;
	enum mxt_cudart_status status = MXT_CUDART_SUCCESS;
	if (runtime->lead)
		status = runtime->call.cudaMemsetAsync(runtime->lead, 0, LEAD_BYTES, NULL);
	if (status == MXT_CUDART_SUCCESS)
		status = runtime->call.cudaEventRecord(runtime->start, NULL);
	return status == MXT_CUDART_SUCCESS ? 0 : failed(runtime, status, "record an event", err);
}

/* Waits: what a kernel did wrong shows here at the latest. */
static int stop(void *state, uint64_t *ret_ns, struct mxt_error *err)
{
	const struct mxt_cuda_runtime *runtime = state;
	float ms = 0;
	enum mxt_cudart_status status = runtime->call.cudaEventRecord(runtime->stop, NULL);
	if (status == MXT_CUDART_SUCCESS)
		status = runtime->call.cudaEventSynchronize(runtime->stop);
	if (status == MXT_CUDART_SUCCESS)
		status = runtime->call.cudaGetLastError();
	if (status == MXT_CUDART_SUCCESS)
		status = runtime->call.cudaEventElapsedTime(&ms, runtime->start, runtime->stop);
	if (status != MXT_CUDART_SUCCESS)
		return failed(runtime, status, "finish the kernels that were timed", err);
	if (!(ms >= 0))
		return mxt_error_set(err, -EIO, MXT_E_DEVICE_TIME, "the CUDA runtime reports a time of %g ms",
				     (double)ms);
	*ret_ns = (uint64_t)((double)ms * NS_PER_MS_DOUBLE);
	return 0;
}

static int fetch(void *state, void *host, const void *data, size_t bytes, struct mxt_error *err)
{
	const struct mxt_cuda_runtime *runtime = state;
	enum mxt_cudart_status status = runtime->call.cudaMemcpy(host, data, bytes, MXT_CUDART_TO_HOST);
	return status == MXT_CUDART_SUCCESS ? 0 : failed(runtime, status, "copy results to the host", err);
}

const struct mxt_torch_platform mxt_cuda_platform = {"cuda", allocate, release, start, stop, fetch, memory_left};
