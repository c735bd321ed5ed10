/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for NVIDIA's CUDA runtime (cuda_runtime_api.h of CUDA 13.0): device memory is host memory, one stream, and
 * events that carry the simulated clock. Statuses are cudaError_t.
 */
#include <stdlib.h>
#include <string.h>

#include "sim_runtime.h"
#include "sim_scenario.h"

#ifndef SIM_CUDART_VERSION
#define SIM_CUDART_VERSION 13000
#endif

enum {
	SUCCESS = 0,
	INVALID_VALUE = 1,
	MEMORY_ALLOCATION = 2,
	NO_DEVICE = 100,
	INVALID_DEVICE = 101,
	INVALID_HANDLE = 400,
	LAUNCH_FAILURE = 719
};

struct mxt_sim_event { /* what a cudaEvent_t points to */
	double ns;
	bool recorded;
};

MXT_SIM_EXPORT int cudaGetDeviceCount(int *count);
MXT_SIM_EXPORT int cudaSetDevice(int device);
MXT_SIM_EXPORT int cudaGetDevice(int *device);
MXT_SIM_EXPORT int cudaDeviceGetAttribute(int *value, int attribute, int device);
MXT_SIM_EXPORT int cudaRuntimeGetVersion(int *version);
MXT_SIM_EXPORT int cudaDriverGetVersion(int *version);
MXT_SIM_EXPORT int cudaDeviceSynchronize(void);
MXT_SIM_EXPORT int cudaGetLastError(void);
MXT_SIM_EXPORT const char *cudaGetErrorString(int status);
MXT_SIM_EXPORT const char *cudaGetErrorName(int status);
MXT_SIM_EXPORT int cudaEventCreate(struct mxt_sim_event **event);
MXT_SIM_EXPORT int cudaEventCreateWithFlags(struct mxt_sim_event **event, unsigned flags);
MXT_SIM_EXPORT int cudaEventRecord(struct mxt_sim_event *event, void *stream);
MXT_SIM_EXPORT int cudaEventSynchronize(struct mxt_sim_event *event);
MXT_SIM_EXPORT int cudaEventElapsedTime(float *ms, struct mxt_sim_event *start, struct mxt_sim_event *end);
MXT_SIM_EXPORT int cudaEventDestroy(struct mxt_sim_event *event);
MXT_SIM_EXPORT int cudaMalloc(void **memory, size_t bytes);
MXT_SIM_EXPORT int cudaFree(void *memory);
MXT_SIM_EXPORT int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
MXT_SIM_EXPORT int cudaMemset(void *to, int value, size_t bytes);
MXT_SIM_EXPORT int cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);

/* What a call at a site answers before it does its work. */
static int enter(const char *site)
{
	int status = mxt_sim_device_status();
	if (status)
		return status;
	struct mxt_sim_outcome outcome = mxt_sim_enter(site);
	if (!(outcome.effects & MXT_SIM_FAIL))
		return SUCCESS;
	return outcome.code > 0 ? outcome.code : LAUNCH_FAILURE;
}

/* The last status of a call, for cudaGetLastError: a process has one device and one caller. */
static int last_status;

static int leave(int status)
{
	last_status = status ? status : last_status;
	return status;
}

/* A missing driver and a machine without devices are told without using the device. */
int cudaGetDeviceCount(int *count)
{
	const struct mxt_sim_device *device = &mxt_sim_scenario()->device;
	bool absent = device->status == 35 || device->status == NO_DEVICE;
	*count = absent ? 0 : device->count;
	return leave(absent ? device->status : SUCCESS);
}

int cudaSetDevice(int device)
{
	int status = mxt_sim_device_status();
	if (status == SUCCESS && (device < 0 || device >= mxt_sim_scenario()->device.count))
		status = INVALID_DEVICE;
	return leave(status);
}

int cudaGetDevice(int *device)
{
	*device = 0;
	return leave(mxt_sim_device_status());
}

/* The numbers are those of enum cudaDeviceAttr. */
int cudaDeviceGetAttribute(int *value, int attribute, int device)
{
	const struct mxt_sim_device *card = &mxt_sim_scenario()->device;
	const struct {
		int attribute, value;
	} rows[] = {
	    {10, 32},      {13, 1980000}, {16, card->multiprocessors}, {20, card->compute_mode}, {32, 1},
	    {36, 3201000}, {37, 6144},    {38, (int)card->l2_bytes},   {75, card->major},        {76, card->minor},
	};
	if (device < 0 || device >= card->count)
		return leave(INVALID_DEVICE);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (rows[i].attribute == attribute) {
			*value = rows[i].value;
			return leave(card->status == 35 || card->status == NO_DEVICE ? card->status : SUCCESS);
		}
	return leave(INVALID_VALUE);
}

