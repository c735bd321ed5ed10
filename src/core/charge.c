/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "choose.h"
#include "gain.h"
#include "statistics.h"

#define MAX_COSTS 256

/*
 * Each end of the interval is missed with this probability. An end that is missed makes a false winner only where the
 * blocks err in the same direction, or a gain lies at the margin: so the ends do not share alpha with the looks.
 */
#define TAIL 0.0025

static double within(double value, double low, double high)
{
	return fmin(fmax(value, low), high);
}

void mxt_charge_estimate(const double *costs, size_t count, struct mxt_charge *ret_charge)
{
	double fresh[MAX_COSTS], all[MAX_COSTS];
	size_t n = count < MAX_COSTS ? count : MAX_COSTS;
	memcpy(fresh, costs, sizeof *fresh * n);
	memcpy(all, costs, sizeof *all * n);
	double median = mxt_median(fresh, n);
	struct mxt_gain mean = mxt_gain_estimate(fresh, n, all, n);
	double reach = mxt_gain_quantile(TAIL, n) * mean.error;
	double low = fmax(mean.center - reach, 0), high = fmax(mean.center + reach, 0);
	*ret_charge = (struct mxt_charge){low, within(median, low, high), high};
}

void mxt_charge_scale(struct mxt_charge *charge, double factor)
{
	charge->low *= factor;
	charge->middle *= factor;
	charge->high *= factor;
}
