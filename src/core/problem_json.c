/* SPDX-License-Identifier: Apache-2.0 */
#include "problem_json.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "json.h"

/* Lengths of documents as an array; NULL when memory ran out. */
static json_t *documents_json(const struct mxt_attention *a)
{
	json_t *list = json_array();
	for (uint32_t i = 0; list && i < a->n_documents; i++) {
		if (json_array_append_new(list, json_integer(a->documents[i])) == 0)
			continue;
		json_decref(list);
		return NULL;
	}
	return list;
}

/* What is not there is left out. */
static int set_attention_options(json_t *json, const struct mxt_attention *a)
{
	int rc = 0;
	if (a->causal)
		rc |= json_object_set_new(json, "causal", json_true());
	if (a->masked)
		rc |= json_object_set_new(json, "masked", json_true());
	if (a->repeated)
		rc |= json_object_set_new(json, "repeated", json_true());
	if (a->window > 0)
		rc |= json_object_set_new(json, "window", json_integer(a->window));
	if (a->n_documents > 0)
		rc |= json_object_set_new(json, "documents", documents_json(a));
	return rc;
}

static json_t *attention_json(const struct mxt_attention *a)
{
	json_t *json =
	    json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:s, s:s}", "op", "attention", "batch", (json_int_t)a->batch,
		      "seq", (json_int_t)a->seq, "heads", (json_int_t)a->heads, "kv_heads", (json_int_t)a->kv_heads,
		      "head_dim", (json_int_t)a->head_dim, "dtype", mxt_dtype_name(a->dtype), "direction",
		      a->direction == MXT_FORWARD ? "forward" : "backward");
	if (!json || set_attention_options(json, a) == 0)
		return json;
	json_decref(json);
	return NULL;
}

static int64_t dense_lda(const struct mxt_gemm *g)
{
	return g->trans_a ? g->m : g->k;
}

static int64_t dense_ldb(const struct mxt_gemm *g)
{
	return g->trans_b ? g->k : g->n;
}

/* Transposes, accumulation and bias are omitted when absent; leading dimensions when they are the dense ones. */
static json_t *gemm_json(const struct mxt_gemm *g)
{
	json_t *json = json_pack("{s:s, s:I, s:I, s:I, s:s}", "op", "gemm", "m", (json_int_t)g->m, "n",
				 (json_int_t)g->n, "k", (json_int_t)g->k, "dtype", mxt_dtype_name(g->dtype));
	const struct {
		const char *key;
		bool set;
	} flags[] = {
	    {"trans_a", g->trans_a}, {"trans_b", g->trans_b}, {"accumulate", g->accumulate}, {"bias", g->bias}};
	const struct {
		const char *key;
		int64_t value, dense;
	} leading[] = {{"lda", g->lda, dense_lda(g)}, {"ldb", g->ldb, dense_ldb(g)}, {"ldc", g->ldc, g->n}};
	int rc = json ? 0 : -1;
	for (size_t i = 0; i < MXT_ARRAY_LEN(flags); i++)
		if (rc == 0 && flags[i].set)
			rc = json_object_set_new(json, flags[i].key, json_true());
	for (size_t i = 0; i < MXT_ARRAY_LEN(leading); i++)
		if (rc == 0 && leading[i].value != leading[i].dense)
			rc = json_object_set_new(json, leading[i].key, json_integer(leading[i].value));
	if (rc == 0 && g->batch > 0)
		rc = json_object_set_new(json, "batch", json_integer(g->batch));
	if (rc < 0) {
		json_decref(json);
		return NULL;
	}
	return json;
}

json_t *mxt_problem_json(const struct mxt_problem *problem)
{
	return problem->kind == MXT_PROBLEM_GEMM ? gemm_json(&problem->as.gemm)
						 : attention_json(&problem->as.attention);
}

static bool flag(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

/* A size that no problem can have stays one when it is cut to 32 bits. */
static int32_t cut(int64_t size)
{
	return size >= INT32_MIN && size <= INT32_MAX ? (int32_t)size : -1;
}

static int32_t size_of(const json_t *json, const char *key)
{
	return cut(mxt_json_integer(json, key));
}

struct mxt_gemm mxt_gemm_of_json(const json_t *json)
{
	struct mxt_gemm g = {.m = mxt_json_integer(json, "m"),
			     .n = mxt_json_integer(json, "n"),
			     .k = mxt_json_integer(json, "k"),
			     .trans_a = flag(json, "trans_a"),
			     .trans_b = flag(json, "trans_b"),
			     .accumulate = flag(json, "accumulate"),
			     .bias = flag(json, "bias"),
			     .batch = size_of(json, "batch"),
			     .dtype = mxt_dtype_find(mxt_json_text(json, "dtype"))};
	g.lda = mxt_json_integer_or(json, "lda", dense_lda(&g));
	g.ldb = mxt_json_integer_or(json, "ldb", dense_ldb(&g));
	g.ldc = mxt_json_integer_or(json, "ldc", g.n);
	return g;
}

static int take_documents(const json_t *list, struct mxt_attention *a)
{
	if (json_array_size(list) > MXT_MAX_DOCUMENTS)
		return -EINVAL;
	a->n_documents = (uint32_t)json_array_size(list);
	for (uint32_t i = 0; i < a->n_documents; i++)
		a->documents[i] = cut(json_integer_value(json_array_get(list, i)));
	return 0;
}

static int attention_of_json(const json_t *json, struct mxt_attention *ret_attention)
{
	const char *direction = mxt_json_text(json, "direction");
	bool backward = strcmp(direction, "backward") == 0;
	if (!backward && strcmp(direction, "forward") != 0)
		return -EINVAL;
	*ret_attention = (struct mxt_attention){.batch = size_of(json, "batch"),
						.seq = size_of(json, "seq"),
						.heads = size_of(json, "heads"),
						.kv_heads = size_of(json, "kv_heads"),
						.head_dim = size_of(json, "head_dim"),
						.causal = flag(json, "causal"),
						.masked = flag(json, "masked"),
						.repeated = flag(json, "repeated"),
						.window = size_of(json, "window"),
						.dtype = mxt_dtype_find(mxt_json_text(json, "dtype")),
						.direction = backward ? MXT_BACKWARD : MXT_FORWARD};
	return take_documents(json_object_get(json, "documents"), ret_attention);
}

int mxt_problem_of_json(const json_t *json, struct mxt_problem *ret_problem)
{
	struct mxt_problem problem = {.calls = 1};
	const char *op = mxt_json_text(json, "op");
	int rc = 0;
	if (strcmp(op, "gemm") == 0) {
		problem.kind = MXT_PROBLEM_GEMM;
		problem.as.gemm = mxt_gemm_of_json(json);
	} else if (strcmp(op, "attention") == 0) {
		problem.kind = MXT_PROBLEM_ATTENTION;
		rc = attention_of_json(json, &problem.as.attention);
	} else {
		rc = -EINVAL;
	}
	if (rc == 0)
		rc = mxt_problem_validate(&problem);
	if (rc == 0)
		*ret_problem = problem;
	return rc;
}
