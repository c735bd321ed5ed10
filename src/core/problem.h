/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A problem is one thing to time. Plain data: it travels to workers as bytes of the same binary.
 */
#ifndef MXT_CORE_PROBLEM_H
#define MXT_CORE_PROBLEM_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

enum mxt_dtype { MXT_DTYPE_F32, MXT_DTYPE_BF16, MXT_DTYPE_F16, MXT_DTYPE_COUNT };

enum mxt_direction { MXT_FORWARD, MXT_BACKWARD, MXT_DIRECTION_COUNT };

enum mxt_problem_kind { MXT_PROBLEM_ATTENTION, MXT_PROBLEM_GEMM, MXT_PROBLEM_KIND_COUNT };

/* The probe that a problem belongs to; also the name in plans ("attention", "gemm"). */
const char *mxt_problem_kind_name(enum mxt_problem_kind kind);
const char *mxt_dtype_name(enum mxt_dtype dtype); /* "float32", "bfloat16", "float16" */
enum mxt_dtype mxt_dtype_find(const char *name);  /* MXT_DTYPE_COUNT: none of that name */
unsigned mxt_dtype_bytes(enum mxt_dtype dtype);

#define MXT_PPM 1000000

/* How many documents one packed problem may hold. */
#define MXT_MAX_DOCUMENTS 512

/*
 * Scaled dot-product attention as the trainer calls it: tensors stored [batch, seq, heads, head_dim] and viewed
 * [batch, heads, seq, head_dim]; key and value have kv_heads heads; scale 1/sqrt(head_dim).
 *
 * Packed sequences: batch is 1, and seq tokens are n_documents documents one after the other, none of which sees
 * another; inside a document the rest of this struct holds. Their lengths add up to seq.
 */
struct mxt_attention {
	int32_t batch, seq, heads, kv_heads, head_dim;
	bool causal;
	bool masked;    /* a boolean mask [batch, 1, seq, seq] says the same as `causal`, as trainers make it for padded
			   batches: kernels that take no mask are out */
	bool repeated;  /* key and value are copies for every query head (kv_heads == heads), stored [batch, heads,
			   seq, head_dim], as trainers make them beside a mask for models with fewer KV heads */
	int32_t window; /* tokens that a query sees back, itself included; 0: all */
	enum mxt_dtype dtype;
	enum mxt_direction direction;
	uint32_t n_documents;                 /* 0: not packed */
	int32_t documents[MXT_MAX_DOCUMENTS]; /* their lengths in tokens, each > 0; 0 beyond n_documents */
};

/*
 * c[m,n] = op(a)[m,k] * op(b)[k,n] + beta * c, row-major, leading dimensions in elements of the stored matrices;
 * op transposes when trans_* is set.
 */
struct mxt_gemm {
	int64_t m, n, k;
	int64_t lda, ldb, ldc;
	bool trans_a, trans_b;
	bool accumulate; /* beta = 1 instead of 0 */
	bool bias;
	int32_t batch; /* 0: one product; else so many with operands of their own, dense one behind the other (bmm) */
	enum mxt_dtype dtype;
};

struct mxt_problem {
	enum mxt_problem_kind kind;
	union {
		struct mxt_attention attention;
		struct mxt_gemm gemm;
	} as;
	/* Weight in one training step: the time of one call counts calls * share_ppm / 1e6 times. */
	uint32_t calls;
	uint32_t share_ppm;
};

/*
 * Floating-point operations of one call: GEMM 2mnk; causal attention counts half of seq^2 (of every document's, where
 * it is packed; only what a window leaves), backward 2.5 x forward.
 */
double mxt_problem_flops(const struct mxt_problem *problem);

/* Bytes of all operands of one call. Packed documents need no mask tensor: who makes one adds it. */
uint64_t mxt_problem_bytes(const struct mxt_problem *problem);

/* How many calls of a training step it stands for. */
double mxt_problem_weight(const struct mxt_problem *problem);

/* True when both describe the same call (weights apart). */
bool mxt_problem_equal(const struct mxt_problem *a, const struct mxt_problem *b);

/* Short text such as "attention b1 s512 h32/8 d128 causal float32 backward" or "gemm tn 512x4096x2560 float32". */
void mxt_problem_text(const struct mxt_problem *problem, struct mxt_buf *buf);

/* 0, or -EINVAL for a value outside its range (bytes from a socket are not trusted): see problem.c for the limits. */
int mxt_problem_validate(const struct mxt_problem *problem);

#endif
