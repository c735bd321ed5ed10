/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a plan can switch in torch for CUDA.
 */
#ifndef MXT_CUDA_CANDIDATES_H
#define MXT_CUDA_CANDIDATES_H

#include "device_ops.h"

/* Selector variables, sorted, NULL-ended. */
extern const char *const mxt_cuda_selectors[];

/* device_ops.candidates */
int mxt_cuda_candidates(const struct mxt_sysroot *root, const struct mxt_inventory *inventory,
			enum mxt_problem_kind probe, char *const *environment, struct mxt_candidate_list *ret_list,
			struct mxt_error *err);

#endif
