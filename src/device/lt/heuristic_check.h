/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heuristic check of cuBLASLt and hipBLASLt: a product as torch issues it (its operands, workspace and epilogue),
 * the algorithms that the library ranks for it, and how far the first of them is from the fastest.
 */
#ifndef MXT_LT_HEURISTIC_CHECK_H
#define MXT_LT_HEURISTIC_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "algorithm_contest.h"
#include "compiler.h"
#include "lt_library.h"

/* Zeroed: not open. */
struct mxt_heuristic_check {
	struct mxt_lt_library lt;
	struct mxt_contest_workspace workspace;
};

/* Loads the library when it is not; `device` is one of device/torch on a GPU. */
int mxt_heuristic_check_open(struct mxt_heuristic_check *check, const struct mxt_lt_dialect *dialect,
			     struct mxt_error *err) MXT_WUR;
void mxt_heuristic_check_finish(struct mxt_heuristic_check *check, const struct mxt_device *device);

/* device_ops.rank; the task must be one of the device's. `workspace_bytes`: what torch lets its own call use. */
int mxt_heuristic_check_run(struct mxt_heuristic_check *check, struct mxt_device *device, const struct mxt_task *task,
			    size_t workspace_bytes, uint64_t limit_ns, struct mxt_ranking *ret_ranking,
			    struct mxt_error *err) MXT_WUR;

#endif
