/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the stand-in hipBLASLt and rocBLAS tell the stand-in torch.
 */
#ifndef MXT_SIM_ROCM_BLAS_H
#define MXT_SIM_ROCM_BLAS_H

#include "sim_solutions.h"

/* Of the libraries' own interfaces. */
MXT_SIM_EXPORT int hipblasLtGetVersion(void *handle, int *version);
MXT_SIM_EXPORT int hipblasLtGetGitRevision(void *handle, char *revision);
MXT_SIM_EXPORT int rocblas_get_version_string(char *text, size_t bytes);
MXT_SIM_EXPORT int rocblas_get_version_string_size(size_t *bytes);

/* The solution that a library takes by itself, or because a file says so. `output` is the type of D. */
MXT_SIM_EXPORT struct mxt_sim_solution mxt_sim_hipblaslt_first(const struct mxt_sim_gemm *gemm, int32_t output);
MXT_SIM_EXPORT struct mxt_sim_solution mxt_sim_rocblas_first(const struct mxt_sim_gemm *gemm, int32_t output);

#endif
