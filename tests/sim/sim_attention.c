/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_attention.h"

#include <math.h>
#include <stdlib.h>

#include "sim_number.h"
#include "sim_tensor.h"

/* One head of one sequence. */
struct head {
	const struct mxt_sim_attention *a;
	const double *q, *k, *v, *mask;
	double *k_turned, *v_turned; /* owned: [dim][keys] */
	double *row;                 /* owned: one row of scores */
};

MXT_SIM_PLAIN static void add_scaled(double *restrict to, double factor, const double *restrict from, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		to[i] += factor * from[i];
}

static double *turned(const double *matrix, int64_t rows, int64_t columns)
{
	double *out = mxt_sim_memory((size_t)(rows * columns), sizeof *out);
	for (int64_t i = 0; i < rows; i++)
		for (int64_t j = 0; j < columns; j++)
			out[j * rows + i] = matrix[i * columns + j];
	return out;
}

static void head_init(struct head *head, const struct mxt_sim_attention *a,
		      const struct mxt_sim_attention_operands *operands, int64_t number)
{
	int64_t batch = number / a->heads, h = number % a->heads;
	int64_t kv = batch * a->kv_heads + h / (a->heads / a->kv_heads);
	*head = (struct head){.a = a,
			      .q = operands->q + number * a->queries * a->dim,
			      .k = operands->k + kv * a->keys * a->dim,
			      .v = operands->v + kv * a->keys * a->value_dim};
	if (a->mask)
		head->mask = a->mask + batch * a->mask_strides[0] + h * a->mask_strides[1];
	head->k_turned = turned(head->k, a->keys, a->dim);
	head->v_turned = turned(head->v, a->keys, a->value_dim);
	head->row = mxt_sim_memory((size_t)a->keys, sizeof *head->row);
}

static void head_finish(struct head *head)
{
	free(head->k_turned);
	free(head->v_turned);
	free(head->row);
}

static int64_t visible(const struct mxt_sim_attention *a, int64_t query)
{
	return a->causal && query + 1 < a->keys ? query + 1 : a->keys;
}

/* The scores of a query into head->row. */
static void score(const struct head *head, int64_t query)
{
	const struct mxt_sim_attention *a = head->a;
	int64_t count = visible(a, query);
	for (int64_t j = 0; j < count; j++)
		head->row[j] = head->mask ? head->mask[query * a->mask_strides[2] + j * a->mask_strides[3]] : 0;
	for (int64_t c = 0; c < a->dim; c++)
		add_scaled(head->row, a->scale * head->q[query * a->dim + c], &head->k_turned[c * a->keys], count);
	for (int64_t j = 0; j < count && a->rounding == MXT_SIM_ROUND_ALL; j++)
		head->row[j] = mxt_sim_rounded(head->row[j], a->dtype);
}

/* Scores to weights, up to the common divisor that is returned in *sum; the log of the sum of exponentials. */
static double soften(const struct head *head, int64_t count, double *ret_sum)
{
	const struct mxt_sim_attention *a = head->a;
	double max = -INFINITY, sum = 0;
	for (int64_t j = 0; j < count; j++)
		max = fmax(max, head->row[j]);
	for (int64_t j = 0; j < count; j++) {
		double weight = exp(head->row[j] - max);
		sum += weight;
		head->row[j] = a->rounding == MXT_SIM_ROUND_EXPONENTIALS ? mxt_sim_rounded(weight, a->dtype) : weight;
	}
	*ret_sum = sum;
	if (a->rounding == MXT_SIM_ROUND_WEIGHTS || a->rounding == MXT_SIM_ROUND_ALL) {
		for (int64_t j = 0; j < count; j++)
			head->row[j] = mxt_sim_rounded(head->row[j] / sum, a->dtype);
		*ret_sum = 1;
	}
	return max + log(sum);
}

static void head_forward(const struct head *head, double *out, double *lse)
{
	const struct mxt_sim_attention *a = head->a;
	for (int64_t i = 0; i < a->queries; i++) {
		double *to = &out[i * a->value_dim], sum;
		int64_t count = visible(a, i);
		score(head, i);
		lse[i] = soften(head, count, &sum);
		for (int64_t c = 0; c < a->value_dim; c++)
			to[c] = 0;
		for (int64_t j = 0; j < count; j++)
			add_scaled(to, head->row[j] / sum, &head->v[j * a->value_dim], a->value_dim);
	}
}

