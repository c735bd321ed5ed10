/* SPDX-License-Identifier: Apache-2.0 */
#include "clock_test.h"

#include "clock.h"
#include "error.h"
#include "first_contact.h"
#include "gpu_runtime.h"

#define COPY_BYTES ((size_t)16 << 20)
#define LONG_NS    (4 * MXT_NS_PER_MS) /* beside it, what a call costs the host counts for little */
#define MOST       4096                /* copies */
#define TRIES      5

/* Of the fastest memory that may be meant: the second-level caches of an MI300X move 34 TB/s at their best. */
#define MOST_BYTES_PER_NS 40000

/* Events that end at the same time as the host's reading, by clocks of their own. */
#define SLACK_NS 50000

int mxt_clock_test_judge(const struct mxt_clock_reading *reading, struct mxt_error *err)
{
	static const char assumption[] = "the clock of HIP's events ticks in milliseconds";
	unsigned long long device_us = reading->device_ns / 1000, host_us = reading->host_ns / 1000;
	unsigned long long mib = reading->bytes >> 20;
	if (reading->device_ns > reading->host_ns + reading->host_ns / 20 + SLACK_NS)
		return mxt_first_contact_failed(err, assumption,
						"copies that moved %llu MiB took %llu us by events, and no more than "
						"%llu us by the host's clock",
						mib, device_us, host_us);
	if (reading->device_ns < reading->host_ns / 4)
		return mxt_first_contact_failed(err, assumption,
						"copies that moved %llu MiB took %llu us by events, and %llu us by the "
						"host's clock",
						mib, device_us, host_us);
	if (reading->bytes / MOST_BYTES_PER_NS > reading->device_ns)
		return mxt_first_contact_failed(err, "a copy moves what it is told to",
						"%llu MiB in %llu us is more than any memory moves", mib, device_us);
	return 0;
}

/* After what was queued with `status`. */
static enum mxt_gpu_status finish(const struct mxt_gpu_runtime *runtime, enum mxt_gpu_status status)
{
	if (status == MXT_GPU_SUCCESS)
		status = runtime->call.event_record(runtime->stop, NULL);
	return status == MXT_GPU_SUCCESS ? runtime->call.event_synchronize(runtime->stop) : status;
}

/* `copies` of them, with nothing queued before. */
static int measure(const struct mxt_gpu_runtime *runtime, const struct mxt_clock *clock, void *const memory[2],
		   unsigned copies, struct mxt_clock_reading *ret_reading, struct mxt_error *err)
{
	const struct mxt_gpu_calls *call = &runtime->call;
	float ms = 0;
	enum mxt_gpu_status status = finish(runtime, MXT_GPU_SUCCESS);
	uint64_t began_ns = mxt_now_ns(clock);
	if (status == MXT_GPU_SUCCESS)
		status = call->event_record(runtime->start, NULL);
	for (unsigned i = 0; status == MXT_GPU_SUCCESS && i < copies; i++)
		status = call->copy_async(memory[i % 2], memory[(i + 1) % 2], COPY_BYTES, MXT_GPU_ON_DEVICE, NULL);
	status = finish(runtime, status);
	uint64_t host_ns = mxt_now_ns(clock) - began_ns;
	if (status == MXT_GPU_SUCCESS)
		status = mxt_gpu_elapsed(runtime, &ms);
	int rc = mxt_gpu_result(runtime, status, "time a copy", err);
	if (rc < 0)
		return rc;
	if (!(ms >= 0) || ms > 1e9F)
		return mxt_first_contact_failed(err, "events tell a time", "a copy took %g ms by events", (double)ms);
	*ret_reading = (struct mxt_clock_reading){(uint64_t)((double)ms * (double)MXT_NS_PER_MS), host_ns,
						  (uint64_t)copies * 2 * COPY_BYTES};
	return 0;
}

/* So many copies that they take LONG_NS by the host's clock. */
static int find_copies(const struct mxt_gpu_runtime *runtime, const struct mxt_clock *clock, void *const memory[2],
		       unsigned *ret_copies, struct mxt_error *err)
{
	struct mxt_clock_reading reading = {.host_ns = 0};
	unsigned copies = 1;
	int rc = measure(runtime, clock, memory, 1, &reading, err); /* the first one loads what it needs */
	for (; rc == 0 && copies < MOST; copies *= 2) {
		rc = measure(runtime, clock, memory, copies, &reading, err);
		if (rc < 0 || reading.host_ns >= LONG_NS)
			break;
	}
	if (rc == 0)
		*ret_copies = copies;
	return rc;
}

static int run(const struct mxt_gpu_runtime *runtime, const struct mxt_clock *clock, void *const memory[2],
	       struct mxt_error *err)
{
	struct mxt_clock_reading reading = {.host_ns = 0};
	unsigned copies = 1;
	int rc = find_copies(runtime, clock, memory, &copies, err);
	for (int i = 0; rc == 0 && i < TRIES; i++) {
		rc = measure(runtime, clock, memory, copies, &reading, err);
		if (rc < 0 || mxt_clock_test_judge(&reading, NULL) == 0)
			return rc;
	}
	return rc < 0 ? rc : mxt_clock_test_judge(&reading, err);
}

int mxt_clock_test(const struct mxt_gpu_runtime *runtime, const struct mxt_clock *clock, struct mxt_error *err)
{
	void *memory[2] = {NULL, NULL};
	int rc = 0;
	for (int i = 0; rc == 0 && i < 2; i++)
		rc = mxt_gpu_result(runtime, runtime->call.allocate(&memory[i], COPY_BYTES), "allocate memory", err);
	if (rc == 0)
		rc = run(runtime, clock, memory, err);
	for (int i = 0; i < 2; i++)
		if (memory[i])
			(void)runtime->call.release(memory[i]);
	return rc;
}
