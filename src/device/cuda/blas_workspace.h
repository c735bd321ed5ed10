/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much workspace torch gives its BLAS calls: algorithms that need more are not taken. Facts of torch's
 * aten/src/ATen/cuda/CublasHandlePool.cpp and CUDABlas.cpp, releases 2.8 to 2.15. Reads the environment of this
 * process.
 */
#ifndef MXT_CUDA_BLAS_WORKSPACE_H
#define MXT_CUDA_BLAS_WORKSPACE_H

#include <stdbool.h>
#include <stddef.h>

/* What sizes depend on. */
struct mxt_blas_stack {
	unsigned torch_minor; /* of torch 2 */
	int compute_major;    /* 9: Hopper */
};

/* Bytes for calls through cuBLAS, or (through_lt) through cuBLASLt. At most 1 GiB. */
size_t mxt_blas_workspace(const struct mxt_blas_stack *stack, bool through_lt);

/* Does torch send a product through cuBLASLt? With a bias it does, others only when the environment prefers it. */
bool mxt_blas_through_lt(bool bias);

#endif
