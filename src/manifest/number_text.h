/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One form for the many ways to write a decimal number, without a rounding.
 */
#ifndef MXT_MANIFEST_NUMBER_TEXT_H
#define MXT_MANIFEST_NUMBER_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#define MXT_NUMBER_TEXT_SIZE 64

struct mxt_number_text {
	bool whole; /* a whole number within +-(2^53-1): `value`; else `text` */
	int64_t value;
	char text[MXT_NUMBER_TEXT_SIZE]; /* "-25e-1": digits without zeros at the ends, and an exponent */
};

/*
 * Digits with a sign, a point, an exponent and '_' between them, as Python's float() has it. False for anything else,
 * and for more than 40 digits or an exponent beyond four.
 */
bool mxt_number_text_read(const char *text, struct mxt_number_text *ret_number);

#endif
