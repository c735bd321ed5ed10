/* SPDX-License-Identifier: Apache-2.0 */
#include "number_text.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "json.h"

#define MOST_DIGITS    40
#define LARGEST_DIGITS 16 /* of 2^53-1 */
#define MOST_EXPONENT  4  /* digits */

/* digits[0] . digits[1] ... x 10^exponent, as whole numbers: value = digits x 10^exponent. */
struct decimal {
	bool negative;
	char digits[MOST_DIGITS + 1];
	size_t count;
	int exponent;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Zeros in front count for nothing. How many characters were digits or '_' between such; -1: too many. */
static int read_digits(const char *text, struct decimal *decimal)
{
	int at = 0;
	for (; is_digit(text[at]) || (at > 0 && text[at] == '_' && is_digit(text[at + 1])); at++) {
		if (text[at] == '_' || (text[at] == '0' && decimal->count == 0))
			continue;
		if (decimal->count == MOST_DIGITS)
			return -1;
		decimal->digits[decimal->count++] = text[at];
	}
	return at;
}

static int count_digits(const char *text, int len)
{
	int count = 0;
	for (int i = 0; i < len; i++)
		count += is_digit(text[i]);
	return count;
}

/* "e-4" and the end of the text; nothing is an exponent of 0. */
static bool read_exponent(const char *text, int *exponent)
{
	if (*text == '\0')
		return true;
	if (*text != 'e' && *text != 'E')
		return false;
	text++;
	bool negative = *text == '-';
	text += *text == '-' || *text == '+';
	int value = 0, count = 0;
	for (; count <= MOST_EXPONENT && is_digit(text[count]); count++)
		value = value * 10 + (text[count] - '0');
	*exponent += negative ? -value : value;
	return count > 0 && count <= MOST_EXPONENT && text[count] == '\0';
}

static bool read_decimal(const char *text, struct decimal *decimal)
{
	decimal->negative = *text == '-';
	text += *text == '-' || *text == '+';
	int before = read_digits(text, decimal), behind = 0;
	if (before < 0)
		return false;
	text += before;
	if (*text == '.') {
		behind = read_digits(text + 1, decimal);
		if (behind < 0)
			return false;
		decimal->exponent = -count_digits(text + 1, behind);
		text += 1 + behind;
	}
	return before + behind > 0 && read_exponent(text, &decimal->exponent);
}

/* Fewest digits. */
static void strip_zeros(struct decimal *decimal)
{
	while (decimal->count > 0 && decimal->digits[decimal->count - 1] == '0') {
		decimal->count--;
		decimal->exponent++;
	}
	decimal->digits[decimal->count] = '\0';
}

static bool whole_value(const struct decimal *decimal, int64_t *ret_value)
{
	if (decimal->count > 0 && (decimal->exponent < 0 || decimal->exponent > LARGEST_DIGITS ||
				   decimal->count + (size_t)decimal->exponent > LARGEST_DIGITS))
		return false;
	int64_t value = 0;
	for (size_t i = 0; i < decimal->count; i++)
		value = value * 10 + (decimal->digits[i] - '0');
	for (int i = 0; decimal->count > 0 && i < decimal->exponent; i++)
		value *= 10;
	if (value > MXT_JSON_MAX_INT)
		return false;
	*ret_value = decimal->negative ? -value : value;
	return true;
}

bool mxt_number_text_read(const char *text, struct mxt_number_text *ret_number)
{
	struct decimal decimal = {.count = 0};
	if (!read_decimal(text, &decimal))
		return false;
	strip_zeros(&decimal);
	struct mxt_number_text number = {.whole = false};
	number.whole = whole_value(&decimal, &number.value);
	if (!number.whole)
		(void)snprintf(number.text, sizeof number.text, "%s%se%d", decimal.negative ? "-" : "", decimal.digits,
			       decimal.exponent);
	*ret_number = number;
	return true;
}
