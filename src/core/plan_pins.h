/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules for pins in a decision that no table can say: what belongs together, orders, and that the file that carries
 * them can be written and will be read.
 */
#ifndef MXT_CORE_PLAN_PINS_H
#define MXT_CORE_PLAN_PINS_H

#include <jansson.h>

#include "compiler.h"

struct mxt_error;
struct mxt_json_path;

/*
 * `decision`, found at `path`, keeps to the tables. MXT_E_PLAN_FIELD with the path of what does not keep to the rules.
 */
int mxt_plan_pins_check(const json_t *decision, const struct mxt_json_path *path, struct mxt_error *err) MXT_WUR;

#endif
