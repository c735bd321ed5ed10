/* SPDX-License-Identifier: Apache-2.0 */
#include "clean_text.h"

#include <stdint.h>

/*
 * Decodes one UTF-8 sequence of at most `len` bytes: its length, or 0 when it is malformed (overlong forms, surrogates
 * and values above U+10FFFF included).
 */
static size_t decode(const unsigned char *bytes, size_t len, uint32_t *ret_code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = bytes[0];
	size_t need = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
	if (need == 0 || need > len)
		return 0;
	uint32_t code = need == 1 ? first : first & (0x7fU >> need);
	for (size_t i = 1; i < need; i++) {
		if (bytes[i] >> 6 != 2)
			return 0;
		code = code << 6 | (bytes[i] & 0x3fU);
	}
	if (code < least[need] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	*ret_code = code;
	return need;
}

/* Marks that reorder what a terminal shows, or break its lines. */
static bool is_direction(uint32_t code)
{
	return code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

static bool is_control(uint32_t code)
{
	return (code < 0x20 && code != '\n') || (code >= 0x7f && code <= 0x9f);
}

void mxt_clean_text(struct mxt_buf *buf, const char *bytes, size_t len)
{
	for (size_t at = 0; at < len;) {
		uint32_t code = 0;
		size_t taken = decode((const unsigned char *)bytes + at, len - at, &code);
		if (taken == 1 && code == '\t')
			mxt_buf_putc(buf, ' ');
		else if (taken == 0 || is_control(code) || is_direction(code))
			mxt_buf_putc(buf, '?');
		else
			mxt_buf_append(buf, bytes + at, taken);
		at += taken ? taken : 1;
	}
}

bool mxt_is_utf8(const char *bytes, size_t len)
{
	uint32_t code = 0;
	size_t at = 0, taken = 1;
	while (at < len && taken > 0) {
		taken = decode((const unsigned char *)bytes + at, len - at, &code);
		at += taken;
	}
	return taken > 0;
}
