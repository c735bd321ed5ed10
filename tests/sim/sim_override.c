/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_override.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_csv.h"
#include "sim_number.h"

/* A row as a file has it; NULL: the row does not say. */
enum column { TRANSA, TRANSB, BATCH, M, N, K, A_TYPE, B_TYPE, C_TYPE, COMPUTE, SOLUTION, COLUMN_COUNT };
struct row {
	const char *fields[COLUMN_COUNT];
};

#define STRICT_FIELDS       37
#define ROCBLAS_FEW_FIELDS  15
#define ROCBLAS_MANY_FIELDS 18

/* Where fields stand by place; -1: nowhere. Those of rocBLAS after ldc stand 3 later in the longer form. */
static const int strict_places[COLUMN_COUNT] = {0, 1, 3, 4, 5, 6, 17, -1, 19, 21, 34};
static const int rocblas_places[COLUMN_COUNT] = {0, 1, 4, 2, 3, 5, 11, -1, 12, 13, 14};
static const char *const names[COLUMN_COUNT] = {
    "transA", "transB", "batch_count", "m", "n", "k", "a_type", "b_type", "c_type", "compute_type", "solution_index"};

static struct row by_place(const struct mxt_sim_csv *csv, const int places[static COLUMN_COUNT], int later)
{
	struct row row = {{NULL}};
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (places[i] >= 0)
			row.fields[i] = csv->fields[places[i] + (places[i] > 10 ? later : 0)];
	return row;
}

static const char *type_name(int32_t dtype)
{
	switch (dtype) {
	case MXT_SIM_BFLOAT16:
		return "bf16_r";
	case MXT_SIM_FLOAT16:
		return "f16_r";
	case MXT_SIM_FLOAT64:
		return "f64_r";
	default:
		return "f32_r";
	}
}

static bool is(const char *field, const char *word)
{
	return !field || strcmp(field, word) == 0;
}

static bool is_number(const char *field, int64_t number)
{
	char *end;
	return field && strtoll(field, &end, 10) == number && *end == '\0' && end != field;
}

/* Whether a row is about the problem: operations, shape, batch and types; not strides, bias or alpha. */
static bool fits(const struct row *row, const struct mxt_sim_gemm *gemm, int32_t output)
{
	const char *const *field = row->fields;
	return is(field[TRANSA], gemm->ta ? "T" : "N") && is(field[TRANSB], gemm->tb ? "T" : "N") &&
	       is_number(field[BATCH], gemm->batch) && is_number(field[M], gemm->m) && is_number(field[N], gemm->n) &&
	       is_number(field[K], gemm->k) && is(field[A_TYPE], type_name(gemm->dtype)) &&
	       is(field[B_TYPE], type_name(gemm->dtype)) && is(field[C_TYPE], type_name(output)) &&
	       is(field[COMPUTE], "f32_r");
}

static bool number_of(const struct row *row, int *ret_number)
{
	char *end;
	long number = row->fields[SOLUTION] ? strtol(row->fields[SOLUTION], &end, 10) : 0;
	if (number <= 0 || number > INT_MAX || *end != '\0')
		return false;
	*ret_number = (int)number;
	return true;
}

/* Where the header before a line has its names; a header is kept until the next one. */
struct header {
	int places[COLUMN_COUNT];
	bool is_known;
};

static bool take_header(struct header *header, const struct mxt_sim_csv *csv)
{
	bool is_one = false;
	for (size_t i = 0; i < csv->count; i++)
		is_one = is_one || strcmp(csv->fields[i], names[TRANSA]) == 0;
	for (int column = 0; is_one && column < COLUMN_COUNT; column++) {
		header->places[column] = -1;
		for (size_t i = 0; i < csv->count; i++)
			if (strcmp(csv->fields[i], names[column]) == 0)
				header->places[column] = (int)i;
	}
	header->is_known = header->is_known || is_one;
	return is_one;
}

/* The row that a line holds; false: it holds none. */
static bool row_of(enum mxt_sim_override_form form, const struct mxt_sim_csv *csv, struct header *header,
		   struct row *ret_row)
{
	struct row row = {{NULL}};
	if (take_header(header, csv) || csv->count < 2)
		return false;
	if (form == MXT_SIM_OVERRIDE_STRICT && csv->count == STRICT_FIELDS) {
		*ret_row = by_place(csv, strict_places, 0);
		return true;
	}
	if (form == MXT_SIM_OVERRIDE_ROCBLAS &&
	    (csv->count == ROCBLAS_FEW_FIELDS || csv->count == ROCBLAS_MANY_FIELDS)) {
		*ret_row = by_place(csv, rocblas_places, (int)csv->count - ROCBLAS_FEW_FIELDS);
		return true;
	}
	if (form != MXT_SIM_OVERRIDE_NAMED || !header->is_known)
		return false;
	for (int column = 0; column < COLUMN_COUNT; column++)
		if (header->places[column] >= 0 && (size_t)header->places[column] < csv->count)
			row.fields[column] = csv->fields[header->places[column]];
	header->is_known = false; /* it was for one line */
	*ret_row = row;
	return true;
}

/* "Git Version: REVISION" in the first line. */
static bool is_of_revision(struct mxt_sim_csv *csv, FILE *file, const char *revision)
{
	static const char words[] = "Git Version: ";
	if (!mxt_sim_csv_next(csv, file) || csv->count != 1)
		return false;
	const char *at = strstr(csv->fields[0], words);
	return at && strcmp(at + strlen(words), revision) == 0;
}

bool mxt_sim_override_find(enum mxt_sim_override_form form, const char *path, const char *revision,
			   const struct mxt_sim_gemm *gemm, int32_t output, int *ret_number)
{
	struct mxt_sim_csv csv = {.text = NULL};
	struct header header = {.is_known = false};
	struct row row;
	bool found = false;
	FILE *file = form == MXT_SIM_OVERRIDE_NONE ? NULL : fopen(path, "re");
	if (!file)
		return false;
	bool is_taken = !revision || is_of_revision(&csv, file, revision);
	while (is_taken && !found && mxt_sim_csv_next(&csv, file))
		found = row_of(form, &csv, &header, &row) && fits(&row, gemm, output) && number_of(&row, ret_number);
	mxt_sim_csv_finish(&csv);
	(void)fclose(file);
	return found;
}
