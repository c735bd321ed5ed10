/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

#define STRIDE 64

/* Bytes of the character at `at` and its code point; 0 when the bytes are no UTF-8. */
static size_t decode(const unsigned char *at, size_t left, uint32_t *ret_code)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	if (at[0] < 0x80) {
		*ret_code = at[0];
		return 1;
	}
	size_t len = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
	if (at[0] < 0xc2 || at[0] > 0xf4 || left < len)
		return 0;
	uint32_t code = at[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3fu);
	}
	bool surrogate = code >= 0xd800 && code <= 0xdfff;
	if (code < smallest[len] || code > 0x10ffff || surrogate)
		return 0;
	*ret_code = code;
	return len;
}

#define BYTE_ORDER_MARK 0xfeff

/* The characters that YAML 1.1 calls printable. */
static bool is_printable(uint32_t code)
{
	if (code < 0x20)
		return code == '\t' || code == '\n' || code == '\r';
	return code < 0x7f || code == 0x85 || (code >= 0xa0 && code <= 0xd7ff) || (code >= 0xe000 && code <= 0xfffd) ||
	       code >= 0x10000;
}

static int refuse_bytes(const struct mxt_yaml_text *text, size_t at, struct mxt_error *err)
{
	return mxt_error_set(err, -EILSEQ, MXT_E_YAML_SYNTAX, "%s:%zu: not UTF-8 (byte 0x%02x); save the file as UTF-8",
			     text->name, mxt_yaml_text_line(text, at), (unsigned char)text->bytes[at]);
}

static int refuse_character(const struct mxt_yaml_text *text, size_t at, uint32_t code, struct mxt_error *err)
{
	size_t line = mxt_yaml_text_line(text, at);
	if (code == BYTE_ORDER_MARK)
		return mxt_error_set(err, -EINVAL, MXT_E_YAML_REFUSED,
				     "%s:%zu: a byte-order mark inside the text; remove it", text->name, line);
	return mxt_error_set(err, -EILSEQ, MXT_E_YAML_SYNTAX, "%s:%zu: control character U+%04" PRIX32 "; remove it",
			     text->name, line, code);
}

static int check_characters(struct mxt_yaml_text *text, struct mxt_error *err)
{
	size_t count = 0;
	for (size_t at = text->start; at < text->len; count++) {
		uint32_t code = 0;
		size_t len = decode((const unsigned char *)text->bytes + at, text->len - at, &code);
		if (len == 0)
			return refuse_bytes(text, at, err);
		if (!is_printable(code) || code == BYTE_ORDER_MARK)
			return refuse_character(text, at, code, err);
		if (count % STRIDE == 0)
			text->strides[text->n_strides++] = at;
		at += len;
	}
	return 0;
}

static bool ends_line(const struct mxt_yaml_text *text, size_t at)
{
	if (text->bytes[at] == '\n')
		return true;
	return text->bytes[at] == '\r' && (at + 1 == text->len || text->bytes[at + 1] != '\n');
}

static int find_lines(struct mxt_yaml_text *text, struct mxt_error *err)
{
	size_t count = 1;
	for (size_t at = 0; at < text->len; at++)
		count += ends_line(text, at) ? 1 : 0;
	text->lines = calloc(count, sizeof *text->lines);
	text->strides = calloc(text->len / STRIDE + 1, sizeof *text->strides);
	if (!text->lines || !text->strides)
		return mxt_error_oom(err);
	text->n_lines = 1;
	for (size_t at = 0; at < text->len; at++)
		if (ends_line(text, at))
			text->lines[text->n_lines++] = at + 1;
	return 0;
}

int mxt_yaml_text_init(struct mxt_yaml_text *text, const char *name, const char *bytes, size_t len,
		       struct mxt_error *err)
{
	bool marked = len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0;
	*text = (struct mxt_yaml_text){.name = name, .bytes = bytes, .len = len, .start = marked ? 3 : 0};
	int rc = find_lines(text, err);
	if (rc == 0)
		rc = check_characters(text, err);
	if (rc < 0)
		mxt_yaml_text_finish(text);
	return rc;
}

void mxt_yaml_text_finish(struct mxt_yaml_text *text)
{
	free(text->lines);
	free(text->strides);
	*text = (struct mxt_yaml_text){.name = NULL};
}

size_t mxt_yaml_text_offset(const struct mxt_yaml_text *text, size_t character)
{
	if (character / STRIDE >= text->n_strides)
		return text->len;
	size_t at = text->strides[character / STRIDE];
	for (size_t left = character % STRIDE; left > 0 && at < text->len; left--)
		for (at++; at < text->len && ((unsigned char)text->bytes[at] & 0xc0) == 0x80; at++)
			;
	return at;
}

size_t mxt_yaml_text_line(const struct mxt_yaml_text *text, size_t offset)
{
	size_t low = 0, high = text->n_lines;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (text->lines[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	return low + 1;
}
