/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hand-offs: files that other tools read, derived from the decision when the plan is used. A plan names one as the
 * value of a variable, @file:NAME@; where it lies is decided by whoever uses the plan.
 */
#ifndef MXT_CORE_PLAN_HANDOFF_H
#define MXT_CORE_PLAN_HANDOFF_H

#include <stdbool.h>

#include "buf.h"
#include "compiler.h"

struct mxt_error;
struct mxt_plan;

bool mxt_is_handoff(const char *value);

/* True when some variable of the plan names a hand-off. */
bool mxt_plan_has_handoffs(const struct mxt_plan *plan);

/*
 * Writes every hand-off of the plan into `dir`, which exists, each atomically. MXT_E_PLAN_HANDOFF for one that the
 * decision holds nothing for.
 */
int mxt_plan_write_handoffs(const struct mxt_plan *plan, const char *dir, struct mxt_error *err) MXT_WUR;

/* Appends the value as it is exported: a hand-off becomes its path in `dir`. */
void mxt_handoff_resolve(const char *value, const char *dir, struct mxt_buf *buf);

#endif
