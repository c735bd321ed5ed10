/* SPDX-License-Identifier: Apache-2.0 */
#include "library_version.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* How many bytes at `at` are a number with at least one dot between digits: "0.3.21" in "0.3.21.so". */
static size_t dotted_len(const char *at, size_t len)
{
	size_t used = 0, dots = 0;
	while (used < len && is_digit(at[used])) {
		while (used < len && is_digit(at[used]))
			used++;
		if (len - used < 2 || at[used] != '.' || !is_digit(at[used + 1]))
			return dots ? used : 0;
		dots++;
		used++;
	}
	return 0;
}

static bool copy_version(const char *at, size_t len, char *ret_version)
{
	if (len == 0 || len >= MXT_VERSION_SIZE)
		return false;
	memcpy(ret_version, at, len);
	ret_version[len] = '\0';
	return true;
}

bool mxt_version_in_name(const char *name, const char *mark, char ret_version[MXT_VERSION_SIZE])
{
	for (const char *at = strstr(name, mark); at; at = strstr(at + 1, mark)) {
		const char *digits = at + strlen(mark);
		if (copy_version(digits, dotted_len(digits, strlen(digits)), ret_version))
			return true;
	}
	return false;
}

bool mxt_version_after(const char *bytes, size_t len, const char *prefix, char ret_version[MXT_VERSION_SIZE])
{
	size_t prefix_len = strlen(prefix);
	const char *end = bytes + len;
	for (const char *at = bytes; at < end; at++) {
		at = memmem(at, (size_t)(end - at), prefix, prefix_len);
		if (!at)
			return false;
		const char *digits = at + prefix_len;
		bool begins = at == bytes || at[-1] == '\0';
		if (begins && copy_version(digits, dotted_len(digits, (size_t)(end - digits)), ret_version))
			return true;
	}
	return false;
}

/* Digits and dots, then perhaps "-rc0" and the like. */
static bool is_version(const char *at, size_t len)
{
	size_t used = dotted_len(at, len);
	if (used == 0 || len >= MXT_VERSION_SIZE)
		return false;
	if (used < len && at[used] != '-')
		return false;
	for (; used < len; used++)
		if (at[used] <= ' ' || at[used] > '~')
			return false;
	return true;
}

bool mxt_version_alone(const char *bytes, size_t len, char ret_version[MXT_VERSION_SIZE])
{
	char found[MXT_VERSION_SIZE] = "";
	const char *end = bytes + len;
	for (const char *at = bytes; at < end;) {
		const char *stop = memchr(at, '\0', (size_t)(end - at));
		if (!stop)
			break;
		size_t n = (size_t)(stop - at);
		if (n && is_digit(at[0]) && is_version(at, n)) {
			if (found[0] && (strlen(found) != n || memcmp(found, at, n) != 0))
				return false;
			(void)copy_version(at, n, found);
		}
		at = stop + 1;
	}
	return found[0] && copy_version(found, strlen(found), ret_version);
}
