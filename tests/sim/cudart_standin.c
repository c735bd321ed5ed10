/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for NVIDIA's CUDA runtime (cuda_runtime_api.h of CUDA 13.0), as far as gpu_calls.c does not hold it.
 */
#include "sim_runtime.h"
#include "sim_scenario.h"

#ifndef SIM_CUDART_VERSION
#define SIM_CUDART_VERSION 13000
#endif

enum { SUCCESS = 0, INVALID_VALUE = 1, INSUFFICIENT_DRIVER = 35, NO_DEVICE = 100, INVALID_DEVICE = 101 };

MXT_SIM_EXPORT int cudaDeviceGetAttribute(int *value, int attribute, int device);
MXT_SIM_EXPORT int cudaRuntimeGetVersion(int *version);
MXT_SIM_EXPORT int cudaDriverGetVersion(int *version);

/* The numbers are those of enum cudaDeviceAttr. */
int cudaDeviceGetAttribute(int *value, int attribute, int device)
{
	const struct mxt_sim_device *card = &mxt_sim_scenario()->device;
	const struct {
		int attribute, value;
	} rows[] = {
	    {10, 32},      {13, 1980000}, {16, card->multiprocessors}, {20, card->compute_mode}, {32, 1},
	    {36, 3201000}, {37, 6144},    {38, (int)card->l2_bytes},   {75, card->major},        {76, card->minor},
	};
	if (device < 0 || device >= card->count)
		return INVALID_DEVICE;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (rows[i].attribute == attribute) {
			*value = rows[i].value;
			return card->status == INSUFFICIENT_DRIVER || card->status == NO_DEVICE ? card->status
												: SUCCESS;
		}
	return INVALID_VALUE;
}

int cudaRuntimeGetVersion(int *version)
{
	int wanted = mxt_sim_scenario()->device.runtime_version;
	*version = wanted < 0 ? SIM_CUDART_VERSION : wanted;
	return SUCCESS;
}

int cudaDriverGetVersion(int *version)
{
	const struct mxt_sim_device *device = &mxt_sim_scenario()->device;
	*version = device->status == INSUFFICIENT_DRIVER ? 0 : device->driver_version;
	return SUCCESS;
}
