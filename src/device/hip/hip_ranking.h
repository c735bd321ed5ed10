/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heuristic check on AMD GPUs: of hipBLASLt or of rocBLAS, whichever torch takes for a product in this process.
 */
#ifndef MXT_HIP_HIP_RANKING_H
#define MXT_HIP_HIP_RANKING_H

#include <stdint.h>

#include "compiler.h"
#include "heuristic_check.h"
#include "rocblas_check.h"

/* Zeroed: nothing is open. */
struct mxt_hip_ranking {
	struct mxt_heuristic_check hipblaslt;
	struct mxt_rocblas_check rocblas;
};

/*
 * device_ops.rank on the device whose card is `arch` ("gfx942:sramecc+:xnack-"). Which library torch takes is what
 * torch itself says (torch_settings.h); some versions leave the variable that chooses it alone.
 */
int mxt_hip_rank(struct mxt_hip_ranking *ranking, struct mxt_device *device, struct mxt_task *task, const char *arch,
		 uint64_t limit_ns, struct mxt_ranking *ret_ranking, struct mxt_error *err) MXT_WUR;
void mxt_hip_ranking_finish(struct mxt_hip_ranking *ranking, const struct mxt_device *device);

#endif
