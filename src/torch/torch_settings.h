/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings of the torch that this process has loaded, which its C interface does not reach: methods of at::Context,
 * found by their mangled names (torch_abi.def).
 */
#ifndef MXT_TORCH_TORCH_SETTINGS_H
#define MXT_TORCH_TORCH_SETTINGS_H

#include "compiler.h"

struct mxt_error;
struct mxt_torch;

/*
 * What torch.use_deterministic_algorithms(True) does, for the rest of this process: operators take kernels that repeat
 * their results, or refuse; new memory is filled first, as in a job that does the same. MXT_E_LIBRARY_BROKEN (-ELIBBAD)
 * when this torch cannot be told.
 */
int mxt_torch_be_deterministic(const struct mxt_torch *torch, struct mxt_error *err) MXT_WUR;

/*
 * Witnesses: what torch itself says it takes under this process's environment. To be asked after a first operation on
 * the device, which they may look at. Static; "" when this torch cannot be asked.
 */

/* Who computes flash attention where torch is built for ROCm: "ck" or "aotriton". */
const char *mxt_torch_fa_library(const struct mxt_torch *torch);

/* Who multiplies matrices: "hipblaslt" or "rocblas" of ROCm, "cublaslt" or "cublas" else. */
const char *mxt_torch_blas_library(const struct mxt_torch *torch);

#endif
