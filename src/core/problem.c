/* SPDX-License-Identifier: Apache-2.0 */
#include "problem.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Limits of what is accepted from outside; products of the allowed maxima still fit into 63 bits. */
#define MAX_EXTENT   (INT64_C(1) << 31)
#define MAX_ELEMENTS (INT64_C(1) << 40)
#define MAX_HEADS    4096
#define MAX_HEAD_DIM 4096
#define MAX_BATCH    65536
#define MAX_SEQ      (1 << 24)

const char *mxt_problem_kind_name(enum mxt_problem_kind kind)
{
	static const char *const names[] = {[MXT_PROBLEM_ATTENTION] = "attention", [MXT_PROBLEM_GEMM] = "gemm"};
	return names[kind];
}

struct dtype_row {
	const char *name;
	unsigned bytes;
};

static const struct dtype_row dtypes[] = {
    [MXT_DTYPE_F32] = {"float32", 4},
    [MXT_DTYPE_BF16] = {"bfloat16", 2},
    [MXT_DTYPE_F16] = {"float16", 2},
};

const char *mxt_dtype_name(enum mxt_dtype dtype)
{
	return dtypes[dtype].name;
}

enum mxt_dtype mxt_dtype_find(const char *name)
{
	int dtype = 0;
	while (dtype < MXT_DTYPE_COUNT && strcmp(mxt_dtype_name((enum mxt_dtype)dtype), name) != 0)
		dtype++;
	return (enum mxt_dtype)dtype;
}

unsigned mxt_dtype_bytes(enum mxt_dtype dtype)
{
	return dtypes[dtype].bytes;
}

/* Pairs of a query and a key that it sees, in one sequence of `seq` tokens. */
static double visible_pairs(const struct mxt_attention *a, double seq)
{
	if (a->window > 0 && a->window < seq)
		return a->causal ? seq * a->window - (double)a->window * a->window / 2 : seq * a->window;
	return a->causal ? seq * seq / 2 : seq * seq;
}

static double attention_flops(const struct mxt_attention *a)
{
	double pairs = a->n_documents ? 0 : a->batch * visible_pairs(a, a->seq);
	for (uint32_t i = 0; i < a->n_documents; i++)
		pairs += visible_pairs(a, a->documents[i]);
	double forward = 4.0 * a->heads * pairs * a->head_dim;
	return a->direction == MXT_BACKWARD ? 2.5 * forward : forward;
}

static int64_t product_count(const struct mxt_gemm *g)
{
	return g->batch ? g->batch : 1;
}

double mxt_problem_flops(const struct mxt_problem *problem)
{
	const struct mxt_gemm *g = &problem->as.gemm;
	if (problem->kind == MXT_PROBLEM_GEMM)
		return 2.0 * (double)product_count(g) * (double)g->m * (double)g->n * (double)g->k;
	return attention_flops(&problem->as.attention);
}

/* A mask has a number in the tensors' dtype for each pair of positions of each sequence. */
static uint64_t mask_elements(const struct mxt_attention *a)
{
	return a->masked ? (uint64_t)a->batch * (uint64_t)a->seq * (uint64_t)a->seq : 0;
}

/* Forward: q, k, v, out. Backward: these, and the gradient of each. In both the mask. */
static uint64_t attention_bytes(const struct mxt_attention *a)
{
	uint64_t heads = 2 * (uint64_t)a->heads + 2 * (uint64_t)a->kv_heads;
	uint64_t elements = (uint64_t)a->batch * (uint64_t)a->seq * (uint64_t)a->head_dim * heads;
	elements *= a->direction == MXT_BACKWARD ? 2 : 1;
	return (elements + mask_elements(a)) * mxt_dtype_bytes(a->dtype);
}

uint64_t mxt_problem_bytes(const struct mxt_problem *problem)
{
	const struct mxt_gemm *g = &problem->as.gemm;
	if (problem->kind == MXT_PROBLEM_ATTENTION)
		return attention_bytes(&problem->as.attention);
	uint64_t elements = (uint64_t)(g->m * g->k) + (uint64_t)(g->k * g->n) + (uint64_t)(g->m * g->n);
	return elements * (uint64_t)product_count(g) * mxt_dtype_bytes(g->dtype);
}

static bool attention_equal(const struct mxt_attention *a, const struct mxt_attention *b)
{
	return a->batch == b->batch && a->seq == b->seq && a->heads == b->heads && a->kv_heads == b->kv_heads &&
	       a->head_dim == b->head_dim && a->causal == b->causal && a->masked == b->masked &&
	       a->repeated == b->repeated && a->window == b->window && a->dtype == b->dtype &&
	       a->direction == b->direction && a->n_documents == b->n_documents &&
	       memcmp(a->documents, b->documents, a->n_documents * sizeof a->documents[0]) == 0;
}

static bool gemm_equal(const struct mxt_gemm *a, const struct mxt_gemm *b)
{
	return a->m == b->m && a->n == b->n && a->k == b->k && a->lda == b->lda && a->ldb == b->ldb &&
	       a->ldc == b->ldc && a->trans_a == b->trans_a && a->trans_b == b->trans_b &&
	       a->accumulate == b->accumulate && a->bias == b->bias && a->batch == b->batch && a->dtype == b->dtype;
}

