/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where two runs part in one file of their checkpoints, whose bytes are needed for that.
 */
#ifndef MXT_MANIFEST_SAME_TENSORS_H
#define MXT_MANIFEST_SAME_TENSORS_H

#include "compiler.h"
#include "file_list.h"

struct mxt_buf;
struct mxt_error;
struct mxt_same_side;

/* Two lists of one role and number, and the entry that differs: NULL where a side has none. All borrowed. */
struct mxt_same_place {
	const struct mxt_same_side *sides[2];
	const struct mxt_file_list *lists[2];
	const struct mxt_file_entry *entries[2];
};

/* Appends ": " and the first difference of two safetensors files, which must still be those of their manifests. */
int mxt_same_tensors(const struct mxt_same_place *place, struct mxt_buf *text, struct mxt_error *err) MXT_WUR;

#endif
