/* SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

int mxt_parse_u64(const char *text, const char **ret_end, uint64_t *ret_value)
{
	unsigned base = 10;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && digit_value(text[2]) < 16) {
		base = 16;
		text += 2;
	}
	uint64_t value = 0;
	bool any = false, overflow = false;
	for (; (unsigned)digit_value(*text) < base; text++) {
		unsigned digit = (unsigned)digit_value(*text);
		overflow = overflow || value > (UINT64_MAX - digit) / base;
		value = value * base + digit;
		any = true;
	}
	*ret_end = text;
	if (!any)
		return -EINVAL;
	if (overflow)
		return -ERANGE;
	*ret_value = value;
	return 0;
}

int mxt_parse_i64_in(const char *text, int64_t min, int64_t max, int64_t *ret_value)
{
	bool negative = text[0] == '-';
	const char *end = NULL;
	uint64_t magnitude = 0;
	const char *digits = text + (negative ? 1 : 0);
	if (digits[0] == '0' && digits[1] != '\0')
		return -EINVAL; /* no hexadecimal, no octal look-alikes */
	int rc = mxt_parse_u64(digits, &end, &magnitude);
	if (rc == -EINVAL || *end != '\0')
		return -EINVAL;
	if (rc < 0 || magnitude > INT64_MAX)
		return -ERANGE;
	int64_t value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
	if (value < min || value > max)
		return -ERANGE;
	*ret_value = value;
	return 0;
}

static uint64_t pow10_u64(unsigned n)
{
	uint64_t p = 1;
	while (n--)
		p *= 10;
	return p;
}

const char *mxt_format_fixed(char buf[32], int64_t value, unsigned scale, unsigned digits)
{
	uint64_t magnitude = value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value;
	unsigned shown = digits < scale ? digits : scale; /* the decimals beyond are zeros */
	uint64_t unit = pow10_u64(scale - shown);
	magnitude = magnitude / unit + (magnitude % unit >= (unit + 1) / 2 ? 1 : 0);
	const char *sign = value < 0 && magnitude > 0 ? "-" : "";
	uint64_t one = pow10_u64(shown);
	if (digits == 0)
		(void)snprintf(buf, 32, "%s%" PRIu64, sign, magnitude);
	else if (shown == 0)
		(void)snprintf(buf, 32, "%s%" PRIu64 ".%0*d", sign, magnitude, (int)digits, 0);
	else
		(void)snprintf(buf, 32, "%s%" PRIu64 ".%0*" PRIu64 "%.*s", sign, magnitude / one, (int)shown,
			       magnitude % one, (int)(digits - shown), "000000000");
	return buf;
}
