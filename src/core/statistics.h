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
double mxt_quantile(const double *sorted, size_t count, double q); /* linear between order statistics; count > 0 */

/*
 * The mean without the `trim` smallest and the `trim` largest values, and the sample deviation after these values were
 * pulled in to their nearest kept neighbours (winsorised). Sorts and winsorises in place; count > 2 * trim.
 * The standard error of the trimmed mean is deviation * sqrt(count) / (count - 2 * trim), and the studentised trimmed
 * mean is close to Student's t at count - 2 * trim - 1 degrees of freedom (Tukey and McLaughlin 1963).
 */
struct mxt_trimmed {
	double mean;
	double deviation;
};
struct mxt_trimmed mxt_trimmed(double *values, size_t count, size_t trim);

/* Student's t: the value that is exceeded with probability `tail` (0 < tail < 0.5) at `df` >= 1 degrees of freedom. */
double mxt_student_t_upper(double tail, unsigned df);

#endif
