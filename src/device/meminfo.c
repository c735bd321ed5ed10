/* SPDX-License-Identifier: Apache-2.0 */
#include "meminfo.h"

#include <stddef.h>
#include <string.h>

#include "number.h"

/* Behind "Node 12 "; where the line begins otherwise. */
static const char *skip_node(const char *line)
{
	static const char word[] = "Node ";
	if (strncmp(line, word, sizeof word - 1) != 0)
		return line;
	line += sizeof word - 1;
	line += strspn(line, "0123456789");
	return line + strspn(line, " ");
}

/* The number behind the colon; a number that does not fit counts as not reported. */
static struct mxt_reading parse_value(const char *at)
{
	struct mxt_reading none = {0, false};
	uint64_t value = 0;
	at += strspn(at, " \t");
	if (mxt_parse_u64(at, &at, &value) < 0)
		return none;
	if (strncmp(at, " kB", 3) != 0)
		return mxt_reading_of(value);
	return value <= UINT64_MAX / 1024 ? mxt_reading_of(value * 1024) : none;
}

struct mxt_reading mxt_meminfo_find(const char *text, const char *key)
{
	size_t len = strlen(key);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line = skip_node(line + (*line == '\n'));
		if (strncmp(line, key, len) == 0 && line[len] == ':')
			return parse_value(line + len + 1);
	}
	return (struct mxt_reading){0, false};
}
