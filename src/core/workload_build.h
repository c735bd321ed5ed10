/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the readers of model and trainer configs fill a workload. Not for users of a workload.
 */
#ifndef MXT_CORE_WORKLOAD_BUILD_H
#define MXT_CORE_WORKLOAD_BUILD_H

#include "compiler.h"
#include "workload.h"

struct mxt_error;

/* Limits of what is accepted; products of the maxima stay far inside 63 bits. */
#define MXT_MAX_LAYERS      1024
#define MXT_MAX_HIDDEN      (1 << 18)
#define MXT_MAX_HEADS       4096
#define MXT_MAX_HEAD_DIM    4096
#define MXT_MAX_FFN         (1 << 20)
#define MXT_MAX_VOCAB       (1 << 24)
#define MXT_MAX_EXPERTS     65536
#define MXT_MAX_WINDOW      (1 << 24)
#define MXT_MAX_SEQ_LEN     (1 << 23)
#define MXT_MAX_MICRO_BATCH 65536
#define MXT_MAX_LORA_RANK   8192
#define MXT_MAX_GPUS        65536

/* Adds a sentence; one that is there already is not repeated. 0 or -ENOMEM. */
int mxt_workload_note(struct mxt_workload *workload, struct mxt_error *err, const char *fmt, ...) MXT_PRINTF(3, 4);

/* Adds a sentence to not_modelled and excludes `parts` (enum mxt_part bits, may be 0). 0 or -ENOMEM. */
int mxt_workload_exclude(struct mxt_workload *workload, uint32_t parts, struct mxt_error *err, const char *fmt, ...)
    MXT_PRINTF(4, 5);

#endif
