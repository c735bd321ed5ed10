/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_csv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static const char blanks[] = " \t\n\r\f\v";

bool mxt_sim_csv_next(struct mxt_sim_csv *csv, FILE *file)
{
	ssize_t len = getline(&csv->text, &csv->size, file);
	csv->count = 0;
	if (len < 0)
		return false;
	while (len > 0 && strchr(blanks, csv->text[len - 1]))
		csv->text[--len] = '\0';
	char *at = csv->text + strspn(csv->text, blanks);
	while (*at && csv->count < MXT_SIM_CSV_FIELDS) {
		char *end = at + strcspn(at, ",");
		csv->fields[csv->count++] = at;
		at = *end ? end + 1 : end;
		*end = '\0';
	}
	return true;
}

void mxt_sim_csv_finish(struct mxt_sim_csv *csv)
{
	free(csv->text);
	*csv = (struct mxt_sim_csv){.text = NULL};
}
