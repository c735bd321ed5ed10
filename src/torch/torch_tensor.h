/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torch's tensors from C: made, viewed, looked at. A tensor that a function returns is the caller's to destroy; a view
 * borrows its memory. Sizes and strides are in elements.
 */
#ifndef MXT_TORCH_TORCH_TENSOR_H
#define MXT_TORCH_TORCH_TENSOR_H

#include <stdint.h>

#include "compiler.h"
#include "torch_library.h"

struct mxt_error;

#define MXT_TENSOR_MAX_DIMS 5

struct mxt_tensor_shape {
	int64_t ndim; /* 1 to MXT_TENSOR_MAX_DIMS */
	int64_t sizes[MXT_TENSOR_MAX_DIMS];
	int64_t strides[MXT_TENSOR_MAX_DIMS];
};

/* Strides of a dense row-major tensor. */
struct mxt_tensor_shape mxt_tensor_dense(int64_t ndim, const int64_t *sizes);

/* Uninitialised memory of torch's own allocator, on the device; `dtype` is torch's number. */
int mxt_tensor_create(const struct mxt_torch *torch, const struct mxt_tensor_shape *shape, int32_t dtype,
		      struct mxt_tensor **ret_tensor, struct mxt_error *err) MXT_WUR;

/* A tensor over memory of the caller, which lies on the device. */
int mxt_tensor_view(const struct mxt_torch *torch, void *data, const struct mxt_tensor_shape *shape, int32_t dtype,
		    struct mxt_tensor **ret_tensor, struct mxt_error *err) MXT_WUR;

/* NULL is fine. */
void mxt_tensor_destroy(const struct mxt_torch *torch, struct mxt_tensor *tensor);

/* What a tensor is: where, how large, of what kind (torch's number). `ndim` must be what it has. */
struct mxt_tensor_facts {
	void *data;
	struct mxt_tensor_shape shape;
	int32_t dtype;
};
int mxt_tensor_look(const struct mxt_torch *torch, struct mxt_tensor *tensor, int64_t ndim,
		    struct mxt_tensor_facts *ret_facts, struct mxt_error *err) MXT_WUR;

/* Copies the values of `from` into `to`, converting between dtypes. */
int mxt_tensor_copy(const struct mxt_torch *torch, struct mxt_tensor *to, struct mxt_tensor *from,
		    struct mxt_error *err) MXT_WUR;

/* Writes one number everywhere, on the device: a copy would first be made as large on the host. */
int mxt_tensor_fill(const struct mxt_torch *torch, struct mxt_tensor *tensor, double value,
		    struct mxt_error *err) MXT_WUR;

/* Normal deviates of mean 0 from the device's own generator, whose seed is the same in every process. */
int mxt_tensor_draw(const struct mxt_torch *torch, struct mxt_tensor *tensor, double deviation,
		    struct mxt_error *err) MXT_WUR;

/* Multiplies every element by one number. */
int mxt_tensor_scale(const struct mxt_torch *torch, struct mxt_tensor *tensor, double factor,
		     struct mxt_error *err) MXT_WUR;

/* Zeroes what lies below a diagonal of a matrix, or of every matrix of a batch: 0 is the main one, 1 the next above. */
int mxt_tensor_keep_upper(const struct mxt_torch *torch, struct mxt_tensor *tensor, int64_t diagonal,
			  struct mxt_error *err) MXT_WUR;

/* Whether two tensors of `ndim` dimensions, equal in sizes and in a dtype of problems, are equal bit by bit. */
int mxt_tensor_same_bits(const struct mxt_torch *torch, struct mxt_tensor *a, struct mxt_tensor *b, int64_t ndim,
			 bool *ret_same, struct mxt_error *err) MXT_WUR;

/* A tensor without dimensions on the host, over *value, which must outlive it. */
int mxt_tensor_scalar(const struct mxt_torch *torch, double *value, struct mxt_tensor **ret_tensor,
		      struct mxt_error *err) MXT_WUR;

/* MXT_E_TORCH_CALL (-EIO, or -ENOMEM where memory ran out) with what torch said about its last failure in `what`. */
int mxt_torch_failed(const struct mxt_torch *torch, const char *what, struct mxt_error *err);

#endif
