/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_field.h"

#include <string.h>

#include "field_rows.h"

/* clang-format off */
/* A decision has no empty lists: leaving the key out says the same. */
#define LIST(name)   {MXT_FIELD_LIST, MXT_PLAN_OBJECT_##name < MXT_PLAN_OBJECT_EVIDENCE, 0, "", MXT_PLAN_OBJECT_##name}
#define OBJECT(name) {MXT_FIELD_OBJECT, 0, 0, "", MXT_PLAN_OBJECT_##name}
/* clang-format on */

static const struct mxt_field fields[] = {
#define MXT_PLAN_FIELD(object, key, need, rule, omitted, meaning)                                                      \
	{MXT_PLAN_OBJECT_##object, key, need, rule, omitted, meaning},
#include "plan_fields.def"
#undef MXT_PLAN_FIELD
};

size_t mxt_plan_field_count(void)
{
	return MXT_ARRAY_LEN(fields);
}

const struct mxt_field *mxt_plan_field_at(size_t i)
{
	return &fields[i];
}

const char *mxt_plan_object_name(enum mxt_plan_object object)
{
	static const char *const names[] = {
	    [MXT_PLAN_OBJECT_PLAN] = "plan",
	    [MXT_PLAN_OBJECT_DECISION] = "decision",
	    [MXT_PLAN_OBJECT_PLATFORM] = "platform",
	    [MXT_PLAN_OBJECT_STACK] = "stack",
	    [MXT_PLAN_OBJECT_WORKLOAD] = "workload",
	    [MXT_PLAN_OBJECT_MODEL] = "model",
	    [MXT_PLAN_OBJECT_TRAINING] = "training",
	    [MXT_PLAN_OBJECT_SCALED] = "scaled",
	    [MXT_PLAN_OBJECT_ATTENTION] = "attention",
	    [MXT_PLAN_OBJECT_GEMM] = "gemm",
	    [MXT_PLAN_OBJECT_LIBRARIES] = "libraries",
	    [MXT_PLAN_OBJECT_PIN] = "pin",
	    [MXT_PLAN_OBJECT_PRODUCT] = "product",
	    [MXT_PLAN_OBJECT_COLLECTIVE] = "collective",
	    [MXT_PLAN_OBJECT_MESSAGE] = "message",
	    [MXT_PLAN_OBJECT_EVIDENCE] = "evidence",
	    [MXT_PLAN_OBJECT_BUDGET] = "budget",
	    [MXT_PLAN_OBJECT_LENGTHS] = "lengths",
	    [MXT_PLAN_OBJECT_SAMPLE] = "sample",
	    [MXT_PLAN_OBJECT_CHOICE] = "choice",
	    [MXT_PLAN_OBJECT_NEW_LENGTHS] = "new_lengths",
	    [MXT_PLAN_OBJECT_FIRST_CALL] = "first_call",
	    [MXT_PLAN_OBJECT_WARM_UP] = "warm_up",
	    [MXT_PLAN_OBJECT_HEURISTIC] = "heuristic",
	    [MXT_PLAN_OBJECT_RANKING] = "ranking",
	};
	return names[object];
}

/* Evidence of a newer version: only what decides how the plan may be used is looked at. */
static bool is_skipped(unsigned object, const json_t *value, const char *key)
{
	return object == MXT_PLAN_OBJECT_EVIDENCE && json_integer_value(json_object_get(value, "version")) > 1 &&
	       strcmp(key, "version") != 0 && strcmp(key, "simulated") != 0;
}

int mxt_plan_object_check(enum mxt_plan_object object, const json_t *value, const struct mxt_json_path *path,
			  struct mxt_error *err)
{
	static const struct mxt_field_table table = {
	    .fields = fields,
	    .count = MXT_ARRAY_LEN(fields),
	    .first_open = MXT_PLAN_OBJECT_EVIDENCE,
	    .unknown_key = MXT_E_PLAN_KEY,
	    .bad_value = MXT_E_PLAN_FIELD,
	    .skips = is_skipped,
	};
	return mxt_field_object_check(&table, object, value, path, err);
}
