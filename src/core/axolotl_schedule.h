/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of an Axolotl config that say how the trainer walks through its data. Defaults are those of Axolotl 0.18:
 * one epoch, micro-batches padded to a multiple of 64 tokens unless pad_to_sequence_len is given
 * (axolotl/core/builders/causal.py), at most 200 documents in a pack.
 */
#ifndef MXT_CORE_AXOLOTL_SCHEDULE_H
#define MXT_CORE_AXOLOTL_SCHEDULE_H

#include "axolotl_value.h"
#include "compiler.h"
#include "workload.h"

/* Sets workload->schedule whole; the micro-batch is read before. Errors: MXT_E_YAML_VALUE. */
int mxt_axolotl_schedule(const struct mxt_axolotl_map *map, struct mxt_workload *workload) MXT_WUR;

#endif
