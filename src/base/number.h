/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Number parsing and printing that ignores the locale.
 */
#ifndef MXT_BASE_NUMBER_H
#define MXT_BASE_NUMBER_H

#include <stdint.h>

/*
 * An unsigned number at `text`: decimal, or hexadecimal after 0x. No sign, no blanks. *ret_end points behind the last
 * digit. Returns 0, -EINVAL (no digit) or -ERANGE; outputs are written on success, *ret_end always.
 */
int mxt_parse_u64(const char *text, const char **ret_end, uint64_t *ret_value);

/* What a hexadecimal digit in lower case stands for; 16 for any other character. */
static inline unsigned mxt_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

/* The whole of `text` as a decimal number in [min, max]: 0, -EINVAL or -ERANGE. */
int mxt_parse_i64_in(const char *text, int64_t min, int64_t max, int64_t *ret_value);

/*
 * value / 10^scale with `digits` decimals, '.' whatever the locale, rounded half away from zero, into buf (at least
 * 32 bytes); returns buf. scale <= 18, digits <= 9. mxt_format_fixed(buf, 12345678, 6, 2) is "12.35".
 */
const char *mxt_format_fixed(char buf[32], int64_t value, unsigned scale, unsigned digits);

#endif
