/* SPDX-License-Identifier: Apache-2.0 */
#include "vector_math.h"

#include <stdint.h>
#include <string.h>

#include "compiler.h"

#define LANES 16 /* one vector of the widest kind; narrower ones use several */

static inline float sum_lanes(const float *lanes)
{
	float sum = 0;
	for (size_t i = 0; i < LANES; i++)
		sum += lanes[i];
	return sum;
}

/*
 * exp(x) for x up to about 88. x = n ln 2 + r, so exp(x) = 2^n exp(r); with |r| <= ln(2) / 2 the Taylor polynomial of
 * degree 7 is off by less than 6e-9. Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits of the sum.
 */
static inline float exp_of(float x)
{
	const float round = 12582912.0F, log2_e = 1.44269504F;
	const float ln2_high = 0.693359375F,
		    ln2_low = -2.12194440e-4F; /* the first has few bits: n * ln2_high is exact */
	const float least = -87.0F;
	float bounded = x < least ? least : x;
	float shifted = bounded * log2_e + round;
	float n = shifted - round;
	float r = bounded - n * ln2_high - n * ln2_low;
	float p = 1.0F / 5040;
	p = p * r + 1.0F / 720;
	p = p * r + 1.0F / 120;
	p = p * r + 1.0F / 24;
	p = p * r + 1.0F / 6;
	p = p * r + 0.5F;
	p = p * r + 1.0F;
	p = p * r + 1.0F;
	uint32_t bits;
	memcpy(&bits, &shifted, sizeof bits);
	bits = (bits + 127) << 23; /* the bits of 2^n: what is left of the constant's own falls off */
	float power;
	memcpy(&power, &bits, sizeof power);
	return x < least ? 0.0F : p * power;
}

MXT_VECTOR_CLONES
float mxt_row_max(const float *row, size_t count)
{
	float lanes[LANES];
	for (size_t i = 0; i < LANES; i++)
		lanes[i] = row[0];
	size_t at = 0;
	for (; at + LANES <= count; at += LANES)
		for (size_t i = 0; i < LANES; i++)
			lanes[i] = row[at + i] > lanes[i] ? row[at + i] : lanes[i];
	float max = row[0];
	for (size_t i = 0; i < LANES; i++)
		max = lanes[i] > max ? lanes[i] : max;
	for (; at < count; at++)
		max = row[at] > max ? row[at] : max;
	return max;
}

MXT_VECTOR_CLONES
float mxt_row_exp(float *row, size_t count, float scale, float shift)
{
	float lanes[LANES] = {0};
	size_t at = 0;
	for (; at + LANES <= count; at += LANES)
		for (size_t i = 0; i < LANES; i++) {
			float value = exp_of(scale * row[at + i] - shift);
			row[at + i] = value;
			lanes[i] += value;
		}
	for (size_t i = 0; at < count; at++, i++) {
		row[at] = exp_of(scale * row[at] - shift);
		lanes[i] += row[at];
	}
	return sum_lanes(lanes);
}

MXT_VECTOR_CLONES
void mxt_row_scale(float *row, size_t count, float factor)
{
	for (size_t i = 0; i < count; i++)
		row[i] *= factor;
}

MXT_VECTOR_CLONES
void mxt_row_add(float *sum, const float *row, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sum[i] += row[i];
}

MXT_VECTOR_CLONES
float mxt_row_dot(const float *a, const float *b, size_t count)
{
	float lanes[LANES] = {0};
	size_t at = 0;
	for (; at + LANES <= count; at += LANES)
		for (size_t i = 0; i < LANES; i++)
			lanes[i] += a[at + i] * b[at + i];
	for (size_t i = 0; at < count; at++, i++)
		lanes[i] += a[at] * b[at];
	return sum_lanes(lanes);
}

MXT_VECTOR_CLONES
void mxt_row_softmax_grad(float *row, const float *weight, size_t count, float mean, float scale)
{
	for (size_t i = 0; i < count; i++)
		row[i] = weight[i] * (row[i] - mean) * scale;
}

MXT_VECTOR_CLONES
void mxt_row_stream(float *target, const float *source, size_t count)
{
	for (size_t i = 0; i < count; i++)
		target[i] = 0.5F * source[i] + 1.0F;
}
