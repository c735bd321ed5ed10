/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heuristic check of cuBLASLt: a product as torch issues it (its operands, workspace and epilogue), the algorithms
 * that the library ranks for it, and how far the first of them is from the fastest.
 */
#ifndef MXT_CUDA_HEURISTIC_CHECK_H
#define MXT_CUDA_HEURISTIC_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "blas_workspace.h"
#include "compiler.h"
#include "cublaslt.h"

struct mxt_device;
struct mxt_error;
struct mxt_ranking;
struct mxt_task;

/* Zeroed: not open. */
struct mxt_heuristic_check {
	struct mxt_cublaslt lt;
	struct mxt_blas_stack stack;
	void *workspace; /* device memory */
	size_t workspace_bytes;
};

/* Loads the library when it is not; `device` is one of device/torch on CUDA. */
int mxt_heuristic_check_open(struct mxt_heuristic_check *check, const struct mxt_device *device, int compute_major,
			     struct mxt_error *err) MXT_WUR;
void mxt_heuristic_check_finish(struct mxt_heuristic_check *check, const struct mxt_device *device);

/* device_ops.rank. The task must be one of the device's. */
int mxt_heuristic_check_run(struct mxt_heuristic_check *check, struct mxt_device *device, const struct mxt_task *task,
			    uint64_t limit_ns, struct mxt_ranking *ret_ranking, struct mxt_error *err) MXT_WUR;

#endif
