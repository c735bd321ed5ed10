/* SPDX-License-Identifier: Apache-2.0 */
#include "process_limits.h"

#include <string.h>

#include "number.h"

static struct mxt_reading take_limit(const char **at)
{
	static const char unlimited[] = "unlimited";
	struct mxt_reading limit = {0, false};
	*at += strspn(*at, " ");
	if (strncmp(*at, unlimited, sizeof unlimited - 1) == 0) {
		*at += sizeof unlimited - 1;
		return mxt_reading_of(MXT_LIMIT_UNLIMITED);
	}
	limit.reported = mxt_parse_u64(*at, at, &limit.value) == 0;
	return limit;
}

struct mxt_process_limit mxt_process_limit_find(const char *text, const char *name)
{
	struct mxt_process_limit limit = {{0, false}, {0, false}};
	size_t len = strlen(name);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, len) != 0 || line[len] != ' ')
			continue;
		const char *at = line + len;
		limit.soft = take_limit(&at);
		limit.hard = take_limit(&at);
		break;
	}
	return limit;
}
