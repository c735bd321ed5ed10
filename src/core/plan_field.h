/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of a plan, as a table (plan_fields.def), and the check that a document keeps to it.
 */
#ifndef MXT_CORE_PLAN_FIELD_H
#define MXT_CORE_PLAN_FIELD_H

#include <jansson.h>
#include <stddef.h>

#include "compiler.h"
#include "field_table.h"

struct mxt_error;
struct mxt_json_path;

enum mxt_plan_object {
	MXT_PLAN_OBJECT_PLAN,
	MXT_PLAN_OBJECT_DECISION,
	MXT_PLAN_OBJECT_PLATFORM,
	MXT_PLAN_OBJECT_STACK,
	MXT_PLAN_OBJECT_WORKLOAD,
	MXT_PLAN_OBJECT_MODEL,
	MXT_PLAN_OBJECT_TRAINING,
	MXT_PLAN_OBJECT_SCALED,
	MXT_PLAN_OBJECT_ATTENTION,
	MXT_PLAN_OBJECT_GEMM,
	MXT_PLAN_OBJECT_LIBRARIES,
	MXT_PLAN_OBJECT_PIN,
	MXT_PLAN_OBJECT_PRODUCT,
	MXT_PLAN_OBJECT_COLLECTIVE,
	MXT_PLAN_OBJECT_MESSAGE,
	/* From here on unknown keys are ignored. */
	MXT_PLAN_OBJECT_EVIDENCE,
	MXT_PLAN_OBJECT_BUDGET,
	MXT_PLAN_OBJECT_LENGTHS,
	MXT_PLAN_OBJECT_SAMPLE,
	MXT_PLAN_OBJECT_CHOICE,
	MXT_PLAN_OBJECT_NEW_LENGTHS,
	MXT_PLAN_OBJECT_FIRST_CALL,
	MXT_PLAN_OBJECT_WARM_UP,
	MXT_PLAN_OBJECT_HEURISTIC,
	MXT_PLAN_OBJECT_RANKING,
	MXT_PLAN_OBJECT_COUNT,
};

size_t mxt_plan_field_count(void);
const struct mxt_field *mxt_plan_field_at(size_t i);
const char *mxt_plan_object_name(enum mxt_plan_object object); /* "platform" */

/* 0 when the value, found at `path`, is such an object and all below keeps to the table; else MXT_E_PLAN_* . */
int mxt_plan_object_check(enum mxt_plan_object object, const json_t *value, const struct mxt_json_path *path,
			  struct mxt_error *err) MXT_WUR;

#endif
