/* SPDX-License-Identifier: Apache-2.0 */
#include "memory_test.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "first_contact.h"
#include "gpu_runtime.h"
#include "rng.h"

#define BYTES      (((size_t)1 << 20) + 4099) /* no multiple of a page or of a vector */
#define FILL_VALUE 0x5a
#define SEED       UINT64_C(0x6669727374636f6e)

struct copies {
	const struct mxt_gpu_runtime *runtime;
	void *from, *to;               /* on the device */
	unsigned char *sent, *arrived; /* on the host; owned */
};

static int create(struct copies *copies, struct mxt_error *err)
{
	struct mxt_rng rng = {SEED};
	copies->sent = malloc(BYTES);
	copies->arrived = calloc(1, BYTES);
	if (!copies->sent || !copies->arrived)
		return mxt_error_oom(err);
	for (size_t i = 0; i < BYTES; i++)
		copies->sent[i] = (unsigned char)(mxt_rng_u64(&rng) >> 56);
	enum mxt_gpu_status status = copies->runtime->call.allocate(&copies->from, BYTES);
	if (status == MXT_GPU_SUCCESS)
		status = copies->runtime->call.allocate(&copies->to, BYTES);
	return mxt_gpu_result(copies->runtime, status, "allocate memory", err);
}

static void destroy(struct copies *copies)
{
	if (copies->from)
		(void)copies->runtime->call.release(copies->from);
	if (copies->to)
		(void)copies->runtime->call.release(copies->to);
	free(copies->sent);
	free(copies->arrived);
}

static int test_copies(const struct copies *copies, struct mxt_error *err)
{
	const struct mxt_gpu_runtime *runtime = copies->runtime;
	const struct mxt_gpu_calls *call = &runtime->call;
	enum mxt_gpu_status status = call->copy(copies->from, copies->sent, BYTES, MXT_GPU_TO_DEVICE);
	if (status == MXT_GPU_SUCCESS)
		status = call->copy(copies->to, copies->from, BYTES, MXT_GPU_ON_DEVICE);
	if (status == MXT_GPU_SUCCESS)
		status = call->copy(copies->arrived, copies->to, BYTES, MXT_GPU_TO_HOST);
	int rc = mxt_gpu_result(runtime, status, "copy memory", err);
	for (size_t i = 0; rc == 0 && i < BYTES; i++)
		if (copies->arrived[i] != copies->sent[i])
			rc = mxt_first_contact_failed(
			    err, "copies keep what they copy",
			    "byte %zu of %zu came back from the device as %02x, and was sent as %02x", i, BYTES,
			    copies->arrived[i], copies->sent[i]);
	return rc;
}

static int test_fill(const struct copies *copies, struct mxt_error *err)
{
	const struct mxt_gpu_runtime *runtime = copies->runtime;
	enum mxt_gpu_status status = runtime->call.fill(copies->to, FILL_VALUE, BYTES);
	if (status == MXT_GPU_SUCCESS)
		status = runtime->call.copy(copies->arrived, copies->to, BYTES, MXT_GPU_TO_HOST);
	int rc = mxt_gpu_result(runtime, status, "fill memory", err);
	for (size_t i = 0; rc == 0 && i < BYTES; i++)
		if (copies->arrived[i] != FILL_VALUE)
			rc = mxt_first_contact_failed(err, "a fill writes all bytes",
						      "byte %zu of %zu is %02x after a fill with %02x", i, BYTES,
						      copies->arrived[i], FILL_VALUE);
	return rc;
}

int mxt_memory_test(const struct mxt_gpu_runtime *runtime, struct mxt_error *err)
{
	struct copies copies = {.runtime = runtime};
	int rc = create(&copies, err);
	if (rc == 0)
		rc = test_copies(&copies, err);
	if (rc == 0)
		rc = test_fill(&copies, err);
	destroy(&copies);
	return rc;
}
