/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_tensor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_number.h"
#include "sim_runtime.h"
#include "sim_scenario.h"

struct mxt_sim_storage {
	void *data;
	uint64_t bytes;
	bool own;     /* freed with the last tensor */
	bool counted; /* against the device's memory */
	unsigned refs;
};

static _Thread_local char message[1024];

int mxt_sim_raise(const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	(void)vsnprintf(message, sizeof message, fmt, args);
	va_end(args);
	if (mxt_sim_build.prints)
		(void)fprintf(stderr, "Exception in aoti_torch: %s\n", message);
	return 1;
}

const char *mxt_sim_raised(void)
{
	return message;
}

int mxt_sim_raise_status(int status)
{
	return mxt_sim_raise("CUDA error: %s\nCUDA kernel errors might be asynchronously reported at some other API "
			     "call, so the stacktrace below might be incorrect.",
			     mxt_sim_error_text(status));
}

void *mxt_sim_memory(size_t count, size_t bytes)
{
	void *memory = calloc(count + 1, bytes);
	if (!memory) {
		(void)fputs("stand-in torch: out of memory\n", stderr);
		abort();
	}
	return memory;
}

int64_t mxt_sim_count(const struct mxt_sim_tensor *tensor)
{
	int64_t count = 1;
	for (int64_t i = 0; i < tensor->ndim; i++)
		count *= tensor->sizes[i];
	return count;
}

static void set_shape(struct mxt_sim_tensor *tensor, int64_t ndim, const int64_t *sizes, const int64_t *strides)
{
	int64_t stride = 1;
	tensor->ndim = ndim;
	for (int64_t i = ndim - 1; i >= 0; i--) {
		tensor->sizes[i] = sizes[i];
		tensor->strides[i] = strides ? strides[i] : stride;
		stride *= sizes[i] > 0 ? sizes[i] : 1;
	}
}

/* Bytes up to the last element. */
static uint64_t extent(const struct mxt_sim_tensor *tensor)
{
	int64_t last = 0;
	for (int64_t i = 0; i < tensor->ndim; i++)
		last += (tensor->sizes[i] - 1) * tensor->strides[i];
	return mxt_sim_count(tensor) == 0 ? 0 : (uint64_t)(last + 1) * mxt_sim_dtype_bytes(tensor->dtype);
}

static int check_shape(int64_t ndim, const int64_t *sizes, int32_t dtype)
{
	if (ndim < 0 || ndim > MXT_SIM_MAX_DIM)
		return mxt_sim_raise("the stand-in has no tensors of %lld dimensions", (long long)ndim);
	for (int64_t i = 0; i < ndim; i++)
		if (sizes[i] < 0)
			return mxt_sim_raise("Trying to create tensor with negative dimension %lld",
					     (long long)sizes[i]);
	if (mxt_sim_dtype_bytes(dtype) == 0)
		return mxt_sim_raise("the stand-in has no tensors of type %d", (int)dtype);
	return 0;
}

#define GIB (1024.0 * 1024 * 1024)

static int raise_out_of_memory(uint64_t bytes, int32_t place)
{
	if (place == MXT_SIM_CPU)
		return mxt_sim_raise("DefaultCPUAllocator: can't allocate memory: you tried to allocate %llu bytes. "
				     "Error code 12 (Cannot allocate memory)",
				     (unsigned long long)bytes);
	return mxt_sim_raise("CUDA out of memory. Tried to allocate %.2f GiB. GPU 0 has a total capacity of %.2f GiB "
			     "of which %.2f GiB is free.",
			     (double)bytes / GIB, (double)mxt_sim_scenario()->device.memory_bytes / GIB,
			     (double)mxt_sim_memory_free() / GIB);
}

/* NULL: the device, or this machine, does not have that much. */
static struct mxt_sim_storage *allocate(uint64_t bytes, int32_t place)
{
	bool counted = place == MXT_SIM_CUDA;
	if (bytes >= MXT_SIM_MOST_BYTES || (counted && !mxt_sim_memory_take(bytes)))
		return NULL;
	void *data = calloc(1, bytes + 1);
	if (!data) {
		if (counted)
			mxt_sim_memory_give(bytes);
		return NULL;
	}
	struct mxt_sim_storage *storage = mxt_sim_memory(1, sizeof *storage);
	*storage = (struct mxt_sim_storage){data, bytes, true, counted, 1};
	return storage;
}

static int use_device(uint64_t bytes)
{
	int status = mxt_sim_device_status();
	if (status)
		return mxt_sim_raise_status(status);
	struct mxt_sim_outcome outcome = mxt_sim_enter("alloc");
	if (!(outcome.effects & MXT_SIM_FAIL))
		return 0;
	return outcome.text ? mxt_sim_raise("%s", outcome.text) : raise_out_of_memory(bytes, MXT_SIM_CUDA);
}

