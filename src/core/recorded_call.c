/* SPDX-License-Identifier: Apache-2.0 */
#include "recorded_call.h"

#include <errno.h>
#include <string.h>

#include "error.h"
#include "json_path.h"
#include "recording.h"

#define MAX_DIMENSIONS 4

/* A tensor with the few dimensions that products and attention have. */
struct form {
	size_t rank; /* MAX_DIMENSIONS + 1: more */
	int64_t shape[MAX_DIMENSIONS], strides[MAX_DIMENSIONS];
	enum mxt_dtype dtype; /* MXT_DTYPE_COUNT: another one */
};

static int fault(const struct mxt_json_path *path, const char *key, const char *text, struct mxt_error *err)
{
	const struct mxt_json_path at = {path, key, 0};
	return mxt_json_at(&at, mxt_error_set(err, -EINVAL, MXT_E_RECORDING, "%s", text), err);
}

static void take_form(const json_t *tensor, struct form *ret_form)
{
	const json_t *shape = json_object_get(tensor, "shape"), *strides = json_object_get(tensor, "strides");
	*ret_form = (struct form){.rank = json_array_size(shape),
				  .dtype = mxt_dtype_find(json_string_value(json_object_get(tensor, "dtype")))};
	if (ret_form->rank > MAX_DIMENSIONS)
		ret_form->rank = MAX_DIMENSIONS + 1;
	for (size_t i = 0; i < ret_form->rank && i < MAX_DIMENSIONS; i++) {
		ret_form->shape[i] = json_integer_value(json_array_get(shape, i));
		ret_form->strides[i] = json_integer_value(json_array_get(strides, i));
	}
}

/* Each key is an object that has to be there, with as many strides as dimensions. */
static int check_tensors(const json_t *call, const struct mxt_json_path *path, const char *const *keys, size_t count,
			 struct mxt_error *err)
{
	for (size_t i = 0; i < count; i++) {
		const json_t *tensor = json_object_get(call, keys[i]);
		if (!tensor)
			return fault(path, keys[i], "a call of this kind needs the key", err);
		if (json_array_size(json_object_get(tensor, "shape")) !=
		    json_array_size(json_object_get(tensor, "strides")))
			return fault(path, keys[i], "there must be as many strides as dimensions", err);
	}
	return 0;
}

/* ---- products ---- */

/* The last two dimensions of an operand, as a BLAS library sees them. */
struct matrix {
	int64_t rows, columns, leading;
	bool transposed;
};

/*
 * What is neither row- nor column-major is copied by torch before it multiplies: a dense row-major matrix then. A
 * dimension of one element has no stride that matters.
 */
static struct matrix matrix_of(const struct form *form)
{
	size_t at = form->rank - 2;
	int64_t rows = form->shape[at], columns = form->shape[at + 1];
	int64_t row = form->strides[at], column = form->strides[at + 1];
	if ((column == 1 || columns == 1) && (row >= columns || rows == 1))
		return (struct matrix){rows, columns, rows == 1 || row < columns ? columns : row, false};
	if ((row == 1 || rows == 1) && (column >= rows || columns == 1))
		return (struct matrix){rows, columns, columns == 1 || column < rows ? rows : column, true};
	return (struct matrix){rows, columns, columns, false};
}

static struct matrix flipped(struct matrix m)
{
	return (struct matrix){m.columns, m.rows, m.leading, !m.transposed};
}

/* What is added: a row for all rows is a bias, the whole result is accumulated onto. */
static void take_addend(const struct form *c, bool in_place, struct mxt_gemm *gemm, bool *ret_flip)
{
	bool row = c->rank < 2 || c->strides[c->rank - 2] == 0 || c->shape[c->rank - 2] == 1;
	*ret_flip = false;
	if (row) {
		gemm->bias = true;
		return;
	}
	gemm->accumulate = true;
	if (!in_place)
		return; /* torch copies it into a dense result first */
	struct matrix result = matrix_of(c);
	*ret_flip = result.transposed;
	gemm->ldc = result.leading;
}

static struct mxt_gemm gemm_of(struct matrix a, struct matrix b)
{
	return (struct mxt_gemm){.m = a.rows,
				 .n = b.columns,
				 .k = a.columns,
				 .lda = a.leading,
				 .ldb = b.leading,
				 .trans_a = a.transposed,
				 .trans_b = b.transposed};
}

