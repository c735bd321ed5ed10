/* SPDX-License-Identifier: Apache-2.0 */
#include "torch_tensor.h"

#include <errno.h>
#include <string.h>

#include "error.h"
#include "torch_call.h"

/* One line of torch's message: the first, without the place in its sources. */
static int first_line(const char *text)
{
	return (int)strcspn(text, "\n");
}

int mxt_torch_failed(const struct mxt_torch *torch, const char *what, struct mxt_error *err)
{
	const char *text = NULL;
	if (torch->call.torch_exception_get_what_without_backtrace)
		text = torch->call.torch_exception_get_what_without_backtrace();
	if (!text || !*text)
		return mxt_error_set(err, -EIO, MXT_E_TORCH_CALL,
				     "torch refused %s; what it printed is in the worker's output", what);
	bool memory = strstr(text, "out of memory") != NULL;
	return mxt_error_set(err, memory ? -ENOMEM : -EIO, MXT_E_TORCH_CALL, "torch refused %s: %.*s", what,
			     first_line(text), text);
}

struct mxt_tensor_shape mxt_tensor_dense(int64_t ndim, const int64_t *sizes)
{
	struct mxt_tensor_shape shape = {.ndim = ndim};
	int64_t stride = 1;
	for (int64_t i = ndim - 1; i >= 0; i--) {
		shape.sizes[i] = sizes[i];
		shape.strides[i] = stride;
		stride *= sizes[i];
	}
	return shape;
}

int mxt_tensor_create(const struct mxt_torch *torch, const struct mxt_tensor_shape *shape, int32_t dtype,
		      struct mxt_tensor **ret_tensor, struct mxt_error *err)
{
	struct mxt_tensor *tensor = NULL;
	if (torch->call.aoti_torch_empty_strided(shape->ndim, shape->sizes, shape->strides, dtype, torch->device_type,
						 torch->device_index, &tensor) != 0)
		return mxt_torch_failed(torch, "to allocate a tensor", err);
	*ret_tensor = tensor;
	return 0;
}

int mxt_tensor_view(const struct mxt_torch *torch, void *data, const struct mxt_tensor_shape *shape, int32_t dtype,
		    struct mxt_tensor **ret_tensor, struct mxt_error *err)
{
	struct mxt_tensor *tensor = NULL;
	if (torch->call.aoti_torch_create_tensor_from_blob(data, shape->ndim, shape->sizes, shape->strides, 0, dtype,
							   torch->device_type, torch->device_index, &tensor) != 0)
		return mxt_torch_failed(torch, "to view memory as a tensor", err);
	*ret_tensor = tensor;
	return 0;
}

void mxt_tensor_destroy(const struct mxt_torch *torch, struct mxt_tensor *tensor)
{
	if (tensor)
		(void)torch->call.aoti_torch_delete_tensor_object(tensor);
}

int mxt_tensor_look(const struct mxt_torch *torch, struct mxt_tensor *tensor, int64_t ndim,
		    struct mxt_tensor_facts *ret_facts, struct mxt_error *err)
{
	const struct mxt_torch_abi *call = &torch->call;
	struct mxt_tensor_facts facts = {.shape.ndim = ndim};
	int64_t *sizes = NULL, *strides = NULL;
	if (call->aoti_torch_get_data_ptr(tensor, &facts.data) != 0 ||
	    call->aoti_torch_get_sizes(tensor, &sizes) != 0 || call->aoti_torch_get_strides(tensor, &strides) != 0 ||
	    call->aoti_torch_get_dtype(tensor, &facts.dtype) != 0)
		return mxt_torch_failed(torch, "to describe a tensor", err);
	for (int64_t i = 0; i < ndim; i++) {
		facts.shape.sizes[i] = sizes[i];
		facts.shape.strides[i] = strides[i];
	}
	*ret_facts = facts;
	return 0;
}

int mxt_tensor_copy(const struct mxt_torch *torch, struct mxt_tensor *to, struct mxt_tensor *from,
		    struct mxt_error *err)
{
	struct mxt_torch_call call;
	mxt_torch_call_init(&call, torch);
	mxt_push_tensor(&call, to);
	mxt_push_tensor(&call, from);
	mxt_push_flag(&call, false);
	int rc = mxt_torch_call_run(&call, "aten::copy_", "", 1, err);
	mxt_drop_result(&call);
	return rc;
}

