/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a run is: from the lengths of its documents and the trainer's schedule.
 */
#ifndef MXT_CORE_WORKLOAD_PASSES_H
#define MXT_CORE_WORKLOAD_PASSES_H

#include "compiler.h"
#include "length_shapes.h"
#include "workload.h"

struct mxt_error;

/*
 * Sets workload->lengths.passes, and where they are from, unless a flag said so. Forward passes of one device:
 *
 *   with max_steps   max_steps * accumulation
 *   packed           epochs * floor(tokens / (capacity * efficiency) / packs of a micro-batch / devices)
 *   else             epochs * ceil(documents / micro-batch / devices)
 *
 * 0, which is not known, where the number of documents or of epochs is not. 0 or -ENOMEM.
 */
int mxt_workload_count_passes(struct mxt_workload *workload, struct mxt_error *err) MXT_WUR;

/* How the job puts its documents into micro-batches. */
struct mxt_drawing mxt_workload_drawing(const struct mxt_workload *workload);

#endif
