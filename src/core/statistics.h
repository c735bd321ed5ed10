/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The little statistics that choosing needs. No allocation, no state.
 */
#ifndef MXT_CORE_STATISTICS_H
#define MXT_CORE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

double mxt_mean(const double *values, size_t count);               /* count > 0 */
double mxt_stddev(const double *values, size_t count);             /* sample deviation; 0 for count < 2 */
double mxt_median(double *values, size_t count);                   /* sorts in place; count > 0 */
double mxt_quantile(const double *sorted, size_t count, double q); /* linear between order statistics */

/* Student's t: the value that is exceeded with probability `tail` (0 < tail < 0.5) at `df` >= 1 degrees of freedom. */
double mxt_student_t_upper(double tail, unsigned df);

#endif
