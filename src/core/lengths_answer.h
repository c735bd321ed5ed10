/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What python/mindxtrain_plan/lengths.py answers about a dataset. It is another program's word, and nothing of it is
 * trusted: one JSON object,
 *
 *   {"schema": "mindxtrain.lengths/1", "documents": N, "tokens": N, "longest": N, "distinct": N,
 *    "sample": [ascending, all documents or MXT_LENGTH_SAMPLES of them], "folder": TEXT, "notes": [TEXT, ...]}
 *
 * or {"schema": ..., "error": TEXT}.
 */
#ifndef MXT_CORE_LENGTHS_ANSWER_H
#define MXT_CORE_LENGTHS_ANSWER_H

#include <stddef.h>

#include "compiler.h"
#include "workload.h"

struct mxt_error;

#define MXT_LENGTHS_ANSWER_BYTES 65536
#define MXT_LENGTHS_NOTES        8

struct mxt_lengths_answer {
	struct mxt_lengths lengths;     /* source "dataset"; passes and distinct are 0 */
	char *folder;                   /* what was read; owned */
	char *notes[MXT_LENGTHS_NOTES]; /* sentences for the user; owned */
	size_t n_notes;
};
#define MXT_LENGTHS_ANSWER_INIT                                                                                        \
	{                                                                                                              \
		.folder = NULL                                                                                         \
	}
#define MXT_CLEANUP_LENGTHS_ANSWER MXT_CLEANUP(mxt_lengths_answer_finish)

/* MXT_E_LENGTHS_ANSWER for what is not such an object, MXT_E_LENGTHS with the reader's own words for its error. */
int mxt_lengths_answer_parse(const char *text, size_t len, struct mxt_lengths_answer *ret_answer,
			     struct mxt_error *err) MXT_WUR;
void mxt_lengths_answer_finish(struct mxt_lengths_answer *answer);

#endif
