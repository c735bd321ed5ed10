/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which keys of an Axolotl config a plan's attention needs.
 */
#ifndef MXT_CORE_PLAN_ATTENTION_H
#define MXT_CORE_PLAN_ATTENTION_H

#include "attention_keys.h"
#include "compiler.h"

struct mxt_plan;

/* The last version of Axolotl that is told by flags instead of attn_implementation, for whoever shows both ways. */
#define MXT_AXOLOTL_OF_FLAGS "0.16"

/*
 * As mxt_attention_keys() for the plan's attention and workload. A plan that plans no attention, or that was made by
 * the built-in provider, which trains nothing, has no edits.
 */
const char *mxt_plan_attention_keys(const struct mxt_plan *plan, const char *axolotl,
				    struct mxt_attention_edits *ret_edits) MXT_WUR;

#endif
