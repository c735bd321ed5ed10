/* SPDX-License-Identifier: Apache-2.0 */
/* A config as result_id has it: always a value of the restricted JSON, and always the same. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>

#include "json.h"
#include "result_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	MXT_CLEANUP_JSON json_t *config = NULL;
	MXT_CLEANUP_JSON json_t *again = NULL;
	MXT_CLEANUP_BUF struct mxt_buf text = MXT_BUF_INIT;
	if (mxt_result_config("input", (const char *)data, size, NULL, &config, NULL) < 0)
		return 0;
	if (mxt_json_canonical(config, &text, NULL) < 0 ||
	    mxt_result_config("input", (const char *)data, size, NULL, &again, NULL) < 0 || !json_equal(config, again))
		abort();
	return 0;
}
