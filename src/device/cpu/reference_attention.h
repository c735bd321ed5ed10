/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What attention results are held against, whatever device they come from: the plain formula in double precision, in
 * loops that share nothing with the kernels under test. Inputs are the very values that the device used, as float32.
 */
#ifndef MXT_CPU_REFERENCE_ATTENTION_H
#define MXT_CPU_REFERENCE_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mxt_error;
struct mxt_thread_pool;

/*
 * One batch and one KV head with all query heads that share it. Element d of row s of query head h is at
 * q[s * q_stride + h * head_dim + d]; of k and v at [s * kv_stride + d]. Borrowed.
 */
struct mxt_attention_group {
	int32_t seq, head_dim, group; /* group: query heads */
	bool causal;
	size_t q_stride, kv_stride; /* in elements */
	const float *q, *k, *v;
	const float *grad_out; /* strides of q; NULL: forward only */
};

/* Dense results: [group, seq, head_dim]; lse [group, seq]; grad_k and grad_v [seq, head_dim], summed over the group. */
struct mxt_attention_reference {
	double *out, *lse;
	double *grad_q, *grad_k, *grad_v; /* NULL without grad_out */
	double *memory;                   /* owned: holds them all */
};

/* Works on the pool's threads. Sums into grad_k and grad_v may differ between runs in their last bits. */
int mxt_attention_reference_create(const struct mxt_attention_group *group, struct mxt_thread_pool *pool,
				   struct mxt_attention_reference *ret_reference, struct mxt_error *err);
void mxt_attention_reference_finish(struct mxt_attention_reference *reference);

#endif
