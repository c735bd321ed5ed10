/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of comma-separated fields, without quotes, as ROCm's readers take them.
 */
#ifndef MXT_SIM_CSV_H
#define MXT_SIM_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define MXT_SIM_CSV_FIELDS 64

struct mxt_sim_csv {
	char *text; /* owned: the line, cut up */
	size_t size;
	char *fields[MXT_SIM_CSV_FIELDS]; /* borrowed from it */
	size_t count;
};

/* The next line; false at the end. Blanks at its ends go; an empty line has no field. */
bool mxt_sim_csv_next(struct mxt_sim_csv *csv, FILE *file);
void mxt_sim_csv_finish(struct mxt_sim_csv *csv);

#endif
