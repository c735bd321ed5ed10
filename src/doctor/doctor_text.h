/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report of doctor for people: one line for each finding, with what is wrong and what to do below it.
 */
#ifndef MXT_DOCTOR_DOCTOR_TEXT_H
#define MXT_DOCTOR_DOCTOR_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

struct mxt_doctor_report;

struct mxt_doctor_style {
	size_t width; /* columns that a line may take; at least MXT_DOCTOR_MIN_WIDTH is used */
	bool colour;
};

#define MXT_DOCTOR_MIN_WIDTH 40

void mxt_doctor_text(const struct mxt_doctor_report *report, const struct mxt_doctor_style *style, struct mxt_buf *buf);

/*
 * Appends `text` to a line that already has `indent` columns, broken at blanks so that no line has more than `width`
 * columns; following lines are indented by the same. A word longer than a line stands on one of its own, unbroken: it
 * is a path to be copied. Ends with a newline.
 */
void mxt_wrap_text(const char *text, size_t indent, size_t width, struct mxt_buf *buf);

#endif