void mxt_sim_attention_forward(const struct mxt_sim_attention *a, const struct mxt_sim_attention_operands *operands,
			       double *out, double *lse)
{
	for (int64_t number = 0; number < a->batch * a->heads; number++) {
		struct head head;
		head_init(&head, a, operands, number);
		head_forward(&head, out + number * a->queries * a->value_dim, lse + number * a->queries);
		head_finish(&head);
	}
}

/* What a head adds to the gradients. */
struct gradients {
	const double *out, *lse, *grad;
	double *q, *k, *v;
	double *row; /* scratch: gradient of one row of weights */
};

MXT_SIM_PLAIN static double product_sum(const double *a, const double *b, int64_t count)
{
	double sum = 0;
	for (int64_t i = 0; i < count; i++)
		sum += a[i] * b[i];
	return sum;
}

static void row_backward(const struct head *head, int64_t query, const struct gradients *to)
{
	const struct mxt_sim_attention *a = head->a;
	const double *grad = &to->grad[query * a->value_dim];
	double delta = product_sum(grad, &to->out[query * a->value_dim], a->value_dim);
	int64_t count = visible(a, query);
	score(head, query);
	for (int64_t j = 0; j < count; j++)
		to->row[j] = 0;
	for (int64_t c = 0; c < a->value_dim; c++)
		add_scaled(to->row, grad[c], &head->v_turned[c * a->keys], count);
	for (int64_t j = 0; j < count; j++) {
		double weight = exp(head->row[j] - to->lse[query]);
		if (a->rounding != MXT_SIM_ROUND_NOTHING)
			weight = mxt_sim_rounded(weight, a->dtype);
		double step = weight * (to->row[j] - delta) * a->scale;
		add_scaled(&to->v[j * a->value_dim], weight, grad, a->value_dim);
		add_scaled(&to->q[query * a->dim], step, &head->k[j * a->dim], a->dim);
		add_scaled(&to->k[j * a->dim], step, &head->q[query * a->dim], a->dim);
	}
}

static void clear(double *numbers, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		numbers[i] = 0;
}

void mxt_sim_attention_backward(const struct mxt_sim_attention *a, const struct mxt_sim_attention_operands *operands,
				double *grad_q, double *grad_k, double *grad_v)
{
	double *row = mxt_sim_memory((size_t)a->keys, sizeof *row);
	clear(grad_q, a->batch * a->heads * a->queries * a->dim);
	clear(grad_k, a->batch * a->kv_heads * a->keys * a->dim);
	clear(grad_v, a->batch * a->kv_heads * a->keys * a->value_dim);
	for (int64_t number = 0; number < a->batch * a->heads; number++) {
		struct head head;
		head_init(&head, a, operands, number);
		const struct gradients to = {.out = operands->out + number * a->queries * a->value_dim,
					     .lse = operands->lse + number * a->queries,
					     .grad = operands->grad + number * a->queries * a->value_dim,
					     .q = grad_q + (head.q - operands->q),
					     .k = grad_k + (head.k - operands->k),
					     .v = grad_v + (head.v - operands->v),
					     .row = row};
		for (int64_t i = 0; i < a->queries; i++)
			row_backward(&head, i, &to);
		head_finish(&head);
	}
	free(row);
}

void mxt_sim_attention_weights(const struct mxt_sim_attention *a, const struct mxt_sim_attention_operands *operands,
			       double *weights)
{
	clear(weights, a->batch * a->heads * a->queries * a->keys);
	for (int64_t number = 0; number < a->batch * a->heads; number++) {
		struct head head;
		head_init(&head, a, operands, number);
		for (int64_t i = 0; i < a->queries; i++) {
			int64_t row = number * a->queries + i;
			score(&head, i);
			for (int64_t j = 0; j < visible(a, i); j++)
				weights[row * a->keys + j] = exp(head.row[j] - operands->lse[row]);
		}
		head_finish(&head);
	}
}
