/* SPDX-License-Identifier: Apache-2.0 */
#include "result_rules.h"

#include <stddef.h>
#include <string.h>

#include "compiler.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("-_.", c));
}

/* A pattern holds a few stars at most. */
static bool matches(const char *pattern, const char *text)
{
	const char *star = NULL, *again = NULL; /* where the last star's text can grow */
	while (*text || *pattern == '*') {
		if (*pattern == '*') {
			star = ++pattern;
			again = text;
		} else if (*pattern && *pattern == *text) {
			pattern++;
			text++;
		} else if (star && is_word(*again)) {
			pattern = star;
			text = ++again;
		} else {
			return false;
		}
	}
	return *pattern == '\0';
}

enum mxt_result_part mxt_result_part_of(const char *path)
{
	static const struct {
		char pattern[24];
		unsigned char part;
	} rows[] = {
#define MXT_RESULT_FILE(pattern, part, what) {pattern, MXT_RESULT_##part},
#include "result_rules.def"
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++)
		if (matches(rows[i].pattern, path))
			return (enum mxt_result_part)rows[i].part;
	return MXT_RESULT_NO_PART;
}

bool mxt_result_omits_key(const char *key)
{
	static const char rows[][28] = {
#define MXT_RESULT_KEY(pattern, why) pattern,
#include "result_rules.def"
	};
	for (size_t i = 0; i < MXT_ARRAY_LEN(rows); i++)
		if (matches(rows[i], key))
			return true;
	return false;
}
