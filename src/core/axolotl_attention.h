/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of an Axolotl config that say what computes attention.
 */
#ifndef MXT_CORE_AXOLOTL_ATTENTION_H
#define MXT_CORE_AXOLOTL_ATTENTION_H

#include <stdbool.h>

#include "compiler.h"

struct mxt_axolotl_map;
struct mxt_workload;

/*
 * Fills workload->attention (by the rules of Axolotl 0.17 and later) and workload->attention_config, and notes keys
 * that contradict each other. 0, -ENOMEM, or MXT_E_YAML_VALUE.
 */
int mxt_axolotl_attention(const struct mxt_axolotl_map *map, struct mxt_workload *workload) MXT_WUR;

/* Is it one of these keys? */
bool mxt_axolotl_attention_has_key(const char *key);

#endif
