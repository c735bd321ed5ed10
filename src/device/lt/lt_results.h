/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a library's heuristic wrote: an array of results whose size is the library's. Where that may change between
 * releases, the array is filled with MXT_LT_POISON before the call, has room to spare, and the distance between results
 * is found from what was written.
 */
#ifndef MXT_LT_LT_RESULTS_H
#define MXT_LT_LT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

struct mxt_error;

#define MXT_LT_POISON     0xA5
#define MXT_LT_SLOT_BYTES 128 /* room for each result; no smaller than the largest that is known */

/* One result, which starts with the algorithm. Offsets in bytes. */
struct mxt_lt_result_layout {
	size_t bytes;        /* as documented */
	size_t workspace_at; /* size_t */
	size_t status_at;    /* int, 0: the result is valid */
	bool has_index;      /* an int32 at 0 is the solution's number, which is not negative */
	bool may_grow;       /* a newer library's may be larger */
};

/* Memory of asked * MXT_LT_SLOT_BYTES bytes after the call. Borrowed. */
struct mxt_lt_results {
	const unsigned char *bytes;
	size_t asked, returned;   /* returned <= asked */
	uint64_t workspace_bytes; /* that algorithms were allowed */
};

/*
 * Finds the distance between results. It is certain where exactly one explains what was written, and this is what
 * *ret_certain says. Where few results leave several, `known` is taken if it is one of them: what an earlier answer
 * showed, or the documented distance. Else -EPROTO (MXT_E_LT_LAYOUT).
 */
int mxt_lt_results_stride(const struct mxt_lt_results *results, const struct mxt_lt_result_layout *layout, size_t known,
			  size_t *ret_stride, bool *ret_certain, struct mxt_error *err) MXT_WUR;

/* An algorithm that a library offers. */
struct mxt_lt_choice {
	_Alignas(16) unsigned char algorithm[MXT_LT_SLOT_BYTES]; /* what the library is given back */
	size_t workspace_bytes;                                  /* that it needs */
	int32_t solution;                                        /* its number, or MXT_SOLUTION_DEFAULT */
};

/* Copies the valid ones of `returned` results; ret_choices has room for all. Returns how many there are. */
size_t mxt_lt_results_read(const struct mxt_lt_results *results, const struct mxt_lt_result_layout *layout,
			   size_t stride, struct mxt_lt_choice *ret_choices);

#endif
