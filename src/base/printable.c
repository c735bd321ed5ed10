/* SPDX-License-Identifier: Apache-2.0 */
#include "printable.h"

#include <stddef.h>
#include <string.h>

#define MAX_SHOWN 64

const char *mxt_printable(const char *text, char buf[MXT_PRINTABLE_SIZE])
{
	size_t len = 0;
	for (; len < MAX_SHOWN && text[len]; len++)
		buf[len] = text[len] >= ' ' && text[len] <= '~' ? text[len] : '?';
	memcpy(buf + len, text[len] ? "..." : "", text[len] ? sizeof "..." : 1);
	return buf;
}
