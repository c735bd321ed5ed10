/* SPDX-License-Identifier: Apache-2.0 */
#include "platform_gpu.h"

#include <string.h>

#include "json.h"

bool mxt_platform_has_gpu(const json_t *platform, const char *vendor)
{
	static const char *const starts[] = {"sm_", "gfx"}; /* of architectures */
	const char *arch = mxt_json_text(platform, "arch");
	if (strcmp(mxt_json_text(platform, "vendor"), vendor) != 0)
		return false;
	for (size_t i = 0; i < MXT_ARRAY_LEN(starts); i++)
		if (strncmp(arch, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}
