/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_sample.h"

#include <string.h>

#include "json.h"
#include "problem_json.h"

/* 0 for what no extent may be. */
static int32_t extent_of(const json_t *object, const char *key)
{
	int64_t value = mxt_json_integer(object, key);
	return value > 0 && value <= INT32_MAX ? (int32_t)value : 0;
}

static bool read_attention(const json_t *json, struct mxt_problem *ret_problem)
{
	struct mxt_attention a = {.batch = extent_of(json, "batch"),
				  .seq = extent_of(json, "seq"),
				  .heads = extent_of(json, "heads"),
				  .kv_heads = extent_of(json, "kv_heads"),
				  .head_dim = extent_of(json, "head_dim"),
				  .causal = json_is_true(json_object_get(json, "causal")),
				  .dtype = mxt_dtype_find(mxt_json_text(json, "dtype"))};
	const char *direction = mxt_json_text(json, "direction");
	a.direction = strcmp(direction, "backward") == 0 ? MXT_BACKWARD : MXT_FORWARD;
	if (a.direction == MXT_FORWARD && strcmp(direction, "forward") != 0)
		return false;
	*ret_problem = (struct mxt_problem){.kind = MXT_PROBLEM_ATTENTION, .as.attention = a, .calls = 1};
	return true;
}

static bool read_problem(const json_t *json, struct mxt_problem *ret_problem)
{
	const char *op = mxt_json_text(json, "op");
	if (strcmp(op, mxt_problem_kind_name(MXT_PROBLEM_GEMM)) == 0)
		*ret_problem =
		    (struct mxt_problem){.kind = MXT_PROBLEM_GEMM, .as.gemm = mxt_gemm_of_json(json), .calls = 1};
	else if (!read_attention(json, ret_problem))
		return false;
	return mxt_problem_validate(ret_problem) == 0;
}

bool mxt_plan_sample_read(const json_t *row, struct mxt_plan_sample *ret_sample)
{
	struct mxt_plan_sample sample = {.candidate = mxt_json_text(row, "candidate"),
					 .backend = mxt_json_text(row, "backend"),
					 .status = mxt_json_text(row, "status"),
					 .reason = mxt_json_text(row, "reason")};
	if (!read_problem(json_object_get(row, "problem"), &sample.problem))
		return false;
	if (strcmp(sample.status, "ok") == 0)
		sample.median_ns = mxt_json_integer(row, "median_ns");
	*ret_sample = sample;
	return true;
}
