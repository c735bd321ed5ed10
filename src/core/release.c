/* SPDX-License-Identifier: Apache-2.0 */
#include "release.h"

#include "number.h"

bool mxt_release_at_least(const char *version, unsigned major, unsigned minor)
{
	uint64_t first = 0, second = 0;
	if (mxt_parse_u64(version, &version, &first) < 0 || *version != '.')
		return false;
	if (mxt_parse_u64(version + 1, &version, &second) < 0)
		return false;
	return first > major || (first == major && second >= minor);
}
