/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for rocBLAS (rocblas.h of ROCm 6 and 7). Statuses are rocblas_status.
 */
#include <string.h>

#include "sim_runtime.h"

enum { SUCCESS = 0, INVALID_POINTER = 2, INVALID_SIZE = 3 };

static const char version[] = SIM_ROCBLAS_VERSION "." SIM_REVISION;

MXT_SIM_EXPORT int rocblas_get_version_string(char *text, size_t bytes);
MXT_SIM_EXPORT int rocblas_get_version_string_size(size_t *bytes);

__attribute__((constructor)) static void load(void)
{
	(void)mxt_sim_enter("load.rocblas");
}

int rocblas_get_version_string(char *text, size_t bytes)
{
	if (!text)
		return INVALID_POINTER;
	if (bytes < sizeof version)
		return INVALID_SIZE;
	memcpy(text, version, sizeof version);
	return SUCCESS;
}

int rocblas_get_version_string_size(size_t *bytes)
{
	if (!bytes)
		return INVALID_POINTER;
	*bytes = sizeof version;
	return SUCCESS;
}