int mxt_sim_tensor_new(int64_t ndim, const int64_t *sizes, const int64_t *strides, int32_t dtype, int32_t place,
		       struct mxt_sim_tensor **ret_tensor)
{
	if (check_shape(ndim, sizes, dtype))
		return 1;
	struct mxt_sim_tensor *tensor = mxt_sim_memory(1, sizeof *tensor);
	set_shape(tensor, ndim, sizes, strides);
	tensor->dtype = dtype;
	tensor->place = place;
	tensor->refs = 1;
	uint64_t bytes = extent(tensor);
	int failed = place == MXT_SIM_CUDA ? use_device(bytes) : 0;
	if (!failed) {
		tensor->storage = allocate(bytes, place);
		failed = tensor->storage ? 0 : raise_out_of_memory(bytes, place);
	}
	if (failed) {
		free(tensor);
		return 1;
	}
	tensor->data = tensor->storage->data;
	*ret_tensor = tensor;
	return 0;
}

int mxt_sim_tensor_around(void *data, int64_t ndim, const int64_t *sizes, const int64_t *strides, int32_t dtype,
			  int32_t place, struct mxt_sim_tensor **ret_tensor)
{
	if (check_shape(ndim, sizes, dtype))
		return 1;
	struct mxt_sim_tensor *tensor = mxt_sim_memory(1, sizeof *tensor);
	set_shape(tensor, ndim, sizes, strides);
	tensor->dtype = dtype;
	tensor->place = place;
	tensor->refs = 1;
	tensor->data = data;
	tensor->storage = mxt_sim_memory(1, sizeof *tensor->storage);
	*tensor->storage = (struct mxt_sim_storage){data, extent(tensor), false, false, 1};
	*ret_tensor = tensor;
	return 0;
}

struct mxt_sim_tensor *mxt_sim_tensor_swapped(struct mxt_sim_tensor *tensor, int64_t first, int64_t second)
{
	struct mxt_sim_tensor *view = mxt_sim_memory(1, sizeof *view);
	*view = *tensor;
	view->sizes[first] = tensor->sizes[second];
	view->sizes[second] = tensor->sizes[first];
	view->strides[first] = tensor->strides[second];
	view->strides[second] = tensor->strides[first];
	view->refs = 1;
	view->storage->refs++;
	return view;
}

struct mxt_sim_tensor *mxt_sim_tensor_ref(struct mxt_sim_tensor *tensor)
{
	if (tensor)
		tensor->refs++;
	return tensor;
}

static void storage_unref(struct mxt_sim_storage *storage)
{
	if (--storage->refs > 0)
		return;
	if (storage->counted)
		mxt_sim_memory_give(storage->bytes);
	if (storage->own)
		free(storage->data);
	free(storage);
}

void mxt_sim_tensor_unref(struct mxt_sim_tensor *tensor)
{
	if (!tensor || --tensor->refs > 0)
		return;
	storage_unref(tensor->storage);
	free(tensor);
}

struct AtenTensorOpaque *mxt_sim_handle(struct mxt_sim_tensor *tensor)
{
	struct AtenTensorOpaque *handle = mxt_sim_memory(1, sizeof *handle);
	handle->tensor = tensor;
	return handle;
}

void mxt_sim_handle_delete(struct AtenTensorOpaque *handle)
{
	if (!handle)
		return;
	mxt_sim_tensor_unref(handle->tensor);
	free(handle);
}

/* Steps the indices to the next element in row-major order and returns its distance from the first one. */
MXT_SIM_PLAIN static int64_t step(const struct mxt_sim_tensor *tensor, int64_t indices[MXT_SIM_MAX_DIM], int64_t at)
{
	for (int64_t i = tensor->ndim - 1; i >= 0; i--) {
		at += tensor->strides[i];
		if (++indices[i] < tensor->sizes[i])
			return at;
		at -= tensor->strides[i] * tensor->sizes[i];
		indices[i] = 0;
	}
	return 0;
}

double *mxt_sim_read(const struct mxt_sim_tensor *tensor)
{
	int64_t count = mxt_sim_count(tensor), indices[MXT_SIM_MAX_DIM] = {0}, at = 0;
	double *numbers = mxt_sim_memory((size_t)count, sizeof *numbers);
	for (int64_t i = 0; i < count; i++, at = step(tensor, indices, at))
		numbers[i] = mxt_sim_load(tensor->data, at, tensor->dtype);
	return numbers;
}

double *mxt_sim_read_as(const struct mxt_sim_tensor *tensor, int64_t ndim, const int64_t *sizes)
{
	struct mxt_sim_tensor view = *tensor;
	int64_t added = ndim - tensor->ndim;
	bool fits = added >= 0;
	view.ndim = ndim;
	for (int64_t i = 0; i < ndim && fits; i++) {
		int64_t size = i < added ? 1 : tensor->sizes[i - added];
		if (size != 1 && size != sizes[i])
			fits = false;
		view.sizes[i] = sizes[i];
		view.strides[i] = size == 1 ? 0 : tensor->strides[i - added];
	}
	if (fits)
		return mxt_sim_read(&view);
	(void)mxt_sim_raise("output with other sizes doesn't match the broadcast shape");
	return NULL;
}

void mxt_sim_write(struct mxt_sim_tensor *tensor, const double *numbers)
{
	int64_t count = mxt_sim_count(tensor), indices[MXT_SIM_MAX_DIM] = {0}, at = 0;
	for (int64_t i = 0; i < count; i++, at = step(tensor, indices, at))
		mxt_sim_store(tensor->data, at, tensor->dtype, numbers[i]);
}