double mxt_problem_weight(const struct mxt_problem *problem)
{
	return (double)problem->calls * problem->share_ppm / MXT_PPM;
}

bool mxt_problem_equal(const struct mxt_problem *a, const struct mxt_problem *b)
{
	if (a->kind != b->kind)
		return false;
	return a->kind == MXT_PROBLEM_GEMM ? gemm_equal(&a->as.gemm, &b->as.gemm)
					   : attention_equal(&a->as.attention, &b->as.attention);
}

static void attention_text(const struct mxt_attention *a, struct mxt_buf *buf)
{
	mxt_buf_printf(buf, "attention b%" PRId32 " s%" PRId32 " h%" PRId32 "/%" PRId32 " d%" PRId32 "%s%s%s", a->batch,
		       a->seq, a->heads, a->kv_heads, a->head_dim, a->causal ? " causal" : "", a->masked ? " mask" : "",
		       a->repeated ? " repeated" : "");
	if (a->window > 0)
		mxt_buf_printf(buf, " window%" PRId32, a->window);
	if (a->n_documents > 0)
		mxt_buf_printf(buf, " docs%" PRIu32, a->n_documents);
	mxt_buf_printf(buf, " %s %s", mxt_dtype_name(a->dtype), a->direction == MXT_FORWARD ? "forward" : "backward");
}

static void gemm_text(const struct mxt_gemm *g, struct mxt_buf *buf)
{
	if (g->batch > 0)
		mxt_buf_printf(buf, "gemm b%" PRId32 " ", g->batch);
	else
		mxt_buf_puts(buf, "gemm ");
	mxt_buf_printf(buf, "%c%c %" PRId64 "x%" PRId64 "x%" PRId64 "%s%s %s", g->trans_a ? 't' : 'n',
		       g->trans_b ? 't' : 'n', g->m, g->n, g->k, g->accumulate ? " +c" : "", g->bias ? " bias" : "",
		       mxt_dtype_name(g->dtype));
}

void mxt_problem_text(const struct mxt_problem *problem, struct mxt_buf *buf)
{
	if (problem->kind == MXT_PROBLEM_ATTENTION)
		attention_text(&problem->as.attention, buf);
	else
		gemm_text(&problem->as.gemm, buf);
}

static bool in_range(int64_t value, int64_t max)
{
	return value >= 1 && value <= max;
}

static bool documents_valid(const struct mxt_attention *a)
{
	int64_t sum = 0;
	if (a->n_documents == 0)
		return true;
	if (a->n_documents > MXT_MAX_DOCUMENTS || a->batch != 1)
		return false;
	for (uint32_t i = 0; i < a->n_documents; i++) {
		if (!in_range(a->documents[i], MAX_SEQ))
			return false;
		sum += a->documents[i];
	}
	return sum == a->seq;
}

static bool attention_valid(const struct mxt_attention *a)
{
	return in_range(a->batch, MAX_BATCH) && in_range(a->seq, MAX_SEQ) && in_range(a->heads, MAX_HEADS) &&
	       in_range(a->kv_heads, a->heads) && a->heads % a->kv_heads == 0 && in_range(a->head_dim, MAX_HEAD_DIM) &&
	       a->window >= 0 && a->window <= MAX_SEQ && (!a->repeated || a->kv_heads == a->heads) &&
	       documents_valid(a) && (int64_t)a->batch * a->seq <= MAX_EXTENT &&
	       (int64_t)a->batch * a->seq <= MAX_ELEMENTS / ((int64_t)a->heads * a->head_dim) &&
	       (unsigned)a->dtype < MXT_DTYPE_COUNT && (unsigned)a->direction < MXT_DIRECTION_COUNT;
}

/* Matrices of all products as they are stored: devices add up their bytes in 64 bits. */
static bool operand_valid(int64_t products, int64_t rows, int64_t columns, int64_t leading)
{
	return leading >= columns && leading <= MAX_EXTENT && rows <= MAX_ELEMENTS / products / leading;
}

static bool gemm_valid(const struct mxt_gemm *g)
{
	if (!in_range(g->m, MAX_EXTENT) || !in_range(g->n, MAX_EXTENT) || !in_range(g->k, MAX_EXTENT) || g->batch < 0 ||
	    g->batch > MAX_BATCH || (unsigned)g->dtype >= MXT_DTYPE_COUNT)
		return false;
	int64_t products = product_count(g);
	return operand_valid(products, g->trans_a ? g->k : g->m, g->trans_a ? g->m : g->k, g->lda) &&
	       operand_valid(products, g->trans_b ? g->n : g->k, g->trans_b ? g->k : g->n, g->ldb) &&
	       operand_valid(products, g->m, g->n, g->ldc);
}

int mxt_problem_validate(const struct mxt_problem *problem)
{
	if ((unsigned)problem->kind >= MXT_PROBLEM_KIND_COUNT || problem->share_ppm > MXT_PPM)
		return -EINVAL;
	bool valid =
	    problem->kind == MXT_PROBLEM_GEMM ? gemm_valid(&problem->as.gemm) : attention_valid(&problem->as.attention);
	return valid ? 0 : -EINVAL;
}
