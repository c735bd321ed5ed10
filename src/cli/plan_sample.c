/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_sample.h"

#include <string.h>

#include "compiler.h"
#include "json.h"

/* 0 for what no extent may be. */
static int32_t extent_of(const json_t *object, const char *key)
{
	int64_t value = mxt_json_integer(object, key);
	return value > 0 && value <= INT32_MAX ? (int32_t)value : 0;
}

static bool is_set(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

static bool read_dtype(const json_t *problem, enum mxt_dtype *ret_dtype)
{
	const char *name = mxt_json_text(problem, "dtype");
	for (int i = 0; i < MXT_DTYPE_COUNT; i++) {
		if (strcmp(name, mxt_dtype_name((enum mxt_dtype)i)) == 0) {
			*ret_dtype = (enum mxt_dtype)i;
			return true;
		}
	}
	return false;
}

static bool read_attention(const json_t *json, struct mxt_problem *ret_problem)
{
	struct mxt_attention a = {.batch = extent_of(json, "batch"),
				  .seq = extent_of(json, "seq"),
				  .heads = extent_of(json, "heads"),
				  .kv_heads = extent_of(json, "kv_heads"),
				  .head_dim = extent_of(json, "head_dim"),
				  .causal = is_set(json, "causal")};
	const char *direction = mxt_json_text(json, "direction");
	a.direction = strcmp(direction, "backward") == 0 ? MXT_BACKWARD : MXT_FORWARD;
	if (!read_dtype(json, &a.dtype) || (a.direction == MXT_FORWARD && strcmp(direction, "forward") != 0))
		return false;
	*ret_problem = (struct mxt_problem){.kind = MXT_PROBLEM_ATTENTION, .as.attention = a, .calls = 1};
	return true;
}

/* A leading dimension that is left out is the dense one. */
static int64_t leading_of(const json_t *json, const char *key, int64_t dense)
{
	return json_object_get(json, key) ? mxt_json_integer(json, key) : dense;
}

static bool read_gemm(const json_t *json, struct mxt_problem *ret_problem)
{
	struct mxt_gemm g = {.m = mxt_json_integer(json, "m"),
			     .n = mxt_json_integer(json, "n"),
			     .k = mxt_json_integer(json, "k"),
			     .trans_a = is_set(json, "trans_a"),
			     .trans_b = is_set(json, "trans_b"),
			     .accumulate = is_set(json, "accumulate"),
			     .bias = is_set(json, "bias")};
	g.lda = leading_of(json, "lda", g.trans_a ? g.m : g.k);
	g.ldb = leading_of(json, "ldb", g.trans_b ? g.k : g.n);
	g.ldc = leading_of(json, "ldc", g.n);
	if (!read_dtype(json, &g.dtype))
		return false;
	*ret_problem = (struct mxt_problem){.kind = MXT_PROBLEM_GEMM, .as.gemm = g, .calls = 1};
	return true;
}

static bool read_problem(const json_t *json, struct mxt_problem *ret_problem)
{
	const char *op = mxt_json_text(json, "op");
	if (strcmp(op, mxt_problem_kind_name(MXT_PROBLEM_ATTENTION)) == 0 ? !read_attention(json, ret_problem)
									  : !read_gemm(json, ret_problem))
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
