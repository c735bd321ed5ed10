/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which projections carry LoRA: lora_target_linear and lora_target_modules, as peft understands them.
 */
#ifndef MXT_CORE_AXOLOTL_TARGETS_H
#define MXT_CORE_AXOLOTL_TARGETS_H

#include "compiler.h"

struct mxt_axolotl_map;
struct mxt_workload;

/* Sets workload->training.lora_targets; what cannot be modelled, and what is assumed, is said. */
int mxt_axolotl_targets(const struct mxt_axolotl_map *map, struct mxt_workload *workload) MXT_WUR;

#endif
