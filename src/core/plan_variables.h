/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a plan says about environment variables, held to the table of variables. A plan is untrusted input: whatever the
 * table does not allow is refused, with the reason.
 */
#ifndef MXT_CORE_PLAN_VARIABLES_H
#define MXT_CORE_PLAN_VARIABLES_H

#include <jansson.h>

#include "compiler.h"

struct mxt_error;
struct mxt_json_path;

/*
 * decision.env: an object. decision.unset: an array of strings. decision.contract: an object. MXT_E_PLAN_VARIABLE for
 * names, MXT_E_PLAN_VALUE for values.
 */
int mxt_plan_env_check(const json_t *env, const struct mxt_json_path *path, struct mxt_error *err) MXT_WUR;
int mxt_plan_unset_check(const json_t *unset, const struct mxt_json_path *path, struct mxt_error *err) MXT_WUR;
int mxt_plan_contract_check(const json_t *contract, const struct mxt_json_path *path, struct mxt_error *err) MXT_WUR;

#endif
