/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many of a machine's AMD GPUs one job may have: the rule of core/gpu_rules.h, held against what the kernel shows.
 */
#ifndef MXT_HIP_AMD_JOB_H
#define MXT_HIP_AMD_JOB_H

#include <stdint.h>

#include "compiler.h"

struct mxt_amd_machine;
struct mxt_error;
struct mxt_sysroot;

/*
 * 0: one GPU that can be used, or 8 whole cards of one kind in a full mesh. Else -ENODEV with the reason and the
 * remedy: MXT_E_GPU_COUNT (a number that the rule refuses, fewer cards than asked for, partitions, cards that differ, a
 * link that is down, cards of which nothing is known), or as mxt_amd_machine_find().
 */
int mxt_amd_job_check(const struct mxt_amd_machine *machine, int32_t gpus, struct mxt_error *err) MXT_WUR;

/* The same of the machine below a root, as a job with this environment sees it: `count` of the device's table. */
int mxt_amd_count(const struct mxt_sysroot *root, char *const *environment, int32_t gpus, struct mxt_error *err);

#endif
