/* SPDX-License-Identifier: Apache-2.0 */
#include "reference_attention.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "thread_pool.h"
#include "wide_math.h"

#define ROWS_PER_ITEM 16

/* What one thread needs: two rows of scores, three rows of head_dim, its own sums of grad_k and grad_v. */
struct work_memory {
	double *weights, *grads; /* [seq] */
	double *q, *grad_out;    /* [head_dim] */
	double *grad_k, *grad_v; /* [seq, head_dim] */
};

struct job {
	const struct mxt_attention_group *group;
	struct mxt_attention_reference *result;
	double scale;
	double *memory; /* of all threads, zeroed */
};

static size_t matrix_size(const struct mxt_attention_group *group)
{
	return (size_t)group->seq * (size_t)group->head_dim;
}

static size_t work_size(const struct mxt_attention_group *group)
{
	size_t sums = group->grad_out ? 2 * matrix_size(group) : 0;
	return 2 * ((size_t)group->seq + (size_t)group->head_dim) + sums;
}

static struct work_memory work_memory_of(const struct job *job, uint32_t thread)
{
	const struct mxt_attention_group *group = job->group;
	size_t seq = (size_t)group->seq, dim = (size_t)group->head_dim;
	double *at = job->memory + thread * work_size(group);
	return (struct work_memory){
	    .weights = at,
	    .grads = at + seq,
	    .q = at + 2 * seq,
	    .grad_out = at + 2 * seq + dim,
	    .grad_k = at + 2 * (seq + dim),
	    .grad_v = at + 2 * (seq + dim) + matrix_size(group),
	};
}

static void widen(double *wide, const float *row, size_t count)
{
	for (size_t i = 0; i < count; i++)
		wide[i] = (double)row[i];
}

/* scores[j] = row . matrix[j] */
static void dot_rows(const struct mxt_attention_group *group, const double *row, const float *matrix, size_t count,
		     double *scores)
{
	for (size_t j = 0; j < count; j++)
		scores[j] = mxt_wide_dot(row, matrix + j * group->kv_stride, (size_t)group->head_dim);
}

/* sum = weights[j] * matrix[j], over all j */
static void weigh_rows(const struct mxt_attention_group *group, const double *weights, const float *matrix,
		       size_t count, double *sum)
{
	for (size_t j = 0; j < count; j++)
		mxt_wide_add(sum, weights[j], matrix + j * group->kv_stride, (size_t)group->head_dim);
}

/* Turns scores into probabilities; returns the logarithm of the sum of their exponentials. */
static double softmax(double *scores, size_t count, double scale)
{
	double max = -INFINITY, sum = 0;
	for (size_t j = 0; j < count; j++)
		max = fmax(max, scores[j] * scale);
	for (size_t j = 0; j < count; j++) {
		scores[j] = exp(scores[j] * scale - max);
		sum += scores[j];
	}
	for (size_t j = 0; j < count; j++)
		scores[j] /= sum;
	return max + log(sum);
}

static void forward_row(const struct job *job, const struct work_memory *work, size_t head, size_t row, size_t kept)
{
	const struct mxt_attention_group *group = job->group;
	size_t dim = (size_t)group->head_dim, index = head * (size_t)group->seq + row;
	widen(work->q, group->q + row * group->q_stride + head * dim, dim);
	dot_rows(group, work->q, group->k, kept, work->weights);
	job->result->lse[index] = softmax(work->weights, kept, job->scale);
	weigh_rows(group, work->weights, group->v, kept, job->result->out + index * dim);
}

/* After forward_row(), whose probabilities are still in work->weights. */
static void backward_row(const struct job *job, const struct work_memory *work, size_t head, size_t row, size_t kept)
{
	const struct mxt_attention_group *group = job->group;
	size_t dim = (size_t)group->head_dim, index = head * (size_t)group->seq + row;
	const float *grad_out = group->grad_out + row * group->q_stride + head * dim;
	const float *q = group->q + row * group->q_stride + head * dim;
	widen(work->grad_out, grad_out, dim);
	dot_rows(group, work->grad_out, group->v, kept, work->grads);
	double mean = 0;
	for (size_t j = 0; j < kept; j++)
		mean += work->weights[j] * work->grads[j];
	for (size_t j = 0; j < kept; j++) {
		work->grads[j] = work->weights[j] * (work->grads[j] - mean) * job->scale;
		mxt_wide_add(work->grad_k + j * dim, work->grads[j], q, dim);
		mxt_wide_add(work->grad_v + j * dim, work->weights[j], grad_out, dim);
	}
	weigh_rows(group, work->grads, group->k, kept, job->result->grad_q + index * dim);
}

static size_t items_per_head(const struct mxt_attention_group *group)
{
	return ((size_t)group->seq + ROWS_PER_ITEM - 1) / ROWS_PER_ITEM;
}

static void run_item(void *context, uint32_t thread, uint32_t item)
{
	const struct job *job = context;
	const struct mxt_attention_group *group = job->group;
	const struct work_memory work = work_memory_of(job, thread);
	size_t head = item / items_per_head(group), row = item % items_per_head(group) * ROWS_PER_ITEM;
	size_t end = row + ROWS_PER_ITEM < (size_t)group->seq ? row + ROWS_PER_ITEM : (size_t)group->seq;
	for (; row < end; row++) {
		size_t kept = group->causal ? row + 1 : (size_t)group->seq;
		forward_row(job, &work, head, row, kept);
		if (group->grad_out)
			backward_row(job, &work, head, row, kept);
	}
}

static void sum_threads(const struct job *job, uint32_t threads)
{
	size_t size = matrix_size(job->group);
	for (uint32_t thread = 0; thread < threads; thread++) {
		const struct work_memory work = work_memory_of(job, thread);
		mxt_wide_sum(job->result->grad_k, work.grad_k, size);
		mxt_wide_sum(job->result->grad_v, work.grad_v, size);
	}
}

static int allocate(const struct mxt_attention_group *group, struct mxt_attention_reference *reference)
{
	size_t matrix = matrix_size(group), heads = (size_t)group->group, rows = heads * (size_t)group->seq;
	size_t gradients = group->grad_out ? heads * matrix + 2 * matrix : 0;
	double *at = calloc(heads * matrix + rows + gradients, sizeof *at);
	if (!at)
		return -1;
	*reference = (struct mxt_attention_reference){.memory = at, .out = at, .lse = at + heads * matrix};
	if (group->grad_out) {
		reference->grad_q = reference->lse + rows;
		reference->grad_k = reference->grad_q + heads * matrix;
		reference->grad_v = reference->grad_k + matrix;
	}
	return 0;
}

int mxt_attention_reference_create(const struct mxt_attention_group *group, struct mxt_thread_pool *pool,
				   struct mxt_attention_reference *ret_reference, struct mxt_error *err)
{
	uint32_t threads = mxt_thread_pool_size(pool);
	struct mxt_attention_reference reference;
	MXT_CLEANUP_FREE double *memory = calloc(threads * work_size(group), sizeof *memory);
	if (!memory || allocate(group, &reference) < 0)
		return mxt_error_oom(err);
	struct job job = {group, &reference, 1.0 / sqrt((double)group->head_dim), memory};
	mxt_thread_pool_run(pool, run_item, &job, (uint32_t)((size_t)group->group * items_per_head(group)));
	if (group->grad_out)
		sum_threads(&job, threads);
	*ret_reference = reference;
	return 0;
}

void mxt_attention_reference_finish(struct mxt_attention_reference *reference)
{
	free(reference->memory);
	*reference = (struct mxt_attention_reference){.memory = NULL};
}
