/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for libnccl (nccl.h of NCCL 2): torch needs it, and it says which one it is. */
#include "sim_runtime.h"

MXT_SIM_EXPORT int ncclGetVersion(int *version);

int ncclGetVersion(int *version)
{
	*version = 23203;
	return 0;
}
