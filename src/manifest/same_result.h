/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether two runs came to the same, and if not, where they part.
 */
#ifndef MXT_MANIFEST_SAME_RESULT_H
#define MXT_MANIFEST_SAME_RESULT_H

#include "buf.h"
#include "compiler.h"
#include "manifest.h"

struct mxt_error;

/* One of the two. */
struct mxt_same_side {
	const char *name; /* as the user calls it */
	const struct mxt_manifest *manifest;
	const char *run_folder; /* that the manifest is in */
	const char *checkpoint; /* where it lies; NULL: where the manifest says (mxt_verify_place()) */
};

/*
 * 0: the result_ids are equal. MXT_E_RESULT_DIFFERS: the first thing that differs, in the order plan, config (the key),
 * dataset (the file), checkpoint (the file, and of a safetensors file the first tensor: name, shape, type, what
 * differs; that needs the files themselves, and it is said where they are not there). Where a side has no result_id,
 * what both have is compared all the same; MXT_E_RESULT_UNKNOWN where that is equal: what it was, and what is not
 * known.
 */
int mxt_same_result(const struct mxt_same_side *a, const struct mxt_same_side *b, struct mxt_error *err) MXT_WUR;

#endif
