/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of one probe on a terminal: one line per problem, candidates side by side. What is shown of each candidate
 * depends on the width: time, rate and share of the peak; or times, with rate and share of the fastest; or only the
 * incumbent and the fastest.
 */
#ifndef MXT_REPORT_TABLE_H
#define MXT_REPORT_TABLE_H

#include <stddef.h>

#include "events.h"
#include "line.h"

enum mxt_table_layout { MXT_TABLE_FULL, MXT_TABLE_TIMES, MXT_TABLE_FASTEST };

struct mxt_table {
	enum mxt_table_layout layout;
	size_t label_width;
	size_t cell_width;        /* of one candidate; of the name in the layout FASTEST */
	const char *const *names; /* borrowed as long as the table is used */
	size_t n_names;
	double peak_flops;
};

/* Fits a table for these candidates into `columns`. */
void mxt_table_init(struct mxt_table *table, const char *const *names, size_t n_names, double peak_flops,
		    size_t columns);

void mxt_table_head(const struct mxt_table *table, struct mxt_line *line);
void mxt_table_row(const struct mxt_table *table, const struct mxt_event_problem *row, struct mxt_line *line);

/* Index of the fastest cell that has a time; n_cells when none has. */
size_t mxt_table_fastest(const struct mxt_event_problem *row);

/* FLOP/s of a cell that has a time. */
double mxt_table_rate(const struct mxt_event_problem *row, size_t cell);

#endif
