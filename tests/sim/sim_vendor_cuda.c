/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_vendor.h"

/* About what an H200 does (docs/benchmarks.md has the measured ones), so that a bare scenario looks like one. */
static const struct mxt_sim_scenario defaults = {
    .seed = -1,
    .bytes_per_s = 4e12,
    .clock = {.cold_factor = 1},
    .device = {.count = 1,
	       .major = 9,
	       .multiprocessors = 132,
	       .runtime_version = -1, /* that of the library's name */
	       .driver_version = 13000,
	       .l2_bytes = 62914560,
	       .memory_bytes = INT64_C(150000000000)},
    .attention = {[MXT_SIM_MATH] = {{20000, 4e13, 0}, {40000, 4e13, 0}},
		  [MXT_SIM_FLASH] = {{8000, 3.4e14, 0}, {20000, 2.9e14, 0}},
		  [MXT_SIM_EFFICIENT] = {{10000, 1.7e14, 0}, {25000, 1.3e14, 0}},
		  [MXT_SIM_CUDNN] = {{9000, 5.7e14, 1e8}, {18000, 4.6e14, 1e8}}},
    .mm = {[MXT_SIM_CUBLAS] = {5000, 7e14, 0}, [MXT_SIM_CUBLASLT] = {5000, 6.8e14, 0}},
    .algorithms = {.factors = {1, 0.99, 1.04}, .count = 3, .workspace_bytes = 1048576},
};

static const struct mxt_sim_error errors[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"},
    {46, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {0, NULL, "unrecognized error code"},
};

const struct mxt_sim_vendor mxt_sim_vendor = {
    .backends = {[MXT_SIM_MATH] = "math",
		 [MXT_SIM_FLASH] = "flash",
		 [MXT_SIM_EFFICIENT] = "efficient",
		 [MXT_SIM_CUDNN] = "cudnn"},
    .blas = {[MXT_SIM_CUBLAS] = "cublas", [MXT_SIM_CUBLASLT] = "cublaslt"},
    .defaults = &defaults,
    .errors = errors,
    .busy = 46,
};
