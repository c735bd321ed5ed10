/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a plan can switch in torch for ROCm.
 */
#ifndef MXT_HIP_CANDIDATES_H
#define MXT_HIP_CANDIDATES_H

#include "device_ops.h"

/* In stack.capabilities: torch was built with the attention of Composable Kernel. */
#define MXT_HIP_CK_ATTENTION "ck_sdpa"

/* Selector variables, sorted, NULL-ended. */
extern const char *const mxt_hip_selectors[];

/* device_ops.candidates */
int mxt_hip_candidates(const struct mxt_sysroot *root, const struct mxt_inventory *inventory,
		       enum mxt_problem_kind probe, char *const *environment, struct mxt_candidate_list *ret_list,
		       struct mxt_error *err);

#endif
