/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the stand-in libtorch_cpu gives its libtorch_cuda or libtorch_hip.
 */
#ifndef MXT_SIM_TORCH_H
#define MXT_SIM_TORCH_H

#include <stdbool.h>

#include "sim_gemm.h"
#include "sim_matmul.h"
#include "sim_runtime.h"
#include "sim_sdpa.h"

/* What a libtorch_cuda or libtorch_hip brings. */
struct mxt_sim_route {
	enum mxt_sim_blas blas; /* in: what the process prefers */
	double factor;          /* in: 1; of the library's cost */
	bool is_pinned;         /* in: false; by `index` */
	int index;
	const char *why; /* where it fails */
};

struct mxt_sim_gpu {
	bool ck; /* flash attention by CK is built in */
	/* Which solution computes a product: 0, or -1. NULL: there are none to choose from. */
	int (*route)(const struct mxt_sim_gemm *gemm, bool with_bias, struct mxt_sim_route *route);
};

/* Operators on "cuda" tensors, which is also what ROCm calls them, are there from then on. `gpu` stays. */
MXT_SIM_EXPORT void mxt_sim_gpu_load(const struct mxt_sim_gpu *gpu);
bool mxt_sim_gpu_is_loaded(void);
bool mxt_sim_gpu_has_ck(void);
/* The route of a product on the device. 0, or 1 and raised. */
int mxt_sim_gpu_route(const struct mxt_sim_gemm *gemm, bool with_bias, struct mxt_sim_route *ret_route);

/* What torch.use_deterministic_algorithms(True) sets. */
bool mxt_sim_is_deterministic(void);

/* mxt_sim_dispatch(), and a second handle of a tensor to put onto its stack (of the undefined one for NULL). */
MXT_SIM_EXPORT int mxt_sim_torch_dispatch(const char *name, uint64_t *stack);
MXT_SIM_EXPORT uint64_t mxt_sim_torch_second(struct AtenTensorOpaque *tensor);

MXT_SIM_EXPORT int mxt_sim_torch_matmul(const struct mxt_sim_matmul *matmul);
/* Of query, key, value and, undefined, the bias. */
MXT_SIM_EXPORT int mxt_sim_torch_efficient_backward(struct mxt_sim_sdpa *sdpa, struct AtenTensorOpaque *ret_grads[4]);

#endif
