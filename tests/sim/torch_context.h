/* SPDX-License-Identifier: Apache-2.0 */
/*
 * at::Context of the stand-in torch (ATen/Context.h): what a process prefers. Its methods are exported under their
 * mangled names.
 */
#ifndef MXT_SIM_TORCH_CONTEXT_H
#define MXT_SIM_TORCH_CONTEXT_H

#include "sim_scenario.h"
#include "sim_sdpa.h"

/* Which library computes products, and which backend the operators called flash are. */
enum mxt_sim_blas mxt_sim_context_blas(void);
const struct mxt_sim_sdpa_backend *mxt_sim_context_flash(void);

#endif