int mxt_tensor_scalar(const struct mxt_torch *torch, double *value, struct mxt_tensor **ret_tensor,
		      struct mxt_error *err)
{
	static const int64_t none[1] = {0};
	struct mxt_tensor *tensor = NULL;
	if (torch->call.aoti_torch_create_tensor_from_blob(value, 0, none, none, 0, torch->float64,
							   torch->call.aoti_torch_device_type_cpu(), 0, &tensor) != 0)
		return mxt_torch_failed(torch, "to make a number a tensor", err);
	*ret_tensor = tensor;
	return 0;
}

/* An operator that changes the tensor itself, given one number. */
static int apply(const struct mxt_torch *torch, const char *name, struct mxt_tensor *tensor, double value,
		 struct mxt_error *err)
{
	struct mxt_tensor *scalar = NULL;
	int rc = mxt_tensor_scalar(torch, &value, &scalar, err);
	if (rc < 0)
		return rc;
	struct mxt_torch_call call;
	mxt_torch_call_init(&call, torch);
	mxt_push_tensor(&call, tensor);
	mxt_push_tensor(&call, scalar);
	rc = mxt_torch_call_run(&call, name, "Tensor", 1, err);
	mxt_drop_result(&call);
	mxt_tensor_destroy(torch, scalar);
	return rc;
}

int mxt_tensor_fill(const struct mxt_torch *torch, struct mxt_tensor *tensor, double value, struct mxt_error *err)
{
	return apply(torch, "aten::fill_", tensor, value, err);
}

int mxt_tensor_scale(const struct mxt_torch *torch, struct mxt_tensor *tensor, double factor, struct mxt_error *err)
{
	return apply(torch, "aten::mul_", tensor, factor, err);
}

int mxt_tensor_draw(const struct mxt_torch *torch, struct mxt_tensor *tensor, double deviation, struct mxt_error *err)
{
	struct mxt_torch_call call;
	mxt_torch_call_init(&call, torch);
	mxt_push_tensor(&call, tensor);
	mxt_push_number(&call, 0);
	mxt_push_number(&call, deviation);
	mxt_push_none(&call); /* the default generator */
	int rc = mxt_torch_call_run(&call, "aten::normal_", "", 1, err);
	mxt_drop_result(&call);
	return rc;
}

int mxt_tensor_keep_upper(const struct mxt_torch *torch, struct mxt_tensor *tensor, int64_t diagonal,
			  struct mxt_error *err)
{
	struct mxt_torch_call call;
	mxt_torch_call_init(&call, torch);
	mxt_push_tensor(&call, tensor);
	mxt_push_integer(&call, diagonal);
	int rc = mxt_torch_call_run(&call, "aten::triu_", "", 1, err);
	mxt_drop_result(&call);
	return rc;
}

/* The same memory as integers: what compares numbers takes -0 for 0, and no NaN for itself. */
static int view_bits(const struct mxt_torch *torch, struct mxt_tensor *tensor, int64_t ndim,
		     struct mxt_tensor **ret_bits, struct mxt_error *err)
{
	struct mxt_tensor_facts facts = {.data = NULL};
	int rc = mxt_tensor_look(torch, tensor, ndim, &facts, err);
	if (rc < 0)
		return rc;
	int32_t dtype =
	    facts.dtype == torch->dtype[MXT_DTYPE_F32] ? torch->bits[MXT_DTYPE_F32] : torch->bits[MXT_DTYPE_BF16];
	return mxt_tensor_view(torch, facts.data, &facts.shape, dtype, ret_bits, err);
}

static int ask_equal(const struct mxt_torch *torch, struct mxt_tensor *a, struct mxt_tensor *b, bool *ret_equal,
		     struct mxt_error *err)
{
	struct mxt_torch_call call;
	mxt_torch_call_init(&call, torch);
	mxt_push_tensor(&call, a);
	mxt_push_tensor(&call, b);
	int rc = mxt_torch_call_run(&call, "aten::equal", "", 1, err);
	if (rc == 0)
		*ret_equal = (mxt_result_integer(&call, 0) & 0xff) != 0; /* a bool fills the lowest byte only */
	return rc;
}

int mxt_tensor_same_bits(const struct mxt_torch *torch, struct mxt_tensor *a, struct mxt_tensor *b, int64_t ndim,
			 bool *ret_same, struct mxt_error *err)
{
	struct mxt_tensor *left = NULL, *right = NULL;
	int rc = view_bits(torch, a, ndim, &left, err);
	if (rc == 0)
		rc = view_bits(torch, b, ndim, &right, err);
	if (rc == 0)
		rc = ask_equal(torch, left, right, ret_same, err);
	mxt_tensor_destroy(torch, left);
	mxt_tensor_destroy(torch, right);
	return rc;
}
