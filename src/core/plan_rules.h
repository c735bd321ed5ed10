/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What no single field of a decision can show: fields that must agree, orders that make equal decisions equal bytes,
 * and defaults that depend on other fields.
 */
#ifndef MXT_CORE_PLAN_RULES_H
#define MXT_CORE_PLAN_RULES_H

#include <jansson.h>

#include "compiler.h"

struct mxt_error;
struct mxt_json_path;

/* `decision` has passed mxt_plan_object_check(). 0, or MXT_E_PLAN_FIELD. */
int mxt_plan_rules_check(const json_t *decision, const struct mxt_json_path *path, struct mxt_error *err) MXT_WUR;

#endif