static const char *product_obstacle(const json_t *call, const struct form *a, const struct form *b)
{
	if (a->rank != b->rank || a->rank < 2 || a->rank > 3)
		return "a product of operands with other than two or three dimensions";
	if (a->dtype == MXT_DTYPE_COUNT || a->dtype != b->dtype || json_object_get(call, "out_dtype"))
		return "a product in another dtype than float32, bfloat16 or float16";
	return NULL;
}

static int read_product(const json_t *call, const struct mxt_json_path *path, struct mxt_recorded_call *ret_call,
			struct mxt_error *err)
{
	static const char *const keys[] = {"a", "b", "c"};
	const json_t *addend = json_object_get(call, "c");
	int rc = check_tensors(call, path, keys, addend ? 3 : 2, err);
	if (rc < 0)
		return rc;
	struct form a, b, c;
	take_form(json_object_get(call, "a"), &a);
	take_form(json_object_get(call, "b"), &b);
	ret_call->problem.kind = MXT_PROBLEM_GEMM;
	ret_call->why_not = product_obstacle(call, &a, &b);
	if (ret_call->why_not)
		return 0;
	struct matrix left = matrix_of(&a), right = matrix_of(&b);
	if (left.columns != right.rows || (a.rank == 3 && a.shape[0] != b.shape[0]))
		return fault(path, "b", "the operands do not fit together", err);
	struct mxt_gemm gemm = gemm_of(left, right), addition = {.ldc = 0};
	bool flip = false;
	if (addend) {
		take_form(addend, &c);
		take_addend(&c, json_is_true(json_object_get(call, "in_place")), &addition, &flip);
	}
	if (flip) /* a column-major result is the transposed product, row-major */
		gemm = gemm_of(flipped(right), flipped(left));
	gemm.bias = addition.bias;
	gemm.accumulate = addition.accumulate;
	gemm.ldc = addition.ldc > gemm.n ? addition.ldc : gemm.n;
	gemm.batch = a.rank == 3 && a.shape[0] <= INT32_MAX ? (int32_t)a.shape[0] : 0;
	gemm.dtype = a.dtype;
	ret_call->problem.as.gemm = gemm;
	return 0;
}

/* ---- attention ---- */

/* Where the dimensions are in each layout. */
struct layout {
	const char *name;
	size_t rank;
	int batch, seq, heads, head_dim; /* -1: there is none */
};

static const struct layout layouts[] = {{"bhsd", 4, 0, 2, 1, 3}, {"bshd", 4, 0, 1, 2, 3}, {"thd", 3, -1, 0, 1, 2}};

static const struct layout *layout_of(const json_t *call)
{
	const char *name = json_string_value(json_object_get(call, "layout"));
	size_t i = 0;
	while (strcmp(layouts[i].name, name) != 0)
		i++;
	return &layouts[i];
}

static int32_t extent(const struct form *form, int dimension)
{
	int64_t value = dimension < 0 ? 1 : form->shape[dimension];
	return value < INT32_MAX ? (int32_t)value : INT32_MAX;
}

/* The documents that the problem can hold; the rest of a longer list makes each call count more often. */
static void take_documents(const json_t *documents, struct mxt_recorded_call *call)
{
	struct mxt_attention *a = &call->problem.as.attention;
	const json_t *lengths = json_object_get(documents, "lengths");
	int64_t held = 0;
	for (size_t i = 0; i < json_array_size(lengths) && a->n_documents < MXT_MAX_DOCUMENTS; i++) {
		json_int_t length = json_integer_value(json_array_get(lengths, i));
		if (length == 0)
			continue; /* trainers pad lists of starts with such */
		a->documents[a->n_documents++] = (int32_t)length;
		held += length;
	}
	a->batch = 1;
	a->seq = held < INT32_MAX ? (int32_t)held : INT32_MAX;
	int64_t tokens = json_integer_value(json_object_get(documents, "tokens"));
	if (held > 0 && tokens > held)
		call->calls = (double)tokens / (double)held;
}

