/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What differs between the two stacks that the stand-ins play: CUDA (sim_vendor_cuda.c) and ROCm (sim_vendor_hip.c).
 * Each runtime library holds one of them.
 */
#ifndef MXT_SIM_VENDOR_H
#define MXT_SIM_VENDOR_H

#include "sim_runtime.h"
#include "sim_scenario.h"

struct mxt_sim_error {
	int status;
	const char *name, *text;
};

struct mxt_sim_vendor {
	bool hip;
	/* By backend and by library of products: their names in a scenario and in sites; NULL: the stack has none. */
	const char *backends[MXT_SIM_BACKEND_COUNT];
	const char *blas[MXT_SIM_BLAS_COUNT];
	const struct mxt_sim_scenario *defaults;
	const struct mxt_sim_error *errors; /* ended by a row without a name */
	/* How many devices a process sees; NULL: all. */
	int (*count)(const struct mxt_sim_device *device);
	int busy; /* what a device says that another process has */
};

extern MXT_SIM_EXPORT const struct mxt_sim_vendor mxt_sim_vendor;

#endif
