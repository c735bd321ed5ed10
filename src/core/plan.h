/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan, for the program itself. Reading, verifying and most queries are the installed interface.
 */
#ifndef MXT_CORE_PLAN_H
#define MXT_CORE_PLAN_H

#include <jansson.h>
#include <mindxtrain/mindxtrain.h>

#include "compiler.h"

#define MXT_PLAN_SCHEMA           "mindxtrain.plan/1"
#define MXT_PLAN_EVIDENCE_VERSION 1 /* what this version writes, and the newest that it understands */

/*
 * Puts a plan together: the id over the decision, and everything in one document (new reference), which is then held to
 * what the reader demands. `env`, `unset` and `contract` may be empty, and `unset` in any order: the decision that is
 * sealed has them as the format wants them. The file form is mxt_json_canonical() of the document and a newline.
 */
int mxt_plan_seal(const json_t *decision, const json_t *evidence, json_t **ret_plan, struct mxt_error *err) MXT_WUR;

/* Borrowed parts. */
const json_t *mxt_plan_document(const struct mxt_plan *plan);
const json_t *mxt_plan_decision(const struct mxt_plan *plan);
const json_t *mxt_plan_evidence(const struct mxt_plan *plan);

/* What the job must do itself for the plan to be true of it, as a sentence; NULL: nothing. */
const char *mxt_plan_duty(const struct mxt_plan *plan);

static inline void mxt_plan_cleanup_(struct mxt_plan **plan)
{
	mxt_plan_destroy(*plan);
}
#define MXT_CLEANUP_PLAN MXT_CLEANUP(mxt_plan_cleanup_)

#endif
