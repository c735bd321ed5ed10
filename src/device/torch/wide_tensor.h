/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Float64 copies of what a device holds: what results are checked in. All work is done on the device; only what is
 * compared comes to the host.
 */
#ifndef MXT_WIDE_TENSOR_H
#define MXT_WIDE_TENSOR_H

#include "compiler.h"
#include "torch_device.h"
#include "torch_tensor.h"

/* Memory of the device as a tensor: borrowed by what is made of it. */
struct mxt_tensor_source {
	void *data;
	struct mxt_tensor_shape shape;
	int32_t dtype; /* torch's number */
};

/* A dense float64 copy. */
int mxt_wide_copy(const struct mxt_device *device, const struct mxt_tensor_source *source,
		  struct mxt_tensor **ret_tensor, struct mxt_error *err) MXT_WUR;

/* A dense float64 tensor of the host's numbers. */
int mxt_wide_upload(const struct mxt_device *device, const double *values, const struct mxt_tensor_shape *shape,
		    struct mxt_tensor **ret_tensor, struct mxt_error *err) MXT_WUR;

/* The numbers of a dense float64 tensor: `count` of them, to the host. */
int mxt_wide_fetch(const struct mxt_device *device, struct mxt_tensor *tensor, int64_t ndim, double *ret_values,
		   size_t count, struct mxt_error *err) MXT_WUR;

/*
 * out = matrix vector, all float64; vector and out are memory of the device, [columns] and [rows] of the matrix. A
 * product with so few columns would run on one corner of a GPU: this one is bound by memory traffic alone.
 */
int mxt_wide_apply(const struct mxt_device *device, struct mxt_tensor *matrix, double *vector,
		   const struct mxt_tensor_shape *vector_shape, double *out, const struct mxt_tensor_shape *out_shape,
		   struct mxt_error *err) MXT_WUR;

/* left right, both two-dimensional and float64. */
int mxt_wide_multiply(const struct mxt_device *device, struct mxt_tensor *left, struct mxt_tensor *right,
		      struct mxt_tensor **ret_product, struct mxt_error *err) MXT_WUR;

#endif
