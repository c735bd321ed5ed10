/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Problems as plans hold them: all integers, defaults omitted, without weights.
 */
#ifndef MXT_CORE_PROBLEM_JSON_H
#define MXT_CORE_PROBLEM_JSON_H

#include <jansson.h>

#include "compiler.h"
#include "problem.h"

/* New reference; NULL when memory ran out. */
json_t *mxt_problem_json(const struct mxt_problem *problem);

/* A product of that form. Of anything else it is none that mxt_problem_validate() takes. */
struct mxt_gemm mxt_gemm_of_json(const json_t *json);

/* Any problem of that form, called once. -EINVAL for anything else: what comes out was validated. */
int mxt_problem_of_json(const json_t *json, struct mxt_problem *ret_problem) MXT_WUR;

#endif
