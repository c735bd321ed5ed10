/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Double-precision loops over float32 rows, for references.
 */
#ifndef MXT_CPU_WIDE_MATH_H
#define MXT_CPU_WIDE_MATH_H

#include <stddef.h>

double mxt_wide_dot(const double *a, const float *b, size_t count);

/* sum[i] += factor * row[i] */
void mxt_wide_add(double *sum, double factor, const float *row, size_t count);

/* sum[i] += row[i] */
void mxt_wide_sum(double *sum, const double *row, size_t count);

#endif
