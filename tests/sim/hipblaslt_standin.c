/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for hipBLASLt (hipblaslt.h of ROCm 6.0 to 7.2). SIM_HIPBLASLT_VERSION is major * 100000 + minor * 100 +
 * patch. Statuses are hipblasStatus_t.
 */
#include <stdio.h>
#include <string.h>

#include "sim_runtime.h"

#define REVISION_BYTES 128

enum { SUCCESS = 0, INVALID_VALUE = 3 };

MXT_SIM_EXPORT int hipblasLtGetVersion(void *handle, int *version);
MXT_SIM_EXPORT int hipblasLtGetGitRevision(void *handle, char *revision);

__attribute__((constructor)) static void load(void)
{
	(void)mxt_sim_enter("load.hipblaslt");
}

int hipblasLtGetVersion(void *handle, int *version)
{
	(void)handle;
	*version = SIM_HIPBLASLT_VERSION;
	return SUCCESS;
}

int hipblasLtGetGitRevision(void *handle, char *revision)
{
	(void)handle;
	if (!revision)
		return INVALID_VALUE;
	(void)snprintf(revision, REVISION_BYTES, "%s", SIM_REVISION);
	return SUCCESS;
}
