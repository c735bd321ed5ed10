/* SPDX-License-Identifier: Apache-2.0 */
#include "affix.h"

#include <string.h>

bool mxt_has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool mxt_has_suffix(const char *text, const char *suffix)
{
	size_t len = strlen(text), suffix_len = strlen(suffix);
	return len >= suffix_len && strcmp(text + len - suffix_len, suffix) == 0;
}
