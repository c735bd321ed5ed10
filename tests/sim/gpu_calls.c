/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What NVIDIA's CUDA runtime (cuda_runtime_api.h of CUDA 13.0) and AMD's (hip_runtime_api.h of ROCm 5 to 7) have in
 * common, built once for each with SIM_PREFIX "cuda" or "hip": device memory is host memory, one stream, and events
 * that carry the simulated clock. Statuses are cudaError_t or hipError_t, which agree as far as they are used.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "sim_runtime.h"
#include "sim_scenario.h"

#define JOIN(prefix, name)   prefix##name
#define JOINED(prefix, name) JOIN(prefix, name)
#define CALL(name)           JOINED(SIM_PREFIX, name)

enum {
	SUCCESS = 0,
	INVALID_VALUE = 1,
	MEMORY_ALLOCATION = 2,
	NO_DEVICE = 100,
	INVALID_DEVICE = 101,
	INVALID_HANDLE = 400,
	LAUNCH_FAILURE = 719
};

enum { ON_DEVICE = 3 }; /* a kind of copy */

struct mxt_sim_event { /* what an event handle points to */
	double ns;
	bool recorded;
};

MXT_SIM_EXPORT int CALL(GetDeviceCount)(int *count);
MXT_SIM_EXPORT int CALL(SetDevice)(int device);
MXT_SIM_EXPORT int CALL(GetDevice)(int *device);
MXT_SIM_EXPORT int CALL(DeviceSynchronize)(void);
MXT_SIM_EXPORT int CALL(GetLastError)(void);
MXT_SIM_EXPORT const char *CALL(GetErrorString)(int status);
MXT_SIM_EXPORT const char *CALL(GetErrorName)(int status);
MXT_SIM_EXPORT int CALL(EventCreate)(struct mxt_sim_event **event);
MXT_SIM_EXPORT int CALL(EventCreateWithFlags)(struct mxt_sim_event **event, unsigned flags);
MXT_SIM_EXPORT int CALL(EventRecord)(struct mxt_sim_event *event, void *stream);
MXT_SIM_EXPORT int CALL(EventSynchronize)(struct mxt_sim_event *event);
MXT_SIM_EXPORT int CALL(EventElapsedTime)(float *ms, struct mxt_sim_event *start, struct mxt_sim_event *end);
MXT_SIM_EXPORT int CALL(EventDestroy)(struct mxt_sim_event *event);
MXT_SIM_EXPORT int CALL(Malloc)(void **memory, size_t bytes);
MXT_SIM_EXPORT int CALL(Free)(void *memory);
MXT_SIM_EXPORT int CALL(Memcpy)(void *to, const void *from, size_t bytes, int kind);
MXT_SIM_EXPORT int CALL(Memset)(void *to, int value, size_t bytes);
MXT_SIM_EXPORT int CALL(MemGetInfo)(size_t *free_bytes, size_t *total_bytes);

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

/* The last status of a call, for GetLastError: a process has one device and one caller. */
static int last_status;

static int leave(int status)
{
	last_status = status ? status : last_status;
	return status;
}

/* A missing driver and a machine without devices are told without using the device. */
int CALL(GetDeviceCount)(int *count)
{
	const struct mxt_sim_device *device = &mxt_sim_scenario()->device;
	bool absent = device->status == 35 || device->status == NO_DEVICE;
	*count = absent ? 0 : mxt_sim_device_count();
	return leave(absent ? device->status : *count > 0 ? SUCCESS : NO_DEVICE);
}

int CALL(SetDevice)(int device)
{
	int status = mxt_sim_device_status();
	if (status == SUCCESS && (device < 0 || device >= mxt_sim_device_count()))
		status = INVALID_DEVICE;
	return leave(status);
}

int CALL(GetDevice)(int *device)
{
	*device = 0;
	return leave(mxt_sim_device_status());
}

int CALL(DeviceSynchronize)(void)
{
	int status = enter("synchronize");
	mxt_sim_synchronize();
	return leave(status);
}

int CALL(GetLastError)(void)
{
	int status = last_status;
	last_status = SUCCESS;
	return status;
}

const char *CALL(GetErrorString)(int status)
{
	return mxt_sim_error_text(status);
}

const char *CALL(GetErrorName)(int status)
{
	return mxt_sim_error_name(status);
}

int CALL(EventCreate)(struct mxt_sim_event **event)
{
	return CALL(EventCreateWithFlags)(event, 0);
}

int CALL(EventCreateWithFlags)(struct mxt_sim_event **event, unsigned flags)
{
	(void)flags;
	int status = mxt_sim_device_status();
	if (status)
		return leave(status);
	*event = calloc(1, sizeof **event);
	return leave(*event ? SUCCESS : MEMORY_ALLOCATION);
}

int CALL(EventRecord)(struct mxt_sim_event *event, void *stream)
{
	(void)stream;
	int status = event ? enter("event.record") : INVALID_HANDLE;
	if (status == SUCCESS)
		*event = (struct mxt_sim_event){mxt_sim_now_ns(), true};
	return leave(status);
}

int CALL(EventSynchronize)(struct mxt_sim_event *event)
{
	int status = event ? enter("synchronize") : INVALID_HANDLE;
	mxt_sim_synchronize();
	return leave(status);
}

int CALL(EventElapsedTime)(float *ms, struct mxt_sim_event *start, struct mxt_sim_event *end)
{
	if (!start || !end || !start->recorded || !end->recorded)
		return leave(INVALID_HANDLE);
	int status = enter("event.elapsed");
	if (status == SUCCESS)
		*ms = (float)((end->ns - start->ns) / 1e6);
	return leave(status);
}

int CALL(EventDestroy)(struct mxt_sim_event *event)
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

int CALL(Malloc)(void **memory, size_t bytes)
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

int CALL(Free)(void *memory)
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

/* A copy on the device takes as long as the host needs for it: who times one by both clocks finds them to agree. */
int CALL(Memcpy)(void *to, const void *from, size_t bytes, int kind)
{
	int status = kind < 0 || kind > 4 ? INVALID_VALUE : enter("memcpy");
	if (status)
		return leave(status);
	uint64_t began_ns = mxt_now_ns(&mxt_clock_monotonic);
	memmove(to, from, bytes);
	if (kind == ON_DEVICE)
		mxt_sim_wait((double)(mxt_now_ns(&mxt_clock_monotonic) - began_ns));
	else
		mxt_sim_move(bytes);
	mxt_sim_synchronize();
	return SUCCESS;
}

/* Whole pages of zeros need not be written: the kernel has new ones. Device memory is private to the process. */
static void zero(char *to, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (page - (uintptr_t)to % page) % page;
	size_t whole = bytes > before ? (bytes - before) / page * page : 0;
	if (whole == 0 || madvise(to + before, whole, MADV_DONTNEED) != 0) {
		memset(to, 0, bytes);
		return;
	}
	memset(to, 0, before);
	memset(to + before + whole, 0, bytes - before - whole);
}

int CALL(Memset)(void *to, int value, size_t bytes)
{
	int status = enter("memcpy");
	if (status)
		return leave(status);
	if (value == 0)
		zero(to, bytes);
	else
		memset(to, value, bytes);
	mxt_sim_move(bytes);
	return SUCCESS;
}

int CALL(MemGetInfo)(size_t *free_bytes, size_t *total_bytes)
{
	int status = mxt_sim_device_status();
	if (status == SUCCESS) {
		*free_bytes = mxt_sim_memory_free();
		*total_bytes = (size_t)mxt_sim_scenario()->device.memory_bytes;
	}
	return leave(status);
}
