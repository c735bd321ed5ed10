/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What there is to say about an Axolotl config beyond its values: what is not modelled (axolotl_unmodelled.def, TF32),
 * keys that nobody reads (axolotl_keys.def), numbers that stay text.
 */
#ifndef MXT_CORE_AXOLOTL_REMARKS_H
#define MXT_CORE_AXOLOTL_REMARKS_H

#include "compiler.h"

struct mxt_axolotl_map;
struct mxt_workload;

int mxt_axolotl_remarks(const struct mxt_axolotl_map *map, struct mxt_workload *workload) MXT_WUR;

#endif
