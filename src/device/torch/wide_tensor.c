/* SPDX-License-Identifier: Apache-2.0 */
#include "wide_tensor.h"

#include "error.h"
#include "torch_call.h"

/* A dense float64 copy of a tensor of that shape, which is destroyed. */
static int widen(const struct mxt_torch *torch, struct mxt_tensor *from, const struct mxt_tensor_shape *shape,
		 struct mxt_tensor **ret_tensor, struct mxt_error *err)
{
	const struct mxt_tensor_shape dense = mxt_tensor_dense(shape->ndim, shape->sizes);
	struct mxt_tensor *to = NULL;
	int rc = mxt_tensor_create(torch, &dense, torch->float64, &to, err);
	if (rc == 0)
		rc = mxt_tensor_copy(torch, to, from, err);
	mxt_tensor_destroy(torch, from);
	if (rc < 0)
		mxt_tensor_destroy(torch, to);
	else
		*ret_tensor = to;
	return rc;
}

int mxt_wide_copy(const struct mxt_device *device, const struct mxt_tensor_source *source,
		  struct mxt_tensor **ret_tensor, struct mxt_error *err)
{
	const struct mxt_torch *torch = &device->torch;
	struct mxt_tensor *from = NULL;
	int rc = mxt_tensor_view(torch, source->data, &source->shape, source->dtype, &from, err);
	return rc < 0 ? rc : widen(torch, from, &source->shape, ret_tensor, err);
}

/* The host's memory as a tensor of the host; torch only reads it. */
static int host_view(const struct mxt_torch *torch, const double *values, const struct mxt_tensor_shape *shape,
		     struct mxt_tensor **ret_tensor, struct mxt_error *err)
{
	if (torch->call.aoti_torch_create_tensor_from_blob((double *)values, shape->ndim, shape->sizes, shape->strides,
							   0, torch->float64, torch->call.aoti_torch_device_type_cpu(),
							   0, ret_tensor) == 0)
		return 0;
	return mxt_torch_failed(torch, "to view the host's memory", err);
}

int mxt_wide_upload(const struct mxt_device *device, const double *values, const struct mxt_tensor_shape *shape,
		    struct mxt_tensor **ret_tensor, struct mxt_error *err)
{
	struct mxt_tensor *from = NULL;
	int rc = host_view(&device->torch, values, shape, &from, err);
	return rc < 0 ? rc : widen(&device->torch, from, shape, ret_tensor, err);
}

int mxt_wide_fetch(const struct mxt_device *device, struct mxt_tensor *tensor, int64_t ndim, double *ret_values,
		   size_t count, struct mxt_error *err)
{
	struct mxt_tensor_facts facts;
	int rc = mxt_tensor_look(&device->torch, tensor, ndim, &facts, err);
	if (rc < 0)
		return rc;
	return device->platform->fetch(device->state, ret_values, facts.data, count * sizeof *ret_values, err);
}

int mxt_wide_multiply(const struct mxt_device *device, struct mxt_tensor *left, struct mxt_tensor *right,
		      struct mxt_tensor **ret_product, struct mxt_error *err)
{
	struct mxt_torch_call call;
	mxt_torch_call_init(&call, &device->torch);
	mxt_push_tensor(&call, left);
	mxt_push_tensor(&call, right);
	int rc = mxt_torch_call_run(&call, "aten::mm", "", 1, err);
	if (rc == 0)
		*ret_product = mxt_take_tensor(&call, 0);
	return rc;
}

int mxt_wide_apply(const struct mxt_device *device, struct mxt_tensor *matrix, double *vector,
		   const struct mxt_tensor_shape *vector_shape, double *out, const struct mxt_tensor_shape *out_shape,
		   struct mxt_error *err)
{
	const struct mxt_torch *torch = &device->torch;
	struct mxt_tensor *from = NULL, *to = NULL;
	int rc = mxt_tensor_view(torch, vector, vector_shape, torch->float64, &from, err);
	if (rc == 0)
		rc = mxt_tensor_view(torch, out, out_shape, torch->float64, &to, err);
	if (rc == 0) {
		struct mxt_torch_call call;
		mxt_torch_call_init(&call, torch);
		mxt_push_tensor(&call, matrix);
		mxt_push_tensor(&call, from);
		mxt_push_tensor(&call, to);
		rc = mxt_torch_call_run(&call, "aten::mv", "out", 1, err);
		mxt_drop_result(&call);
	}
	mxt_tensor_destroy(torch, from);
	mxt_tensor_destroy(torch, to);
	return rc;
}
