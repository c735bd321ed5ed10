/* SPDX-License-Identifier: Apache-2.0 */
#include "wide_math.h"

#include "compiler.h"

#define LANES 16

MXT_VECTOR_CLONES
double mxt_wide_dot(const double *a, const float *b, size_t count)
{
	double lanes[LANES] = {0};
	size_t at = 0;
	for (; at + LANES <= count; at += LANES)
		for (size_t i = 0; i < LANES; i++)
			lanes[i] += a[at + i] * (double)b[at + i];
	for (size_t i = 0; at < count; at++, i++)
		lanes[i] += a[at] * (double)b[at];
	double sum = 0;
	for (size_t i = 0; i < LANES; i++)
		sum += lanes[i];
	return sum;
}

MXT_VECTOR_CLONES
void mxt_wide_add(double *sum, double factor, const float *row, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sum[i] += factor * (double)row[i];
}

MXT_VECTOR_CLONES
void mxt_wide_sum(double *sum, const double *row, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sum[i] += row[i];
}
