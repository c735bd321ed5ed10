/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns of modules. Input: a pattern, a line feed, a name. The bound on time holds for any pattern; a pattern
 * matches a name as often as it is asked.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "module_pattern.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mxt_module_pattern pattern;
	char *text = malloc(size + 2);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\n';
	text[size + 1] = '\0';
	char *name = text + strcspn(text, "\n");
	*name++ = '\0';
	if (mxt_module_pattern_parse(text, &pattern) == 0) {
		assert(pattern.count > 0 && pattern.count <= MXT_MODULE_PATTERN_MAX);
		bool matches = mxt_module_pattern_matches(&pattern, name);
		assert(mxt_module_pattern_matches(&pattern, name) == matches);
	}
	free(text);
	return 0;
}
