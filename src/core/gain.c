/* SPDX-License-Identifier: Apache-2.0 */
#include "gain.h"

#include <math.h>

#include "statistics.h"

/*
 * One value in six goes at each end: none of 4, one of 8, five of 32. Single launches are sometimes ten times as long
 * as the rest (a daemon, a page fault, a clock change), in a few percent of blocks: one such value in a plain mean of
 * 32 moves it by 7 % and its error with it, so that nothing is ever decided. A median would stand more, but costs half
 * as many blocks again where the noise is plain, and it has no bound from 8 blocks at the levels used here. Pulling in
 * single outlying measurements instead costs the level: within few rounds a favoured position looks like an outlier
 * (docs/choosing.md).
 */
static size_t trim_of(size_t count)
{
	return count / 6;
}

uint32_t mxt_look_of(size_t blocks)
{
	uint32_t look = MXT_LOOK_LAST;
	while (look >= MXT_LOOK_FIRST && look > blocks)
		look /= 2;
	return look >= MXT_LOOK_FIRST ? look : 0;
}

struct mxt_gain mxt_gain_estimate(double *fresh, size_t n_fresh, double *all, size_t n_all)
{
	size_t trim = trim_of(n_fresh);
	struct mxt_trimmed now = mxt_trimmed(fresh, n_fresh, trim);
	struct mxt_trimmed ever = mxt_trimmed(all, n_all, trim_of(n_all));
	double deviation = fmax(now.deviation, ever.deviation);
	return (struct mxt_gain){now.mean, deviation * sqrt((double)n_fresh) / (double)(n_fresh - 2 * trim)};
}

double mxt_gain_quantile(double tail, size_t n_fresh)
{
	return mxt_student_t_upper(tail, (unsigned)(n_fresh - 2 * trim_of(n_fresh) - 1));
}

int32_t mxt_gain_ppm(double gain)
{
	double ppm = -expm1(-gain) * 1e6;
	return (int32_t)lround(fmax(ppm, -1e9));
}

double mxt_gain_from_ppm(uint32_t gain_ppm)
{
	return -log1p(-(double)gain_ppm / 1e6);
}
