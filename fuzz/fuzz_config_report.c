/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of a training's log, which any process of it can write into. The first byte says how long the pieces are
 * in which the rest comes; their length must not change what is found.
 */
#include <stdint.h>
#include <stdlib.h>

#include "config_report.h"
#include "json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum mxt_config_state read_log(const json_t *expected, const char *log, size_t len, size_t piece)
{
	struct mxt_config_report *report = NULL;
	if (mxt_config_report_create(expected, &report, NULL) < 0)
		return MXT_CONFIG_AWAITED;
	for (size_t at = 0; at < len; at += piece)
		(void)mxt_config_report_take(report, 0, log + at, len - at < piece ? len - at : piece);
	enum mxt_config_state state = mxt_config_report_state(report);
	if (state == MXT_CONFIG_DIFFERS && mxt_config_report_error(report, NULL) >= 0)
		abort();
	mxt_config_report_destroy(report);
	return state;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	MXT_CLEANUP_JSON json_t *expected =
	    json_pack("{s:s, s:n, s:i}", "attn_implementation", "sdpa", "flash_attention", "seed", 42);
	const char *log = (const char *)data + 1;
	size_t piece = data[0] > 0 ? data[0] : 1;
	if (expected && read_log(expected, log, size - 1, size) != read_log(expected, log, size - 1, piece))
		abort();
	return 0;
}
