/* SPDX-License-Identifier: Apache-2.0 */
#include "size_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "compiler.h"

static const struct unit {
	unsigned shift;
	int decimals;
	const char *name;
} units[] = {{40, 1, "TiB"}, {30, 1, "GiB"}, {20, 0, "MiB"}, {10, 0, "KiB"}, {0, 0, "bytes"}};

const char *mxt_size_text(char buf[MXT_SIZE_TEXT], uint64_t bytes)
{
	const struct unit *unit = units;
	while (unit->shift && bytes >> unit->shift == 0)
		unit++;
	uint64_t whole = bytes >> unit->shift;
	uint64_t tenths = (bytes - (whole << unit->shift)) * 10 >> unit->shift; /* below 2^40 * 10 */
	if (unit->decimals)
		(void)snprintf(buf, MXT_SIZE_TEXT, "%" PRIu64 ".%" PRIu64 " %s", whole, tenths, unit->name);
	else
		(void)snprintf(buf, MXT_SIZE_TEXT, "%" PRIu64 " %s", whole, unit->name);
	return buf;
}
