/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as a report shows them, with '.' in every locale. All return their buffer.
 */
#ifndef MXT_REPORT_FIGURES_H
#define MXT_REPORT_FIGURES_H

#include <stdint.h>

#define MXT_FIGURE_SIZE 48

/* Milliseconds without the unit: "0.012", "9.870", "98.70", "987.0", "9870". */
const char *mxt_figure_ms(char buf[MXT_FIGURE_SIZE], uint64_t ns);

/* Whole and tenths of seconds with the unit: "58.1 s". */
const char *mxt_figure_seconds(char buf[MXT_FIGURE_SIZE], uint64_t ns);

/* Three digits and the unit: "1.23 TFLOP/s", "182 GFLOP/s", "0.52 GFLOP/s". */
const char *mxt_figure_rate(char buf[MXT_FIGURE_SIZE], double flop_per_s);

/* Per cent without the sign of it: "4.1", "-0.3". */
const char *mxt_figure_percent(char buf[MXT_FIGURE_SIZE], int64_t ppm);

/* A share of the peak with the sign: "45 %"; "" when the peak is not known. */
const char *mxt_figure_share(char buf[MXT_FIGURE_SIZE], double flop_per_s, double peak_flop_per_s);

/* Three digits and the unit, a power of 1000: "999 B", "1.00 kB", "23.4 MB", "8.00 GB". */
const char *mxt_figure_bytes(char buf[MXT_FIGURE_SIZE], uint64_t bytes);

#endif
