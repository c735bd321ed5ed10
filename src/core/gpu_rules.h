/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many GPUs of one board a job may have, and why: what the links between them say, without a look at the machine.
 *
 * The board is that of the MI300 family: 8 GPUs, one xGMI link for each pair. A link carries about 48 GB/s in each
 * direction after its overheads; RCCL's topology code counts with the same figure (src/graph/topo.h). Everything here
 * is from documents and sources, nothing from a measurement of ours.
 */
#ifndef MXT_CORE_GPU_RULES_H
#define MXT_CORE_GPU_RULES_H

#include <stdint.h>

#include "compiler.h"

struct mxt_error;

#define MXT_XGMI_GPUS      8
#define MXT_XGMI_LINKS     7 /* of each GPU */
#define MXT_XGMI_LINK_GB_S 48

/*
 * RCCL (src/graph/connect.cc) keeps NCCL_MIN_NCHANNELS above this for 8 ranks and more on one node only: with fewer it
 * goes back to its own choice and warns, with several nodes it takes this many.
 */
#define MXT_RCCL_SMALL_CHANNELS 64

/* 0 for 1 and 8; MXT_E_GPU_COUNT (-ENODEV) with the reason and the remedy for every other number. */
int mxt_gpu_count_check(int32_t gpus, struct mxt_error *err) MXT_WUR;

#endif
