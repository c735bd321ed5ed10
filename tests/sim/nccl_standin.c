/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for libnccl (nccl.h of NCCL 2), or for librccl, which has the same names: torch needs it, and it says
 * which one it is.
 */
#include "sim_runtime.h"

#ifndef SIM_NCCL_VERSION
#define SIM_NCCL_VERSION 23203
#endif

MXT_SIM_EXPORT int ncclGetVersion(int *version);

int ncclGetVersion(int *version)
{
	*version = SIM_NCCL_VERSION;
	return 0;
}