int cudaRuntimeGetVersion(int *version)
{
	int wanted = mxt_sim_scenario()->device.runtime_version;
	*version = wanted < 0 ? SIM_CUDART_VERSION : wanted;
	return SUCCESS;
}

int cudaDriverGetVersion(int *version)
{
	const struct mxt_sim_device *device = &mxt_sim_scenario()->device;
	*version = device->status == 35 ? 0 : device->driver_version;
	return SUCCESS;
}

int cudaDeviceSynchronize(void)
{
	int status = enter("synchronize");
	mxt_sim_synchronize();
	return leave(status);
}

int cudaGetLastError(void)
{
	int status = last_status;
	last_status = SUCCESS;
	return status;
}

const char *cudaGetErrorString(int status)
{
	return mxt_sim_error_text(status);
}

const char *cudaGetErrorName(int status)
{
	return mxt_sim_error_name(status);
}

int cudaEventCreate(struct mxt_sim_event **event)
{
	return cudaEventCreateWithFlags(event, 0);
}

int cudaEventCreateWithFlags(struct mxt_sim_event **event, unsigned flags)
{
	(void)flags;
	int status = mxt_sim_device_status();
	if (status)
		return leave(status);
	*event = calloc(1, sizeof **event);
	return leave(*event ? SUCCESS : MEMORY_ALLOCATION);
}

int cudaEventRecord(struct mxt_sim_event *event, void *stream)
{
	(void)stream;
	int status = event ? enter("event.record") : INVALID_HANDLE;
	if (status == SUCCESS)
		*event = (struct mxt_sim_event){mxt_sim_now_ns(), true};
	return leave(status);
}

int cudaEventSynchronize(struct mxt_sim_event *event)
{
	int status = event ? enter("synchronize") : INVALID_HANDLE;
	mxt_sim_synchronize();
	return leave(status);
}

int cudaEventElapsedTime(float *ms, struct mxt_sim_event *start, struct mxt_sim_event *end)
{
	if (!start || !end || !start->recorded || !end->recorded)
		return leave(INVALID_HANDLE);
	int status = enter("event.elapsed");
	if (status == SUCCESS)
		*ms = (float)((end->ns - start->ns) / 1e6);
	return leave(status);
}

int cudaEventDestroy(struct mxt_sim_event *event)
{
	free(event);
	return leave(event ? SUCCESS : INVALID_HANDLE);
}

/* The size stands before the memory, which is aligned as the real one is, so that freeing can give it back. */
#define HEAD_BYTES ((size_t)256)

static size_t whole_lines(size_t bytes)
{
	return (bytes + HEAD_BYTES - 1) / HEAD_BYTES * HEAD_BYTES;
}

int cudaMalloc(void **memory, size_t bytes)
{
	int status = enter("alloc");
	if (status)
		return leave(status);
	if (bytes >= MXT_SIM_MOST_BYTES || !mxt_sim_memory_take(bytes))
		return leave(MEMORY_ALLOCATION);
	char *head = aligned_alloc(HEAD_BYTES, whole_lines(bytes) + HEAD_BYTES);
	if (!head) {
		mxt_sim_memory_give(bytes);
		return leave(MEMORY_ALLOCATION);
	}
	memcpy(head, &bytes, sizeof bytes);
	*memory = head + HEAD_BYTES;
	return SUCCESS;
}

int cudaFree(void *memory)
{
	size_t bytes;
	if (!memory)
		return leave(mxt_sim_device_status());
	char *head = (char *)memory - HEAD_BYTES;
	memcpy(&bytes, head, sizeof bytes);
	mxt_sim_memory_give(bytes);
	free(head);
	return leave(mxt_sim_device_status());
}

int cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
	int status = kind < 0 || kind > 4 ? INVALID_VALUE : enter("memcpy");
	if (status)
		return leave(status);
	memmove(to, from, bytes);
	mxt_sim_move(bytes);
	mxt_sim_synchronize();
	return SUCCESS;
}

int cudaMemset(void *to, int value, size_t bytes)
{
	int status = enter("memcpy");
	if (status)
		return leave(status);
	memset(to, value, bytes);
	mxt_sim_move(bytes);
	return SUCCESS;
}

int cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
	int status = mxt_sim_device_status();
	if (status == SUCCESS) {
		*free_bytes = mxt_sim_memory_free();
		*total_bytes = (size_t)mxt_sim_scenario()->device.memory_bytes;
	}
	return leave(status);
}
