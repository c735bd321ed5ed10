/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heuristic check of rocBLAS: how far its own choice for a product is from the fastest of the solutions that it
 * lists. It never ran on an AMD GPU: what is known of the interface is what its headers say.
 */
#ifndef MXT_HIP_ROCBLAS_CHECK_H
#define MXT_HIP_ROCBLAS_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "algorithm_contest.h"
#include "compiler.h"
#include "rocblas_api.h"

/* Zeroed: not open. */
struct mxt_rocblas_check {
	struct mxt_rocblas rocblas;
	struct mxt_contest_workspace workspace;
};

/* device_ops.rank; the task must be one of the device's. Loads the library when it is not. */
int mxt_rocblas_check_run(struct mxt_rocblas_check *check, struct mxt_device *device, const struct mxt_task *task,
			  size_t workspace_bytes, uint64_t limit_ns, struct mxt_ranking *ret_ranking,
			  struct mxt_error *err) MXT_WUR;
void mxt_rocblas_check_finish(struct mxt_rocblas_check *check, const struct mxt_device *device);

#endif
