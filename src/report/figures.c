/* SPDX-License-Identifier: Apache-2.0 */
#include "figures.h"

#include <math.h>
#include <stdio.h>

#include "compiler.h"
#include "number.h"

const char *mxt_figure_ms(char buf[MXT_FIGURE_SIZE], uint64_t ns)
{
	unsigned digits = ns < 9999500 ? 3 : ns < 99995000 ? 2 : ns < 999950000 ? 1 : 0;
	return mxt_format_fixed(buf, (int64_t)(ns < INT64_MAX ? ns : INT64_MAX), 6, digits);
}

const char *mxt_figure_seconds(char buf[MXT_FIGURE_SIZE], uint64_t ns)
{
	char number[32];
	(void)mxt_format_fixed(number, (int64_t)(ns < INT64_MAX ? ns : INT64_MAX), 9, 1);
	(void)snprintf(buf, MXT_FIGURE_SIZE, "%s s", number);
	return buf;
}

const char *mxt_figure_rate(char buf[MXT_FIGURE_SIZE], double flop_per_s)
{
	double giga = fmin(fmax(flop_per_s, 0) / 1e9, 1e12);
	double value = giga < 999.5 ? giga : giga / 1000;
	unsigned digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
	char number[32];
	(void)mxt_format_fixed(number, llround(value * 1000), 3, digits);
	(void)snprintf(buf, MXT_FIGURE_SIZE, "%s %s", number, giga < 999.5 ? "GFLOP/s" : "TFLOP/s");
	return buf;
}

const char *mxt_figure_percent(char buf[MXT_FIGURE_SIZE], int64_t ppm)
{
	return mxt_format_fixed(buf, ppm, 4, 1);
}

const char *mxt_figure_share(char buf[MXT_FIGURE_SIZE], double flop_per_s, double peak_flop_per_s)
{
	buf[0] = '\0';
	if (peak_flop_per_s > 0)
		(void)snprintf(buf, MXT_FIGURE_SIZE, "%.0f %%", fmin(100 * flop_per_s / peak_flop_per_s, 9999));
	return buf;
}

const char *mxt_figure_bytes(char buf[MXT_FIGURE_SIZE], uint64_t bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
	unsigned unit = 0;
	uint64_t scale = 1; /* bytes of the unit; what would be rounded up to 1000 is told in the next one */
	for (; unit + 1 < MXT_ARRAY_LEN(units) && bytes >= 1000 * scale - scale / 2; unit++)
		scale *= 1000;
	unsigned digits = unit == 0 || bytes >= 100 * scale - scale / 20 ? 0
			  : bytes >= 10 * scale - scale / 200            ? 1
									 : 2;
	char number[32];
	(void)mxt_format_fixed(number, (int64_t)(bytes < INT64_MAX ? bytes : INT64_MAX), 3 * unit, digits);
	(void)snprintf(buf, MXT_FIGURE_SIZE, "%s %s", number, units[unit]);
	return buf;
}
