/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Torch's TunableOp on ROCm, as far as files pin solutions (aten/src/ATen/cuda/tunable/README.md and Tunable.cpp of 2.7
 * to 2.10). A file counts when its "Validator" lines hold exactly the keys of this build and equal values; it is
 * rejected as a whole otherwise, with a warning. Without PYTORCH_TUNABLEOP_TUNING=0 what the file lacks is tuned: the
 * first call of a shape takes as long as all solutions do, and the file is written.
 */
#ifndef MXT_SIM_TUNABLE_H
#define MXT_SIM_TUNABLE_H

#include <stdbool.h>

#include "sim_gemm.h"
#include "sim_torch.h"

/* PYTORCH_TUNABLEOP_ENABLED=1 */
bool mxt_sim_tunable_is_on(void);

/* 0; `route` is changed where a solution is pinned. -1 and route->why: the file names a solution that there is not. */
int mxt_sim_tunable_route(const struct mxt_sim_gemm *gemm, bool with_bias, struct mxt_sim_route *route);

#endif
