/* SPDX-License-Identifier: Apache-2.0 */
/* What git prints about a folder: branch names are anybody's, and so are the names of files. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "git_state.h"
#include "json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	MXT_CLEANUP_JSON json_t *state = NULL;
	char *text = strndup((const char *)data, size);
	if (!text)
		return 0;
	if (mxt_git_state_parse(text, &state, NULL) == 0 && mxt_json_check(state, NULL) < 0)
		abort(); /* a manifest could not hold it */
	free(text);
	return 0;
}
