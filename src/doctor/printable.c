/* SPDX-License-Identifier: Apache-2.0 */
#include "printable.h"

#include <stdbool.h>
#include <stdint.h>

/* What a lead byte promises: how many bytes follow, and the smallest code point that may be spelled so. */
static unsigned followers(unsigned char lead, uint32_t *ret_bits, uint32_t *ret_least)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} rows[] = {{0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
	for (unsigned i = 0; i < 3; i++) {
		if ((lead & rows[i].mask) != rows[i].lead)
			continue;
		*ret_bits = (uint32_t)(lead & ~rows[i].mask);
		*ret_least = rows[i].least;
		return i + 1;
	}
	return 0;
}

/* Bytes of the well-formed, printable character of more than one byte at `s`; 0 when there is none. */
static size_t sequence(const unsigned char *s)
{
	uint32_t code = 0, least = 0;
	unsigned more = followers(s[0], &code, &least);
	for (unsigned i = 1; i <= more; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0; /* also the NUL at the end */
		code = code << 6 | (s[i] & 0x3f);
	}
	bool fine = more && code >= least && code >= 0xa0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
	return fine ? more + 1 : 0;
}

void mxt_printable(char *text)
{
	unsigned char *s = (unsigned char *)text;
	while (*s) {
		size_t len = *s >= 0x20 && *s < 0x7f ? 1 : *s >= 0x80 ? sequence(s) : 0;
		if (len == 0) {
			*s = '?';
			len = 1;
		}
		s += len;
	}
}

size_t mxt_columns(const char *text, size_t len)
{
	size_t columns = 0;
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			columns++;
	return columns;
}
