/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops over float32 rows that attention needs besides matrix products. Sums run over a fixed number of lanes, so
 * that results do not depend on how a row is aligned, and repeat bit by bit on one machine.
 */
#ifndef MXT_CPU_VECTOR_MATH_H
#define MXT_CPU_VECTOR_MATH_H

#include <stddef.h>

/* The largest element; count > 0. */
float mxt_row_max(const float *row, size_t count);

/* row[i] = exp(scale * row[i] - shift), relative error about 2^-22; 0 below exp(-87). Returns the sum. */
float mxt_row_exp(float *row, size_t count, float scale, float shift);

/* row[i] *= factor */
void mxt_row_scale(float *row, size_t count, float factor);

/* sum += row, element by element */
void mxt_row_add(float *sum, const float *row, size_t count);

float mxt_row_dot(const float *a, const float *b, size_t count);

/* row[i] = weight[i] * (row[i] - mean) * scale: the gradient of scores before softmax. */
void mxt_row_softmax_grad(float *row, const float *weight, size_t count, float mean, float scale);

/* target[i] = 0.5 * source[i] + 1: one read and one write of each element, as a norm or an activation does. */
void mxt_row_stream(float *target, const float *source, size_t count);

#endif
