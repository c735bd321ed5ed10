/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header of a safetensors file: which tensor lies where (github.com/huggingface/safetensors, README, "Format").
 */
#ifndef MXT_MANIFEST_SAFETENSORS_H
#define MXT_MANIFEST_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

struct mxt_error;

struct mxt_tensor {
	const char *name, *dtype; /* of the header: any text without NUL */
	uint64_t begin, end;      /* bytes from the start of the file */
	const uint64_t *shape;    /* of the header */
	size_t n_dims;
};

struct mxt_safetensors;

#define MXT_SAFETENSORS_MAX_HEADER ((size_t)32 << 20) /* the format allows 100 MB; a large model's shard has some 5 */

/*
 * Reads and checks the header of an open file, as untrusted: no overlaps, no gaps, and exactly as much data as the file
 * has. MXT_E_SAFETENSORS; a file that is too short for its header, or begins with zeros (still being written, or cut),
 * is MXT_E_CHECKPOINT_PARTIAL. A tensor of a type that is not known here may have any size. `name`: for messages.
 */
int mxt_safetensors_read(int fd, const char *name, struct mxt_safetensors **ret_header, struct mxt_error *err) MXT_WUR;

/* The same for a header that is in memory, and the file's size. `bytes` begin with the 8 bytes of its length. */
int mxt_safetensors_parse(const char *name, const void *bytes, size_t len, uint64_t file_size,
			  struct mxt_safetensors **ret_header, struct mxt_error *err) MXT_WUR;

void mxt_safetensors_destroy(struct mxt_safetensors *header);

/* Tensors by their place in the file. */
size_t mxt_safetensors_count(const struct mxt_safetensors *header);
const struct mxt_tensor *mxt_safetensors_tensor(const struct mxt_safetensors *header, size_t i);

static inline void mxt_safetensors_cleanup_(struct mxt_safetensors **header)
{
	mxt_safetensors_destroy(*header);
}
#define MXT_CLEANUP_SAFETENSORS MXT_CLEANUP(mxt_safetensors_cleanup_)

#endif
