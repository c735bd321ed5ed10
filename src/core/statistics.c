/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics.h"

#include <math.h>

static const double half_pi = 1.5707963267948966;

double mxt_mean(const double *values, size_t count)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

double mxt_stddev(const double *values, size_t count)
{
	if (count < 2)
		return 0;
	double mean = mxt_mean(values, count), squares = 0;
	for (size_t i = 0; i < count; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	return sqrt(squares / (double)(count - 1));
}

/* Shell's sort with Ciura's gaps: the arrays are short, and calls through qsort()'s pointer take most of their time. */
static void sort(double *values, size_t count)
{
	static const size_t gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
	for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
		for (size_t i = gaps[g]; i < count; i++) {
			double value = values[i];
			size_t at = i;
			for (; at >= gaps[g] && values[at - gaps[g]] > value; at -= gaps[g])
				values[at] = values[at - gaps[g]];
			values[at] = value;
		}
}

double mxt_median(double *values, size_t count)
{
	sort(values, count);
	return mxt_quantile(values, count, 0.5);
}

double mxt_quantile(const double *sorted, size_t count, double q)
{
	double at = q * (double)(count - 1);
	size_t below = (size_t)at;
	if (below + 1 >= count)
		return sorted[count - 1];
	return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

struct mxt_trimmed mxt_trimmed(double *values, size_t count, size_t trim)
{
	sort(values, count);
	struct mxt_trimmed result = {mxt_mean(values + trim, count - 2 * trim), 0};
	for (size_t i = 0; i < trim; i++) {
		values[i] = values[trim];
		values[count - 1 - i] = values[count - 1 - trim];
	}
	result.deviation = mxt_stddev(values, count);
	return result;
}

/* P(|T| > sqrt(df) * tan(angle)): the finite series for whole df (Abramowitz and Stegun 26.7.3 and 26.7.4). */
static double outside(double angle, unsigned df)
{
	double c = cos(angle), term = df % 2 ? c : 1, sum = 0;
	for (unsigned power = df % 2; power + 2 <= df; power += 2) {
		sum += term;
		term *= c * c * (power + 1) / (power + 2);
	}
	double inside = sin(angle) * sum;
	if (df % 2)
		inside = (angle + inside) / half_pi;
	return 1 - inside;
}

/* Bisection over the angle, where the whole line is a bounded interval and the tail falls steadily. */
double mxt_student_t_upper(double tail, unsigned df)
{
	double low = 0, high = half_pi;
	for (;;) {
		double middle = low + (high - low) / 2;
		if (middle <= low || middle >= high)
			return sqrt(df) * tan(low);
		if (outside(middle, df) > 2 * tail)
			low = middle;
		else
			high = middle;
	}
}
