/* SPDX-License-Identifier: Apache-2.0 */
#include "attention_mask.h"

#include <errno.h>
#include <math.h>

#include "error.h"
#include "torch_tensor.h"

bool mxt_attention_has_mask(const struct mxt_attention *shape)
{
	return shape->masked || shape->n_documents > 0;
}

static int check_size(const struct mxt_device *device, const struct mxt_attention *shape, double bytes,
		      struct mxt_error *err)
{
	double room = (double)device->platform->memory_left(device->state) / 2;
	if (bytes <= room)
		return 0;
	return mxt_error_set(err, -ENOTSUP, MXT_E_OPERANDS_TOO_LARGE,
			     "a mask tensor over %d positions takes %.0f MiB, and half of what is left are %.0f MiB",
			     shape->seq, bytes / 0x1p20, room / 0x1p20);
}

/* The tokens [first, first + count) of every sequence see each other, or those before them and themselves. */
static int open_block(const struct mxt_device *device, const struct mxt_attention *shape, struct mxt_tensor *mask,
		      int64_t first, int64_t count, struct mxt_error *err)
{
	const struct mxt_torch *torch = &device->torch;
	struct mxt_tensor_facts part;
	struct mxt_tensor *block = NULL;
	int rc = mxt_tensor_look(torch, mask, 4, &part, err);
	if (rc < 0)
		return rc;
	int64_t at = first * (part.shape.strides[2] + part.shape.strides[3]);
	part.data = (char *)part.data + at * mxt_dtype_bytes(shape->dtype);
	part.shape.sizes[2] = part.shape.sizes[3] = count;
	rc = mxt_tensor_view(torch, part.data, &part.shape, part.dtype, &block, err);
	if (rc == 0)
		rc =
		    shape->causal ? mxt_tensor_keep_upper(torch, block, 1, err) : mxt_tensor_fill(torch, block, 0, err);
	mxt_tensor_destroy(torch, block);
	return rc;
}

static int open_blocks(const struct mxt_device *device, const struct mxt_attention *shape, struct mxt_tensor *mask,
		       struct mxt_error *err)
{
	if (shape->n_documents == 0)
		return open_block(device, shape, mask, 0, shape->seq, err);
	int rc = 0;
	int64_t first = 0;
	for (uint32_t i = 0; rc == 0 && i < shape->n_documents; i++) {
		rc = open_block(device, shape, mask, first, shape->documents[i], err);
		first += shape->documents[i];
	}
	return rc;
}

int mxt_attention_mask_create(const struct mxt_device *device, const struct mxt_attention *shape, int64_t row,
			      struct mxt_tensor **ret_mask, struct mxt_error *err)
{
	const struct mxt_torch *torch = &device->torch;
	int64_t batch = shape->n_documents ? 1 : shape->batch, seq = shape->seq, matrix = seq * row;
	const struct mxt_tensor_shape whole = {4, {batch, 1, seq, seq}, {matrix, matrix, row, 1}};
	struct mxt_tensor *mask = NULL;
	int rc = check_size(device, shape, (double)batch * (double)matrix * mxt_dtype_bytes(shape->dtype), err);
	if (rc == 0)
		rc = mxt_tensor_create(torch, &whole, torch->dtype[shape->dtype], &mask, err);
	if (rc == 0)
		rc = mxt_tensor_fill(torch, mask, -(double)INFINITY, err);
	if (rc == 0)
		rc = open_blocks(device, shape, mask, err);
	if (rc < 0)
		mxt_tensor_destroy(torch, mask);
	else
		*ret_mask = mask;
	return rc;
}
