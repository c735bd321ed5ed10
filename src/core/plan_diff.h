/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where two JSON values differ, by path.
 */
#ifndef MXT_CORE_PLAN_DIFF_H
#define MXT_CORE_PLAN_DIFF_H

#include <jansson.h>

#include "buf.h"
#include "compiler.h"

struct mxt_error;

/*
 * Every difference as an element {"path", "left", "right"} of a new array, sorted by path; `left` or `right` is missing
 * where that side has nothing. Objects are compared member by member, everything else as a whole. `name` is the path of
 * both values; either may be NULL (absent).
 */
int mxt_plan_diff(const char *name, const json_t *left, const json_t *right, json_t **ret_differences,
		  struct mxt_error *err) MXT_WUR;

/*
 * Appends each difference as "platform.units: 2, here 4", where `right_word` names the right side, with `glue` between
 * them; one that has a member "where" has it behind, in parentheses.
 */
void mxt_plan_differences_text(const json_t *differences, const char *right_word, const char *glue,
			       struct mxt_buf *buf);

/* One of them. */
void mxt_plan_difference_text(const json_t *difference, const char *right_word, struct mxt_buf *buf);

/* 0 when a part of a decision equals what is here, else MXT_E_PLAN_MISMATCH naming every field that differs. */
int mxt_plan_compare_part(const char *key, const json_t *planned, const json_t *here, struct mxt_error *err) MXT_WUR;

#endif
