/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_vendor.h"
#include "sim_visible.h"

/*
 * About what public figures say of one MI300X at 750 W, bfloat16: attention of 128 wide causal heads by CK and
 * AOTriton, products of some thousands a side, copies at 4.2 TB/s. None of it was measured with this program.
 */
static const struct mxt_sim_scenario defaults = {
    .seed = -1,
    .bytes_per_s = 4.2e12,
    .clock = {.cold_factor = 1},
    .device = {.count = 1,
	       .major = 9,
	       .minor = 4,
	       .multiprocessors = 304,
	       .runtime_version = -1, /* that of the library's name */
	       .driver_version = -1,  /* HIP has one version for both */
	       .l2_bytes = 4194304,
	       .memory_bytes = INT64_C(206141652992),
	       .name = "AMD Instinct MI300X",
	       .arch = "gfx942:sramecc+:xnack-"},
    .attention = {[MXT_SIM_MATH] = {{30000, 1.8e13, 0}, {60000, 1.8e13, 0}},
		  [MXT_SIM_FLASH] = {{20000, 3e14, 0}, {60000, 3.8e14, 0}},
		  [MXT_SIM_EFFICIENT] = {{22000, 2.4e14, 0}, {70000, 1.9e14, 0}},
		  [MXT_SIM_CK] = {{18000, 4.6e14, 0}, {50000, 4.1e14, 0}}},
    .mm = {[MXT_SIM_CUBLAS] = {8000, 4.4e14, 0}, [MXT_SIM_CUBLASLT] = {7000, 6.5e14, 0}},
    .solutions = {[MXT_SIM_CUBLAS] = {.count = 40, .seed = 1, .gain = 0.75, .workspace_bytes = 0},
		  [MXT_SIM_CUBLASLT] = {.count = 940,
					.seed = 2,
					.gain = 0.04,
					.cliff_share = 0.1,
					.cliff_gain = 1.1,
					.workspace_bytes = 16777216}},
};

/* hip_runtime_api.h; the texts are those of hipGetErrorString. */
static const struct mxt_sim_error errors[] = {
    {0, "hipSuccess", "no error"},
    {1, "hipErrorInvalidValue", "invalid argument"},
    {2, "hipErrorOutOfMemory", "out of memory"},
    {3, "hipErrorNotInitialized", "initialization error"},
    {35, "hipErrorInsufficientDriver", "driver version is insufficient for runtime version"},
    {98, "hipErrorInvalidDeviceFunction", "invalid device function"},
    {100, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {101, "hipErrorInvalidDevice", "invalid device ordinal"},
    {209, "hipErrorNoBinaryForGpu", "no kernel image is available for execution on the device"},
    {400, "hipErrorInvalidHandle", "invalid resource handle"},
    {600, "hipErrorNotReady", "device not ready"},
    {700, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {719, "hipErrorLaunchFailure", "unspecified launch failure"},
    {801, "hipErrorNotSupported", "operation not supported"},
    {999, "hipErrorUnknown", "unknown error"},
    {0, NULL, "unrecognized error code"},
};

static int count_visible(const struct mxt_sim_device *device)
{
	return mxt_sim_visible(device->count).count;
}

const struct mxt_sim_vendor mxt_sim_vendor = {
    .hip = true,
    .backends =
	{[MXT_SIM_MATH] = "math", [MXT_SIM_FLASH] = "aotriton", [MXT_SIM_EFFICIENT] = "efficient", [MXT_SIM_CK] = "ck"},
    .blas = {[MXT_SIM_CUBLAS] = "rocblas", [MXT_SIM_CUBLASLT] = "hipblaslt"},
    .defaults = &defaults,
    .errors = errors,
    .count = count_visible,
    .busy = 2, /* HIP has no word for it */
};
