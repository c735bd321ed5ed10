/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much workspace torch gives its BLAS calls: algorithms that need more are not taken. Facts of torch's
 * aten/src/ATen/cuda/CublasHandlePool.cpp and CUDABlas.cpp, releases 2.8 to 2.15 (on ROCm 2.7 to 2.15). Reads the
 * environment of this process.
 */
#ifndef MXT_LT_BLAS_WORKSPACE_H
#define MXT_LT_BLAS_WORKSPACE_H

#include <stdbool.h>
#include <stddef.h>

/* What sizes depend on. */
struct mxt_blas_stack {
	unsigned torch_minor; /* of torch 2 */
	int compute_major;    /* of an NVIDIA GPU; 9: Hopper */
	const char *gfx;      /* of an AMD GPU: "gfx942"; NULL: it is none */
};

/* Minor of a version of torch 2; 0 for another. */
unsigned mxt_blas_torch_minor(const char *version);

/* Bytes for calls through cuBLAS or rocBLAS, or (through_lt) through cuBLASLt or hipBLASLt. At most 1 GiB. */
size_t mxt_blas_workspace(const struct mxt_blas_stack *stack, bool through_lt);

/*
 * Does torch on CUDA send a product through cuBLASLt? With a bias it does, others only when the environment prefers it.
 */
bool mxt_blas_through_lt(bool bias);

#endif
