/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where two safetensors files part.
 */
#ifndef MXT_MANIFEST_TENSOR_DIFFERENCE_H
#define MXT_MANIFEST_TENSOR_DIFFERENCE_H

#include "compiler.h"

struct mxt_buf;
struct mxt_error;

struct mxt_tensor_side {
	int fd;           /* an open file */
	const char *name; /* for messages */
};

/*
 * Appends what the first difference is, by the tensors' places in the first file: the tensor's name, and type and
 * shape, or how many of its elements differ and which is the first. Reads both up to there. What cannot be read as
 * safetensors is an error (safetensors.h).
 */
int mxt_tensor_difference(const struct mxt_tensor_side sides[2], struct mxt_buf *text, struct mxt_error *err) MXT_WUR;

#endif