static const char *attention_obstacle(const json_t *call, const struct layout *layout, const struct form *q,
				      const struct form *k, const struct form *v)
{
	if (q->rank != layout->rank || k->rank != layout->rank || v->rank != layout->rank)
		return "attention on tensors with other dimensions than their layout has";
	if (q->dtype == MXT_DTYPE_COUNT || q->dtype != k->dtype || q->dtype != v->dtype)
		return "attention in another dtype than float32, bfloat16 or float16";
	if (q->shape[layout->seq] != k->shape[layout->seq] || json_object_get(call, "keys_differ"))
		return "attention of queries to keys of another length";
	if (q->shape[layout->head_dim] != v->shape[layout->head_dim])
		return "attention with values of another head_dim";
	return NULL;
}

/* Of as many heads as there are queries, copied for these: each head is dense, one behind the other. */
static bool is_repeated(const struct layout *at, const struct form *q, const struct form *k)
{
	int64_t heads = k->shape[at->heads], seq = k->shape[at->seq], dim = k->shape[at->head_dim];
	return heads == q->shape[at->heads] && heads > 1 && seq > 1 && k->strides[at->head_dim] == 1 &&
	       k->strides[at->seq] == dim && k->strides[at->heads] == seq * dim;
}

static int check_attention(const json_t *call, const struct mxt_json_path *path, struct mxt_error *err)
{
	static const char *const tensors[] = {"q", "k", "v", "mask"};
	static const char *const keys[] = {"direction", "layout"};
	for (size_t i = 0; i < MXT_ARRAY_LEN(keys); i++)
		if (!json_object_get(call, keys[i]))
			return fault(path, keys[i], "a call of this kind needs the key", err);
	return check_tensors(call, path, tensors, json_object_get(call, "mask") ? 4 : 3, err);
}

/* A mask is one that trainers make of padded batches: it says causal, and which tokens are none. */
static int read_attention(const json_t *call, const struct mxt_json_path *path, struct mxt_recorded_call *ret_call,
			  struct mxt_error *err)
{
	int rc = check_attention(call, path, err);
	if (rc < 0)
		return rc;
	const struct layout *layout = layout_of(call);
	struct form q, k, v;
	take_form(json_object_get(call, "q"), &q);
	take_form(json_object_get(call, "k"), &k);
	take_form(json_object_get(call, "v"), &v);
	ret_call->problem.kind = MXT_PROBLEM_ATTENTION;
	ret_call->why_not = attention_obstacle(call, layout, &q, &k, &v);
	if (ret_call->why_not)
		return 0;
	const json_t *documents = json_object_get(call, "documents");
	bool masked = json_object_get(call, "mask") != NULL;
	bool opaque = json_object_get(call, "opaque_mask") != NULL;
	bool backward = strcmp(json_string_value(json_object_get(call, "direction")), "backward") == 0;
	ret_call->problem.as.attention =
	    (struct mxt_attention){.batch = extent(&q, layout->batch),
				   .seq = extent(&q, layout->seq),
				   .heads = extent(&q, layout->heads),
				   .kv_heads = extent(&k, layout->heads),
				   .head_dim = extent(&q, layout->head_dim),
				   .causal = masked || opaque || json_object_get(call, "causal") != NULL,
				   .masked = masked,
				   .repeated = is_repeated(layout, &q, &k),
				   .window = (int32_t)json_integer_value(json_object_get(call, "window")),
				   .dtype = q.dtype,
				   .direction = backward ? MXT_BACKWARD : MXT_FORWARD};
	if (documents)
		take_documents(documents, ret_call);
	return 0;
}

static bool is_kind(const json_t *call, const char *kind)
{
	return strcmp(json_string_value(json_object_get(call, "kind")), kind) == 0;
}

int mxt_recorded_call_read(const json_t *call, const struct mxt_json_path *path, struct mxt_recorded_call *ret_call,
			   struct mxt_error *err)
{
	struct mxt_recorded_call made = {.calls = 1};
	int rc = 0;
	if (is_kind(call, "gemm"))
		rc = read_product(call, path, &made, err);
	else if (is_kind(call, "attention"))
		rc = read_attention(call, path, &made, err);
	else
		made.why_not = "a product of a kind that is not timed (grouped, quantised, convolution)";
	if (rc == 0 && !made.why_not) {
		made.problem.share_ppm = 0;
		if (mxt_problem_validate(&made.problem) < 0)
			made.why_not = "a call without elements, too large to time, or of sizes that do not fit";
	}
	if (rc == 0)
		*ret_call = made;
	return rc;
}
