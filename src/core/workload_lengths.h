/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which lengths a workload has, and what is told of them.
 */
#ifndef MXT_CORE_WORKLOAD_LENGTHS_H
#define MXT_CORE_WORKLOAD_LENGTHS_H

#include <jansson.h>

#include "compiler.h"
#include "workload.h"

struct mxt_buf;
struct mxt_error;

/*
 * A stated distribution: `text` is --lengths, "MEDIAN[:P90[:DOCUMENTS]]" (P90 is four times the median unless given);
 * NULL: what is assumed of any dataset. MXT_E_USAGE for another text.
 */
int mxt_workload_state_lengths(struct mxt_workload *workload, const char *text, struct mxt_error *err) MXT_WUR;

/*
 * What was read of a dataset instead; passes are counted anew unless a flag gave them. Documents longer than a sequence
 * are left out, with a note. MXT_E_LENGTHS, and nothing is changed, when that is all of them; or -ENOMEM.
 */
int mxt_workload_use_lengths(struct mxt_workload *workload, const struct mxt_lengths *lengths,
			     struct mxt_error *err) MXT_WUR;

/* evidence.lengths; NULL when memory ran out. */
json_t *mxt_workload_lengths_json(const struct mxt_workload *workload);

/*
 * "lengths: 52,002 documents, median 141, 90 % below 412 tokens, from FOLDER; 3,250 passes, about 410 distinct shapes";
 * what is not known is left out.
 */
void mxt_workload_lengths_text(const struct mxt_workload *workload, struct mxt_buf *buf);

#endif
