/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <string.h>

/* Not tolower(): the locale has no say in it. */
static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool equals(const char *a, const char *b, size_t len, bool any_case)
{
	for (size_t i = 0; i < len; i++)
		if (a[i] != b[i] && !(any_case && lower(a[i]) == lower(b[i])))
			return false;
	return true;
}

int mxt_words_index(const char *words, const char *text, size_t len, bool any_case)
{
	for (int index = 0; *words; index++) {
		size_t n = strcspn(words, " ");
		if (n == len && equals(words, text, len, any_case))
			return index;
		words += n;
		words += strspn(words, " ");
	}
	return -1;
}

void mxt_words_text(const char *words, struct mxt_buf *buf)
{
	for (; *words; words++)
		if (*words == ' ')
			mxt_buf_puts(buf, ", ");
		else
			mxt_buf_putc(buf, *words);
}
